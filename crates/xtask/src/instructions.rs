//! The guard of instruction counts: small programs that do one thing, counted by callgrind and compared with committed figures.
//! Counts hardly vary from run to run, so a hot path that became slower is seen on a busy machine too.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, bail};
use clap::Args;
use serde::{Deserialize, Serialize};

use crate::process::{build, root};

/// What is done with the counts.
#[derive(Args)]
pub(crate) struct Options {
    /// Write the counts down as the figures to compare with
    #[arg(long)]
    update: bool,
}

/// What is counted: a name, the program and its arguments.
const SUBJECTS: [(&str, &str, &[&str]); 7] = [
    ("a reply of 1 MB", "count-reply", &["1"]),
    ("a reply of 1 MB in 10000 chunks", "count-reply", &["10000"]),
    ("a request after 10 messages", "count-request", &["10"]),
    ("a request after 100 messages", "count-request", &["100"]),
    ("a request after 1000 messages", "count-request", &["1000"]),
    ("a turn of 20 steps", "count-turn", &["0"]),
    ("a turn of 20 steps after 1000 messages", "count-turn", &["1000"]),
];

/// By how many percent a count may grow before the guard fails.
const TOLERANCE: u64 = 10;

/// The committed figures.
#[derive(Debug, Default, Deserialize, Serialize)]
struct Figures {
    instructions: BTreeMap<String, u64>,
}

/// Counts and compares, or writes down.
pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    if Command::new("valgrind").arg("--version").output().is_err() {
        println!("instruction counts: skipped, valgrind is absent");
        return Ok(());
    }
    let programs = build(&["count-reply", "count-request", "count-turn"])?;
    let mut counted = Figures::default();
    for (name, program, arguments) in SUBJECTS {
        counted.instructions.insert(name.to_owned(), count(&programs.join(program), arguments)?);
    }
    let path = root().join("crates/xtask/instructions.toml");
    if options.update { write(&path, &counted) } else { compare(&read(&path)?, &counted) }
}

fn count(program: &Path, arguments: &[&str]) -> anyhow::Result<u64> {
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg(program)
        .args(arguments)
        .output()
        .context("cannot run valgrind")?;
    let log = String::from_utf8_lossy(&output.stderr);
    if !output.status.success() {
        bail!("{} failed under valgrind:\n{log}", program.display());
    }
    collected(&log).with_context(|| format!("no count in what valgrind said:\n{log}"))
}

/// The count in callgrind's last words: `==123== Collected : 456`.
fn collected(log: &str) -> Option<u64> {
    let count = log.lines().find_map(|line| line.split_once("Collected : "))?.1;
    count.trim().parse().ok()
}

fn read(path: &PathBuf) -> anyhow::Result<Figures> {
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    toml::from_str(&text).with_context(|| format!("{} is not in order", path.display()))
}

fn write(path: &PathBuf, counted: &Figures) -> anyhow::Result<()> {
    let head = "# Instructions as counted by callgrind. `cargo xtask instructions --update` writes them down anew.\n\n";
    let text = head.to_owned() + &toml::to_string(counted)?;
    std::fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))?;
    println!("instruction counts: written to {}", path.display());
    Ok(())
}

/// Prints each count with its change, and fails where one grew too much.
fn compare(committed: &Figures, counted: &Figures) -> anyhow::Result<()> {
    let mut too_many = Vec::new();
    for (name, count) in &counted.instructions {
        let Some(before) = committed.instructions.get(name) else {
            bail!("\"{name}\" has no committed count: run `cargo xtask instructions --update`");
        };
        let change = *count as f64 / *before as f64 - 1.0;
        println!("{name:<40} {count:>14} instructions, {:>+6.1} %", change * 100.0);
        if count * 100 > before * (100 + TOLERANCE) {
            too_many.push(name.as_str());
        }
    }
    if !too_many.is_empty() {
        bail!("over +{TOLERANCE} %: {}", too_many.join(", "));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figures(count: u64) -> Figures {
        Figures { instructions: BTreeMap::from([("a path".to_owned(), count)]) }
    }

    #[test]
    fn a_count_is_read_from_callgrinds_last_words() {
        let log = "==7== Events    : Ir\n==7== Collected : 8123456\n==7== \n";

        assert_eq!(collected(log), Some(8_123_456));
        assert_eq!(collected("==7== killed"), None);
    }

    #[test]
    fn a_tenth_more_is_let_pass_and_beyond_it_is_not() {
        assert!(compare(&figures(1000), &figures(1100)).is_ok());
        assert!(compare(&figures(1000), &figures(1101)).is_err());
        assert!(compare(&figures(1000), &figures(10)).is_ok());
    }

    #[test]
    fn a_count_without_a_committed_figure_fails() {
        assert!(compare(&Figures::default(), &figures(1)).is_err());
    }
}
