//! The program that a command runs under, and the stage that becomes the command.
//!
//! The runner is Cowhand's own binary, started anew with an empty environment. Whatever descends from it and loses its parent becomes
//! its child, wherever it has detached itself to; so a runner without children has no descendants, and that is when it says that
//! nothing is left.

mod descendants;
mod enter;
mod events;
mod watch;

use std::ffi::OsString;
use std::io::{self, BufRead, BufReader};
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::process::ExitCode;

pub(super) use self::descendants::signal;
use self::watch::Watch;
use super::protocol::{ARGUMENT, Stage};

/// Serves as the runner of a command, where the arguments of this process say so; the process is then to end with this code.
///
/// To be called first of all: it starts threads and changes what signals do.
pub fn serve_runner(mut arguments: impl Iterator<Item = OsString>) -> Option<ExitCode> {
    (arguments.nth(1)? == ARGUMENT).then(serve)
}

/// Serves as what standard input asks for.
pub(super) fn serve() -> ExitCode {
    match read_stage() {
        Ok((Stage::Run(order), socket)) => match Watch::begin(&order, socket) {
            Ok(watch) => watch.attend(),
            // Whoever started this reads of the end of the socket that there is no runner.
            Err(_) => ExitCode::FAILURE,
        },
        Ok((Stage::Enter(launch), socket)) => enter::enter(&launch, socket),
        Err(error) => {
            eprintln!("cowhand: {ARGUMENT} is how Cowhand itself runs commands; it is of no use by hand ({error})");
            ExitCode::from(64)
        }
    }
}

fn read_stage() -> io::Result<(Stage, UnixStream)> {
    let socket = UnixStream::from(io::stdin().as_fd().try_clone_to_owned()?);
    let mut line = String::new();
    // Nothing is sent behind the line, so that nothing is lost with the buffer.
    BufReader::new(&socket).read_line(&mut line)?;
    Ok((serde_json::from_str(&line)?, socket))
}

#[cfg(test)]
pub(crate) mod tests;
