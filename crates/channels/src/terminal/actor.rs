//! The actor of the terminal.

mod session;

use chat::ToChannel;
use ractor::{Actor, ActorProcessingErr, ActorRef, SpawnErr, SupervisionEvent};
use tokio::sync::oneshot;

use super::client::{Prompter, Reading, Source, Told};
use super::{Arguments, Exit};
use session::Session;

struct TerminalActor;

/// What can happen to it.
#[derive(Debug)]
#[expect(clippy::large_enum_variant, reason = "a mailbox boxes its messages")]
pub(super) enum Message {
    /// Everybody knows it now; it may read.
    Start,
    /// It is told something.
    ToChannel(ToChannel),
    /// Something was read.
    Read(Reading),
    /// A person wants to interrupt.
    Interrupted,
    /// Pieces of text were held for long enough.
    Flush,
    /// A second has passed.
    Tick,
    /// All is written, or is not going to be.
    Drained,
    /// Nobody reads the output any more.
    OutputClosed,
}

impl From<ToChannel> for Message {
    fn from(told: ToChannel) -> Self {
        Self::ToChannel(told)
    }
}

impl TryFrom<Message> for ToChannel {
    type Error = &'static str;

    fn try_from(message: Message) -> Result<Self, Self::Error> {
        match message {
            Message::ToChannel(told) => Ok(told),
            _ => Err("not told by anybody"),
        }
    }
}

impl From<Told> for Message {
    fn from(told: Told) -> Self {
        match told {
            Told::Drained => Self::Drained,
            Told::OutputClosed => Self::OutputClosed,
        }
    }
}

/// What the actor is started with.
pub(super) struct Start {
    pub(super) arguments: Arguments,
    /// What is read, in place of what the arguments name, and how a line editor is spoken to.
    pub(super) input: (Source, Option<Prompter>),
    /// Told once, when it is time to leave.
    pub(super) tell_exit: oneshot::Sender<Exit>,
    /// Dropped by the thread that writes when it ends.
    pub(super) until_written: oneshot::Sender<()>,
}

/// Starts the actor.
pub(super) async fn spawn(start: Start) -> Result<ActorRef<Message>, SpawnErr> {
    let (actor, _) = Actor::spawn(None, TerminalActor, start).await?;
    Ok(actor)
}

impl Actor for TerminalActor {
    type Msg = Message;
    type State = Session;
    type Arguments = Start;

    async fn pre_start(&self, myself: ActorRef<Message>, start: Start) -> Result<Session, ActorProcessingErr> {
        Ok(Session::new(start, myself)?)
    }

    async fn handle(
        &self,
        _: ActorRef<Message>,
        message: Message,
        session: &mut Session,
    ) -> Result<(), ActorProcessingErr> {
        match message {
            Message::Start => session.start()?,
            Message::ToChannel(told) => session.told(told),
            Message::Read(reading) => session.read(reading),
            Message::Interrupted => session.interrupted(),
            Message::Flush => session.flush(),
            Message::Tick => session.tick(),
            Message::Drained => session.drained(),
            Message::OutputClosed => session.leave(Exit::OutputClosed),
        }
        Ok(())
    }

    async fn handle_supervisor_evt(
        &self,
        _: ActorRef<Message>,
        _: SupervisionEvent,
        _: &mut Session,
    ) -> Result<(), ActorProcessingErr> {
        Ok(())
    }
}
