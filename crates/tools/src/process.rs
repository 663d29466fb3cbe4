//! Runs a program so that nothing of it outlives the call.
//!
//! Every command runs under a runner, which is Cowhand's own binary started anew. Cowhand tells it what to run, and by closing a socket
//! that it shall end; the runner finds all that came of the command, wherever that has detached itself to, and tells when nothing is
//! left. Should Cowhand itself be killed the socket closes too.

mod capture;
mod environment;
mod output;
mod plain_text;
mod protocol;
mod runner;
mod running;
mod spool;
mod stream;
mod table;

use std::io;
use std::panic;
use std::process::ExitStatus;
use std::time::Duration;

use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

pub(crate) use self::capture::Capture;
pub(crate) use self::environment::environment;
use self::output::Output;
pub use self::protocol::RunnerProgram;
pub(crate) use self::protocol::{Launch, Order};
pub use self::runner::serve_runner;
#[cfg(test)]
pub(crate) use self::runner::tests::this_test_binary;
pub(crate) use self::running::Running;
pub(crate) use self::stream::Stream;
use crate::ToolContext;

/// How long output is waited for once the program itself is done, for what it started may be about to finish (`> >(tee log)`).
/// Whatever holds its output open for longer is left over from it.
pub(crate) const LAST_WORDS: Duration = Duration::from_millis(300);

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
#[derive(Clone, Debug)]
pub(crate) enum Ending {
    /// By itself.
    Exited(ExitStatus),
    /// Its time was up.
    TimedOut,
    /// It was no longer wanted.
    Cancelled,
    /// Before it began, for this reason.
    NotStarted(String),
    /// Its runner was ended by somebody else.
    Lost,
}

/// Runs a program to its end, without input; its output and errors are taken together, in the order in which they are written.
///
/// It ends within the time or when the context is cancelled, and comes back when all that it started is gone. Dropping the future
/// has the same done behind it.
pub(crate) async fn run(order: Order, context: &ToolContext) -> io::Result<Finished> {
    let (stream, writer) = Stream::new()?;
    let output = Output::new(stream, context.progress.clone());
    let stop = context.cancelled.child_token();
    let _stops_when_dropped = stop.clone().drop_guard();
    let attended = tokio::spawn(async move {
        let running = Running::start(&order, writer).await?;
        Ok(attend(running, output, stop).await)
    });
    match attended.await {
        Ok(Ok(Finished { ending: Ending::NotStarted(reason), .. })) => Err(io::Error::other(reason)),
        Ok(finished) => finished,
        Err(error) if error.is_panic() => panic::resume_unwind(error.into_panic()),
        Err(_) => Err(io::Error::other("it was ended, for the bot is going down")),
    }
}

/// Stays with a program until nothing of it is left.
async fn attend(mut running: Running, mut output: Output, stop: CancellationToken) -> Finished {
    let began = Instant::now();
    let ending = output.read_while(await_ending(&mut running, &stop)).await;
    let ran = began.elapsed();
    if matches!(ending, Ending::Exited(_)) {
        output.read_to_end(LAST_WORDS).await;
    }
    let ended = output.read_while(running.end()).await;
    output.read_to_end(REST).await;
    Finished { ending, ran, output: output.finish().await, left_over: ended.left_over, survivors: ended.survivors }
}

async fn await_ending(running: &mut Running, stop: &CancellationToken) -> Ending {
    tokio::select! {
        biased;
        ending = running.happens() => ending,
        () = stop.cancelled() => Ending::Cancelled,
    }
}

#[cfg(test)]
pub(crate) mod tests;
