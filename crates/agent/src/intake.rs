//! The door in: what arrived is checked, read as a command or not, and written into the inbox before anything else happens to it.

use chat::command::Parsed;
use chat::{Arrival, Command, Inbound, RefusalReason, ToChannel};
use jiff::ZonedDateTime;
use ractor::{Actor, ActorProcessingErr, ActorRef, SupervisionEvent};
use store::{Answered, InboxEnd, Ledger, Operation, WriteError, Written};
use tracing::{debug, error, warn};

use crate::delivery::DeliveryMessage;
use crate::incoming::Incoming;
use crate::supervisor::SupervisorMessage;
use crate::wording;

/// The longest text that is taken, in bytes: about what the largest model window holds.
pub(crate) const LONGEST_TEXT: usize = 1 << 20;

/// The actor that takes in what arrives.
pub(crate) struct Intake;

/// What can happen to it.
pub(crate) enum IntakeMessage {
    /// A channel hands something in.
    Arrived(Arrival),
    /// The inbox row is on disk, or is not.
    Stored { inbound: Inbound, at: ZonedDateTime, written: Result<Written, WriteError> },
    /// No more messages are taken.
    Close,
}

impl From<Arrival> for IntakeMessage {
    fn from(arrival: Arrival) -> Self {
        Self::Arrived(arrival)
    }
}

impl TryFrom<IntakeMessage> for Arrival {
    type Error = &'static str;

    fn try_from(message: IntakeMessage) -> Result<Self, Self::Error> {
        match message {
            IntakeMessage::Arrived(arrival) => Ok(arrival),
            _ => Err("not an arrival"),
        }
    }
}

/// What it knows.
pub(crate) struct IntakeState {
    pub(crate) ledger: Ledger,
    pub(crate) supervisor: ActorRef<SupervisorMessage>,
    pub(crate) delivery: ActorRef<DeliveryMessage>,
    pub(crate) closed: bool,
}

impl Actor for Intake {
    type Msg = IntakeMessage;
    type State = IntakeState;
    type Arguments = IntakeState;

    async fn pre_start(&self, _: ActorRef<Self::Msg>, state: IntakeState) -> Result<Self::State, ActorProcessingErr> {
        Ok(state)
    }

    async fn handle(
        &self,
        myself: ActorRef<Self::Msg>,
        message: Self::Msg,
        state: &mut Self::State,
    ) -> Result<(), ActorProcessingErr> {
        match message {
            IntakeMessage::Arrived(Arrival::Message(inbound)) => state.take(inbound, &myself),
            // What only chat services have comes with them.
            IntakeMessage::Arrived(_) => debug!("nothing is done with this arrival"),
            IntakeMessage::Stored { inbound, at, written } => state.stored(inbound, at, written),
            IntakeMessage::Close => state.closed = true,
        }
        Ok(())
    }

    async fn handle_supervisor_evt(
        &self,
        _: ActorRef<Self::Msg>,
        _: SupervisionEvent,
        _: &mut Self::State,
    ) -> Result<(), ActorProcessingErr> {
        Ok(())
    }
}

impl IntakeState {
    fn take(&self, inbound: Inbound, myself: &ActorRef<IntakeMessage>) {
        if self.closed {
            return self.refuse(&inbound, RefusalReason::ShuttingDown);
        }
        if inbound.text.len() > LONGEST_TEXT {
            return self.refuse(&inbound, RefusalReason::TooLarge);
        }
        let at = ZonedDateTime::now();
        let myself = myself.clone();
        self.ledger.write(Operation::Accept(inbound.clone()), move |written| {
            // A closed mailbox means that the process goes down: the row is on disk and is found at the next start.
            let _ = myself.cast(IntakeMessage::Stored { inbound, at, written });
        });
    }

    fn stored(&self, inbound: Inbound, at: ZonedDateTime, written: Result<Written, WriteError>) {
        match written {
            Ok(Written::Accepted { inbox, fresh }) => {
                self.say(ToChannel::Accepted { key: inbound.key.clone(), id: inbound.id.clone() });
                if fresh {
                    self.forward(Incoming { inbox, inbound, command: None, at, is_recovered: false });
                }
            }
            Ok(_) => error!("the ledger answered another question"),
            Err(cause) => {
                error!(error = %cause, "a message could not be stored");
                let is_full = cause.is_disk_full();
                self.refuse(&inbound, if is_full { RefusalReason::DiskFull } else { RefusalReason::Storage });
            }
        }
    }

    fn forward(&self, mut incoming: Incoming) {
        let language = incoming.language();
        match Command::parse(&incoming.inbound.text) {
            Parsed::Text => {}
            Parsed::Command(command) => incoming.command = Some(command),
            Parsed::Unknown { name, nearest } => {
                return self.answer(&incoming, wording::unknown_command(language, &name, nearest));
            }
            Parsed::Reserved(name) => return self.answer(&incoming, wording::reserved_command(language, name)),
        }
        if self.supervisor.cast(SupervisorMessage::Incoming(incoming)).is_err() {
            warn!("a message came while the bot goes down; it waits in the inbox");
        }
    }

    fn answer(&self, incoming: &Incoming, text: String) {
        let end = InboxEnd::Answered(Answered::Command);
        self.ledger.write(Operation::EndInbox { inbox: incoming.inbox, end }, |written| match written {
            // A conversation that was just being read has ended it.
            Ok(_) | Err(WriteError::Conflict { .. }) => {}
            Err(error) => warn!(%error, "the end of a command is not on disk"),
        });
        let Inbound { key, id, .. } = incoming.inbound.clone();
        self.say(ToChannel::CommandAnswered { key, id, text });
    }

    fn refuse(&self, inbound: &Inbound, reason: RefusalReason) {
        let text = wording::refused(inbound.person.language, reason);
        self.say(ToChannel::Refused { key: inbound.key.clone(), id: inbound.id.clone(), reason, text });
    }

    fn say(&self, told: ToChannel) {
        // Delivery ends only with the process.
        let _ = self.delivery.cast(DeliveryMessage::Say(told));
    }
}
