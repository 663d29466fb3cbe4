//! Runs a program so that nothing of it outlives the call.
//!
//! A program gets a process group of its own and a mark in its environment. What it starts is found by the group, by descent and by
//! the mark, which what detaches itself still carries; so all of it can be ended, unless a program takes another group, lets its
//! parent die and clears its environment as well. Where Cowhand is process 1 of a container, orphans become its children, and those
//! of a call are reaped with it.

mod capture;
mod environment;
mod family;
mod output;
mod spool;
mod table;
mod tree;

use std::io;
use std::panic;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use tokio::net::unix::pipe;
use tokio::process::Command;
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;

pub(crate) use self::environment::environment;
use self::output::Output;
use self::tree::Tree;
use crate::ToolContext;

/// How long output is waited for once the program itself is done, for what it started may be about to finish (`> >(tee log)`).
/// Whatever holds its output open for longer is left over from it.
const LAST_WORDS: Duration = Duration::from_millis(300);

/// How long output is waited for once all of it is gone. What is written is there then; only a stranger could hold it open.
const REST: Duration = Duration::from_secs(2);

/// A program that has run, and of which nothing runs any more.
pub(crate) struct Finished {
    /// How it came to its end.
    pub(crate) ending: Ending,
    /// How long it ran.
    pub(crate) ran: Duration,
    /// What it wrote, as it is to be shown.
    pub(crate) output: String,
    /// Names of what still ran when the program itself was done, and was ended.
    pub(crate) left_over: Vec<String>,
    /// Ids of what could not be ended.
    pub(crate) survivors: Vec<i32>,
}

/// How a program came to its end.
#[derive(Debug)]
pub(crate) enum Ending {
    /// By itself.
    Exited(ExitStatus),
    /// Its time was up.
    TimedOut,
    /// It was no longer wanted.
    Cancelled,
    /// It was stopped by the system, for it wanted something of a terminal.
    WantsTerminal,
    /// In a way that could not be learnt.
    Unknown(io::Error),
}

/// Runs a program to its end, without input; its output and errors are taken together, in the order in which they are written.
///
/// It ends within the time or when the context is cancelled, and comes back when all that it started is gone. Dropping the future
/// has the same done behind it.
pub(crate) async fn run(mut command: Command, time: Duration, context: &ToolContext) -> io::Result<Finished> {
    let (reader, writer) = io::pipe()?;
    command.stdin(Stdio::null()).stdout(writer.try_clone()?).stderr(writer);
    let output = Output::new(pipe::Receiver::from_owned_fd(reader.into())?, context.progress.clone());
    let tree = Tree::spawn(command)?;
    let stop = context.cancelled.child_token();
    let _stops_when_dropped = stop.clone().drop_guard();
    match tokio::spawn(attend(tree, output, time, stop)).await {
        Ok(finished) => Ok(finished),
        Err(error) if error.is_panic() => panic::resume_unwind(error.into_panic()),
        Err(_) => Err(io::Error::other("it was ended, for the bot is going down")),
    }
}

/// Stays with a program until nothing of it is left.
async fn attend(mut tree: Tree, mut output: Output, time: Duration, stop: CancellationToken) -> Finished {
    let began = Instant::now();
    let ending = output.read_while(await_ending(&mut tree, time, &stop)).await;
    let ran = began.elapsed();
    if matches!(ending, Ending::Exited(_)) {
        output.read_to_end(LAST_WORDS).await;
    }
    let ended = output.read_while(tree.end()).await;
    output.read_to_end(REST).await;
    Finished { ending, ran, output: output.finish().await, left_over: ended.found, survivors: ended.survivors }
}

async fn await_ending(tree: &mut Tree, time: Duration, stop: &CancellationToken) -> Ending {
    let stopped = tree.stopped_by_terminal();
    tokio::select! {
        biased;
        status = tree.wait() => status.map_or_else(Ending::Unknown, Ending::Exited),
        () = stop.cancelled() => Ending::Cancelled,
        () = sleep(time) => Ending::TimedOut,
        () = stopped => Ending::WantsTerminal,
    }
}

#[cfg(test)]
mod tests;
