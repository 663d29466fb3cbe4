//! Cowhand, a chat-bot daemon: the binary `cowhand`.
//!
//! # Layout
//!
//! - [`cli`], [`help`]: the command line and its long texts
//! - [`environment`], [`paths`], [`settings`]: what the process starts from
//! - [`command`]: one file per command
//! - [`control`]: the socket on which commands talk to the bot that runs
//! - [`guard`]: what it knows of secrets
//! - [`logging`], [`exit`]: the log, and how the process ends
//!
//! # Never
//!
//! Holds a rule of a conversation. It alone reads configuration.

mod cli;
mod command;
mod control;
mod environment;
mod exit;
mod guard;
mod help;
mod logging;
mod paths;
mod settings;

use std::process::ExitCode;

fn main() -> ExitCode {
    if let Some(code) = tools::serve_runner(std::env::args_os()) {
        return code;
    }
    match cli::Cli::read(std::env::args_os()) {
        Ok(cli) => command::run(cli, &environment::Environment::of_process()),
        Err(message) => {
            // Nobody is there to read it when this fails.
            let _ = message.print();
            u8::try_from(message.exit_code()).map_or(exit::Exit::Usage.into(), ExitCode::from)
        }
    }
}
