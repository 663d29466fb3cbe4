//! Figures of the whole system as ratios to a floor, measured in one run. Nothing is asserted.
//!
//! The floor is a bare client that makes the same HTTP requests, byte for byte, and one synced commit to SQLite on the same disk
//! per turn. Both are driven in the same way: a line in, and when its turn is finished the next. The model server is a
//! process of its own, whose CPU is counted for neither.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use anyhow::Context;
use clap::Args;

use crate::process::{build, root};

mod driver;
mod figures;
pub(crate) mod floor;
mod scenario;
mod server;

use driver::Run;
use figures::Figures;
use scenario::SCENARIOS;
use server::{Script, Server};

/// How much is measured.
#[derive(Args)]
pub(crate) struct Options {
    /// Turns in one conversation
    #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(u32).range(2..))]
    turns: u32,
    /// Conversations, each in a process and with a ledger of its own
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..))]
    rounds: u32,
    /// Bytes of text in an answer
    #[arg(long, default_value_t = 400)]
    answer_bytes: u32,
    /// How often each of the longer scenarios is measured; 0 leaves them out
    #[arg(long, default_value_t = 3)]
    long_rounds: u32,
}

/// Builds, measures and prints.
pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    let programs = build(&["cowhand", "scripted-model"])?;
    let target = root().join("target");
    let folder = tempfile::Builder::new().prefix("bench-").tempdir_in(&target).context("a folder for the bench")?;
    let bodies = folder.path().join("bodies.jsonl");

    let script = Script { answer_bytes: options.answer_bytes, tool_steps: 0 };
    let recorder = Server::start(&programs, script, Some(&bodies))?;
    candidate(&programs, &recorder, &folder.path().join("recorded"), options.turns, 0)?;
    recorder.stop()?;

    let server = Server::start(&programs, script, None)?;
    let mut figures = Figures::default();
    for round in 0..options.rounds {
        let data = |name: &str| folder.path().join(format!("{name}-{round}"));
        // One turn alone tells what starting costs; the rest is the price of turns.
        figures.candidate.start.push(candidate(&programs, &server, &data("first"), 1, 0)?);
        figures.candidate.turns.push(candidate(&programs, &server, &data("turns"), options.turns, 0)?);
        figures.floor.start.push(floor(
            &server,
            &Requests { bodies: &bodies, of_a_turn: 1 },
            &data("floor-first"),
            1,
            0,
        )?);
        figures.floor.turns.push(floor(
            &server,
            &Requests { bodies: &bodies, of_a_turn: 1 },
            &data("floor-turns"),
            options.turns,
            0,
        )?);
        eprintln!("round {} of {}", round + 1, options.rounds);
    }
    server.stop()?;
    print!("{}", figures.table());
    let scenarios = SCENARIOS.iter().filter(|_| options.long_rounds > 0);
    for scenario in scenarios {
        print!("{}", scenario.measure(&programs, folder.path(), options)?);
    }
    Ok(())
}

/// The real binary with its ledger in this folder.
fn candidate(programs: &Path, server: &Server, data: &Path, turns: u32, earlier: u32) -> anyhow::Result<Run> {
    let workspace = data.with_extension("workspace");
    std::fs::create_dir_all(&workspace).context("a folder to chat in")?;
    let mut command = Command::new(programs.join("cowhand"));
    command
        .arg("--data-dir")
        .arg(data)
        .args(["chat", "--json", "--model", "openai/bench", "--workspace"])
        .arg(&workspace)
        // Nobody's own settings take part.
        .env("HOME", &workspace)
        .env("XDG_CONFIG_HOME", &workspace)
        .env("OPENAI_BASE_URL", server.url())
        .env("OPENAI_API_KEY", server.key())
        // The whole history is sent, as the floor does.
        .env("COWHAND__CONVERSATIONS__CONTEXT_TURNS", "100000")
        .env("COWHAND__CONVERSATIONS__CONTEXT_TOKENS", "100000000");
    driver::drive(&mut command, turns, earlier)
}

/// What the bare client sends.
struct Requests<'a> {
    /// The bodies, a line each.
    bodies: &'a Path,
    of_a_turn: u32,
}

/// The bare client with its database in this place.
fn floor(server: &Server, requests: &Requests<'_>, data: &Path, turns: u32, earlier: u32) -> anyhow::Result<Run> {
    let mut command = Command::new(std::env::current_exe().context("where this program is")?);
    command
        .args(["bench-floor", "--url", server.url(), "--key", server.key()])
        .args(["--requests", &requests.of_a_turn.to_string(), "--bodies"])
        .arg(requests.bodies)
        .arg("--database")
        .arg(data.with_extension("db"));
    driver::drive(&mut command, turns, earlier)
}

/// Milliseconds with two places.
fn ms(time: Duration) -> String {
    format!("{:.2}", time.as_secs_f64() * 1000.0)
}
