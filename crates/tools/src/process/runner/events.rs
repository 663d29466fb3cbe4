//! What can happen to a runner. A thread each waits for one kind of it, so that nothing is polled.

use std::io::Read;
use std::os::unix::net::UnixStream;
use std::sync::mpsc::Sender;
use std::thread;

use rustix::io::Errno;
use rustix::process::{WaitOptions, wait};

/// What can happen to a runner.
pub(super) enum Event {
    /// The command runs, or could not be started for this reason.
    Entered(Result<(), String>),
    /// This child has ended with this status, and is reaped.
    Ended { id: i32, status: i32 },
    /// There is no child any more, hence no descendant.
    AllGone,
    /// The command is to be ended, or Cowhand is no more.
    EndWanted,
    /// The time has come that was set.
    Due,
}

/// Waits until the stage that becomes the command has done so, then reaps until there is nothing to reap.
pub(super) fn reap(entry: UnixStream, events: Sender<Event>) {
    thread::spawn(move || {
        let _ = events.send(Event::Entered(entered(entry)));
        loop {
            let event = match wait(WaitOptions::empty()) {
                Ok(Some((id, status))) => Event::Ended { id: id.as_raw_pid(), status: status.as_raw() },
                Ok(None) | Err(Errno::INTR) => continue,
                Err(_) => Event::AllGone,
            };
            let is_last = matches!(event, Event::AllGone);
            if events.send(event).is_err() || is_last {
                return;
            }
        }
    });
}

/// The stage says why it failed; the socket of one that became the command is closed without a word.
fn entered(mut entry: UnixStream) -> Result<(), String> {
    let mut reason = String::new();
    match entry.read_to_string(&mut reason) {
        Ok(0) => Ok(()),
        Ok(_) => Err(reason),
        Err(error) => Err(error.to_string()),
    }
}

/// Waits for the end of what Cowhand has to say.
pub(super) fn listen(mut socket: UnixStream, events: Sender<Event>) {
    thread::spawn(move || {
        let mut block = [0; 64];
        while matches!(socket.read(&mut block), Ok(1..)) {}
        let _ = events.send(Event::EndWanted);
    });
}
