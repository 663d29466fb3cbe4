//! The house's own tool.
//!
//! # Layout
//!
//! - `check`: all that has to pass before a commit
//! - `instructions`: the guard of instruction counts
//! - `crash`: kills at random moments
//! - `bench`: figures of the whole system as ratios to a floor
//! - `process`: running other programs
//!
//! # Never
//!
//! Is part of what is shipped.

mod bench;
mod check;
mod crash;
mod instructions;
mod process;

use clap::{Parser, Subcommand};

/// Checks, figures and guards of the house.
#[derive(Parser)]
#[command(bin_name = "cargo xtask")]
struct Arguments {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Run all that has to pass before a commit: format, lints, tests, documentation
    Check,
    /// Count the instructions of hot paths and compare with the committed figures
    Instructions(instructions::Options),
    /// Measure the whole system against a bare client and print ratios
    Bench(bench::Options),
    /// Kill the program at random moments of turns, and check that nothing was lost or done twice
    Crash(crash::Options),
    /// Be the bare client that `bench` compares with
    #[command(hide = true)]
    BenchFloor(bench::floor::Options),
}

fn main() -> anyhow::Result<()> {
    match Arguments::parse().task {
        Task::Check => check::run_all(),
        Task::Instructions(options) => instructions::run(&options),
        Task::Crash(options) => crash::run_test(&options),
        Task::Bench(options) => bench::run(&options),
        Task::BenchFloor(options) => bench::floor::run(&options),
    }
}
