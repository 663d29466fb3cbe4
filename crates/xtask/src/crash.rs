//! Kills the real program at random moments, many times.

use clap::Args;

use crate::process::{cargo, run};

/// How to kill.
#[derive(Args)]
pub(crate) struct Options {
    /// How often
    #[arg(long, default_value_t = 200)]
    kills: u32,
    /// Where the random moments begin; the same number gives the same moments
    #[arg(long)]
    seed: Option<u64>,
}

/// Runs the test of random kills as often as asked; it prints its seed and what it counted.
pub(crate) fn run_test(options: &Options) -> anyhow::Result<()> {
    let mut test = cargo(&["test", "--package", "daemon", "--test", "tests", "--", "--nocapture", "crash::random"]);
    test.env("COWHAND_KILLS", options.kills.to_string());
    if let Some(seed) = options.seed {
        test.env("COWHAND_SEED", seed.to_string());
    }
    run(&mut test)
}
