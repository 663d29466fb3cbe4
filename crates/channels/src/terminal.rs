//! The terminal: standard input and output as a chat service.
//!
//! Layout: `actor` (what it does with what it is told), `dialogue` (what has no end yet, when to leave), `turns` (numbers, what
//! was said), `coalesce` (few pieces out of many), `decode` (bytes to lines), `render` (events to text), `screen`
//! (what is shown when), `neutral` (text that does
//! a terminal no harm), `client` (the threads that read and write).

mod actor;
mod client;
mod coalesce;
mod decode;
mod dialogue;
mod neutral;
mod render;
mod screen;
#[cfg(test)]
mod tests;
mod turns;

use std::path::PathBuf;

use chat::{Arrival, ConversationKey, Person, Receipt, ToChannel};
use ractor::{ActorRef, DerivedActorRef};
use tokio::sync::oneshot;
use tokio::time::{Duration, timeout};

pub use client::{Input, Streams};
pub use dialogue::Exit;

use actor::Message;
use client::{Source, TerminalModes};

/// How long leaving may take where nobody reads the output.
const LONGEST_FAREWELL: Duration = Duration::from_millis(300);

/// What a terminal is started with.
pub struct Arguments {
    /// The dialogue that takes place here.
    pub key: ConversationKey,
    /// Who writes.
    pub person: Person,
    /// Where messages go.
    pub intake: DerivedActorRef<Arrival>,
    /// Who is told what became of deliveries.
    pub delivery: DerivedActorRef<Receipt>,
    /// What is read.
    pub mode: Mode,
    /// How it is shown.
    pub output: Output,
    /// What a person may choose, and what their terminal can do.
    pub settings: Settings,
    /// What is read from and written to.
    pub streams: Streams,
}

/// What is read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Mode {
    /// A person at a prompt. What they write while a turn runs is added to it.
    Interactive,
    /// Lines, each a message, taken one after the other.
    Pipe,
    /// Just this message.
    Once(String),
}

/// How it is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Output {
    /// The answers to standard output, all else to standard error.
    Plain,
    /// One JSON object a line.
    Json,
    /// For a person, who reads while it is being written.
    Rich,
}

/// What a person may choose, and what their terminal can do.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    /// The file in which the line editor keeps what was typed; none is kept without.
    pub history: Option<PathBuf>,
    /// What the terminal can do.
    pub look: Look,
}

/// What a terminal can do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Look {
    /// It has looks, and they are wanted.
    pub styled: bool,
    /// Its cursor moves, so that rows can be written anew and lines edited.
    pub moves: bool,
}

impl Look {
    /// Reads the values of the variables `TERM` and `NO_COLOR`.
    #[must_use]
    pub fn of(term: Option<&str>, no_color: Option<&str>) -> Self {
        let moves = !matches!(term, None | Some("" | "dumb" | "cons25" | "emacs"));
        Self { styled: moves && no_color.is_none_or(str::is_empty), moves }
    }
}

/// A terminal that runs. Dropping it puts the terminal's modes back as they were, so drop it before the process ends.
#[derive(Debug)]
pub struct Terminal {
    actor: ActorRef<Message>,
    exit: oneshot::Receiver<Exit>,
    /// Resolves when the thread that writes has ended.
    written: oneshot::Receiver<()>,
    _modes: Option<TerminalModes>,
}

/// A terminal that cannot be started.
#[derive(Debug, thiserror::Error)]
pub enum TerminalError {
    /// Its actor did not start.
    #[error("the terminal's actor cannot be started")]
    Actor(#[from] ractor::SpawnErr),
    /// Its input cannot be read, or not by a line editor.
    #[error("the terminal's input cannot be used")]
    Input(#[source] std::io::Error),
}

/// Starts a terminal. It reads nothing before [`Terminal::start`].
///
/// # Errors
///
/// When a thread or the line editor cannot be started.
pub async fn spawn(mut arguments: Arguments) -> Result<Terminal, TerminalError> {
    let modes = TerminalModes::save().filter(|_| matches!(arguments.streams.input, Input::Editor));
    let input = std::mem::replace(&mut arguments.streams.input, Input::Lines(Box::new(std::io::empty())));
    let input = Source::new(input, &arguments.settings).map_err(TerminalError::Input)?;
    let (tell_exit, exit) = oneshot::channel();
    let (until_written, written) = oneshot::channel();
    let actor = actor::spawn(actor::Start { arguments, input, tell_exit, until_written }).await?;
    Ok(Terminal { actor, exit, written, _modes: modes })
}

impl Terminal {
    /// Where it is spoken to.
    #[must_use]
    pub fn to_channel(&self) -> DerivedActorRef<ToChannel> {
        self.actor.get_derived()
    }

    /// Begins to read, once everybody knows where this terminal is spoken to.
    pub fn start(&self) {
        // An actor that is gone has told so by its exit.
        let _ = self.actor.cast(Message::Start);
    }

    /// Waits until it is time to leave. All that was delivered by then is written and acknowledged. What is delivered later still
    /// is, until [`Terminal::stop`]; nothing is read any more.
    ///
    /// # Panics
    ///
    /// When it has been told before.
    pub async fn exit(&mut self) -> Exit {
        (&mut self.exit).await.unwrap_or(Exit::Broken)
    }

    /// Ends it, after what it was told by now is written, unless nobody reads that.
    pub async fn stop(self) {
        // An actor that is gone has nothing left to do.
        let _ = self.actor.drain_and_wait(Some(LONGEST_FAREWELL)).await;
        let _ = timeout(LONGEST_FAREWELL, self.written).await;
    }
}
