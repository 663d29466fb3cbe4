//! All that has to pass before a commit.

use crate::process::{cargo, run};

/// Runs each check, the quickest first, up to one that fails.
pub(crate) fn run_all() -> anyhow::Result<()> {
    run(&mut cargo(&["fmt", "--all", "--check"]))?;
    run(&mut cargo(&["clippy", "--workspace", "--all-targets", "--", "--deny", "warnings"]))?;
    run(&mut cargo(&["test", "--workspace"]))?;
    run(cargo(&["doc", "--workspace", "--no-deps"]).env("RUSTDOCFLAGS", "--deny warnings"))
}
