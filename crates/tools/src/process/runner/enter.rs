//! The stage that becomes the command: it confines itself, then its program is replaced.

use std::convert::Infallible;
use std::ffi::OsStr;
use std::fs;
use std::io::{self, Write};
use std::os::fd::{AsFd, AsRawFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::process::{Command, ExitCode, Stdio};

use nix::sys::signal::SigSet;
use rustix::process::{Signal, set_parent_process_death_signal};

use crate::process::protocol::Launch;

/// Becomes the command. Comes back only where that fails, having told why.
pub(super) fn enter(launch: &Launch, mut socket: UnixStream) -> ExitCode {
    let Err(error) = confine(launch, &socket).and_then(|()| replace(launch));
    // That nobody listens any more changes nothing.
    let _ = write!(socket, "{error}");
    ExitCode::FAILURE
}

fn confine(launch: &Launch, socket: &UnixStream) -> io::Result<()> {
    // Should the runner be killed, then the command at least goes with it.
    set_parent_process_death_signal(Some(Signal::KILL))?;
    close_all_but(socket)?;
    // The runner holds all signals back, which would be handed on.
    SigSet::empty().thread_set_mask()?;
    launch.plan.enter().map_err(|error| io::Error::other(format!("the command could not be confined: {error}")))
}

fn replace(launch: &Launch) -> io::Result<Infallible> {
    let mut command = Command::new(&launch.program);
    command.args(&launch.arguments).current_dir(&launch.folder);
    command.env_clear().envs(launch.environment.iter().map(|(name, value)| (name, value)));
    command.process_group(0).stdin(Stdio::null()).stdout(io::stderr().as_fd().try_clone_to_owned()?);
    Err(command.exec())
}

/// Closes what was open in whoever started Cowhand and came down to here. What Cowhand opens itself closes by itself.
fn close_all_but(socket: &UnixStream) -> io::Result<()> {
    let open: Vec<i32> = fs::read_dir("/proc/self/fd")?.flatten().filter_map(|it| number(&it.file_name())).collect();
    for number in open.into_iter().filter(|number| *number > 2 && *number != socket.as_raw_fd()) {
        // The list itself was open too, and is not any more.
        let _ = nix::unistd::close(number);
    }
    Ok(())
}

fn number(name: &OsStr) -> Option<i32> {
    name.to_str()?.parse().ok()
}
