//! Running other programs.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, bail};

/// Cargo, in the root of the workspace.
pub(crate) fn cargo(arguments: &[&str]) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(arguments).current_dir(root());
    command
}

/// Runs a program to its end and shows what it is.
pub(crate) fn run(command: &mut Command) -> anyhow::Result<()> {
    let shown = shown(command);
    eprintln!("$ {shown}");
    let status = command.status().with_context(|| format!("cannot run {shown}"))?;
    if !status.success() {
        bail!("{shown}: {status}");
    }
    Ok(())
}

fn shown(command: &Command) -> String {
    let program = Path::new(command.get_program());
    let name = program.file_name().unwrap_or(program.as_os_str()).to_string_lossy();
    let arguments = command.get_args().map(|argument| argument.to_string_lossy());
    std::iter::once(name).chain(arguments).collect::<Vec<_>>().join(" ")
}

/// The folder of the workspace.
pub(crate) fn root() -> PathBuf {
    let xtask = Path::new(env!("CARGO_MANIFEST_DIR"));
    xtask.ancestors().nth(2).expect("the package lies two folders below the root").to_owned()
}

/// Builds programs of the workspace and gives the folder they are in. No package is named: so cargo uses the features of all of
/// them together, and nothing is compiled twice.
pub(crate) fn build(programs: &[&str]) -> anyhow::Result<PathBuf> {
    let mut command = cargo(&["build", "--quiet"]);
    for program in programs {
        command.args(["--bin", program]);
    }
    run(&mut command)?;
    let own = std::env::current_exe().context("where this program is")?;
    let folder = own.parent().context("a program is in a folder")?;
    Ok(folder.to_owned())
}
