//! The door in: who may talk, what arrived, read as a command or not, and written into the inbox before anything else happens to it.

mod commands;
mod liveness;
mod media;
mod overheard;
mod owner;
mod presses;
mod strangers;
mod text;

use std::collections::{BTreeMap, HashMap};

use chat::command::Parsed;
use chat::{Arrival, ChannelName, Command, ConversationKey, Inbound, InboxId, PersonRole, RefusalReason, ToChannel};
use jiff::ZonedDateTime;
use ractor::{Actor, ActorProcessingErr, ActorRef, SupervisionEvent};
use store::{AccessChange, Answered, Grant, InboxEnd, Ledger, Operation, WriteError, Written, test_point};
use tokio::sync::{mpsc, oneshot};
use tracing::{error, warn};

use self::liveness::Liveness;
pub use self::liveness::{ChannelLine, ChannelStatus};
use self::media::Held;
use self::overheard::Overheard;
use crate::access::{Access, ChannelAccess};
use crate::delivery::DeliveryMessage;
use crate::incoming::Incoming;
use crate::supervisor::{SupervisorMessage, Word};
use crate::wording;

/// The longest text that is taken, in bytes: about what the largest model window holds.
pub(crate) const LONGEST_TEXT: usize = 1 << 20;

/// Whether a text is a command that intake carries out itself.
pub(crate) fn answers(text: &str) -> bool {
    commands::read(text).is_some()
}

/// The actor that takes in what arrives.
pub(crate) struct Intake;

/// What can happen to it.
pub(crate) enum IntakeMessage {
    /// A channel hands something in.
    Arrived(Arrival),
    /// The inbox row is on disk, or is not.
    Stored { inbound: Inbound, at: ZonedDateTime, written: Result<Written, WriteError> },
    /// A change of who may talk is on disk, or is not; what is said then.
    Changed { written: Result<Written, WriteError>, inbound: Option<Inbound>, then: Vec<ToChannel> },
    /// A picture has waited for its question for long enough.
    PictureWaited(InboxId),
    /// Who may talk by the settings, from now on.
    Configure(BTreeMap<ChannelName, ChannelAccess>),
    /// Somebody wants to know by which code a channel gets its owner.
    OwnerCode { channel: ChannelName, tell: oneshot::Sender<Option<String>> },
    /// Whoever has this code is let in.
    Pair { code: String, role: PersonRole, tell: oneshot::Sender<Option<Grant>> },
    /// A channel is there from now on, whether it is heard of or not.
    Expect(ChannelName),
    /// Somebody wants to know what happens to channels.
    Watch(mpsc::UnboundedSender<ChannelLine>),
    /// Somebody wants to know how channels fare.
    Channels(oneshot::Sender<Vec<ChannelStatus>>),
    /// It is time to look whether a channel is deaf.
    Tick,
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

/// What it starts with.
pub(crate) struct IntakeArguments {
    pub(crate) ledger: Ledger,
    pub(crate) supervisor: ActorRef<SupervisorMessage>,
    pub(crate) delivery: ActorRef<DeliveryMessage>,
    pub(crate) settings: crate::Settings,
}

/// What it knows.
pub(crate) struct IntakeState {
    myself: ActorRef<IntakeMessage>,
    ledger: Ledger,
    supervisor: ActorRef<SupervisorMessage>,
    delivery: ActorRef<DeliveryMessage>,
    settings: crate::Settings,
    access: Access,
    held: Held,
    overheard: Overheard,
    liveness: Liveness,
    /// Chats that go on under another id, by channel, bot and old id.
    moved: HashMap<(ChannelName, String, String), String>,
    closed: bool,
}

impl Actor for Intake {
    type Msg = IntakeMessage;
    type State = IntakeState;
    type Arguments = IntakeArguments;

    async fn pre_start(
        &self,
        myself: ActorRef<Self::Msg>,
        arguments: IntakeArguments,
    ) -> Result<Self::State, ActorProcessingErr> {
        let IntakeArguments { ledger, supervisor, delivery, settings } = arguments;
        let reader = ledger.clone();
        let stored = tokio::task::spawn_blocking(move || reader.access()).await??;
        let mut access = Access::default();
        access.restore(stored);
        Ok(IntakeState {
            myself,
            ledger,
            supervisor,
            delivery,
            settings,
            access,
            held: Held::default(),
            overheard: Overheard::default(),
            liveness: Liveness::default(),
            moved: HashMap::new(),
            closed: false,
        })
    }

    async fn handle(
        &self,
        _: ActorRef<Self::Msg>,
        message: Self::Msg,
        state: &mut Self::State,
    ) -> Result<(), ActorProcessingErr> {
        match message {
            IntakeMessage::Arrived(arrival) => state.arrived(arrival),
            IntakeMessage::Stored { inbound, at, written } => state.stored(inbound, at, written),
            IntakeMessage::Changed { written, inbound, then } => state.changed(written, inbound.as_ref(), then),
            IntakeMessage::PictureWaited(inbox) => state.picture_waited(inbox),
            IntakeMessage::Configure(settings) => state.access.configure(settings),
            IntakeMessage::OwnerCode { channel, tell } => _ = tell.send(state.access.owner_code(&channel)),
            IntakeMessage::Pair { code, role, tell } => _ = tell.send(state.pair(&code, role)),
            IntakeMessage::Expect(channel) => state.expect(channel),
            IntakeMessage::Watch(watcher) => state.liveness.watch(watcher),
            IntakeMessage::Channels(tell) => _ = tell.send(state.liveness.status()),
            IntakeMessage::Tick => state.tick(),
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
    fn arrived(&mut self, arrival: Arrival) {
        match arrival {
            Arrival::Message(inbound) => self.take(inbound),
            Arrival::Edited(inbound) => self.take_edit(inbound),
            Arrival::Deleted { key, id } => self.deleted(self.key_of_today(key), id),
            Arrival::Pressed(press) => self.pressed(press),
            Arrival::Moved { from, chat } => self.chat_moved(from, chat),
            Arrival::Channel { channel, news } => self.heard_of(channel, news),
        }
    }

    fn take(&mut self, mut inbound: Inbound) {
        inbound.key = self.key_of_today(inbound.key);
        if self.closed {
            return self.refuse(&inbound, RefusalReason::ShuttingDown);
        }
        if inbound.text.len() > LONGEST_TEXT {
            return self.refuse(&inbound, RefusalReason::TooLarge);
        }
        // Where everybody is the owner, the adapter says so.
        if inbound.person.role == PersonRole::Stranger {
            return self.admit(inbound);
        }
        self.accept(inbound);
    }

    fn take_edit(&mut self, mut inbound: Inbound) {
        inbound.key = self.key_of_today(inbound.key);
        let role = self.access.role_here(&inbound.key, &inbound.person.id, inbound.place);
        let is_meant = inbound.place != chat::Place::Group { addressed: false };
        match (role, inbound.edit) {
            (Some(role), Some(_)) if is_meant && !self.closed && inbound.text.len() <= LONGEST_TEXT => {
                inbound.person.role = role;
                inbound.text = text::for_model(&inbound);
                self.accept(inbound);
            }
            _ => self.ignore(&inbound),
        }
    }

    fn accept(&self, inbound: Inbound) {
        let at = ZonedDateTime::now();
        let myself = self.myself.clone();
        self.ledger.write(Operation::Accept(inbound.clone()), move |written| {
            test_point("inbox_committed");
            // A closed mailbox means that the process goes down: the row is on disk and is found at the next start.
            let _ = myself.cast(IntakeMessage::Stored { inbound, at, written });
        });
    }

    fn stored(&mut self, inbound: Inbound, at: ZonedDateTime, written: Result<Written, WriteError>) {
        match written {
            Ok(Written::Accepted { inbox, fresh }) => {
                test_point("before_acknowledgement");
                self.say_accepted(&inbound);
                if fresh {
                    self.with_pictures(Incoming { inbox, inbound, command: None, at, is_recovered: false });
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

    /// An adapter that does not know yet that a chat moved has the message under the old key.
    fn say_accepted(&self, inbound: &Inbound) {
        let Inbound { key, id, .. } = inbound;
        let now = (&key.channel, &key.bot, &key.chat);
        let old = self.moved.iter().filter(|((channel, bot, _), chat)| (channel, bot, *chat) == now);
        for ((.., chat), _) in old {
            let key = ConversationKey { chat: chat.clone(), ..key.clone() };
            self.say(ToChannel::Accepted { key, id: id.clone() });
        }
        self.say(ToChannel::Accepted { key: key.clone(), id: id.clone() });
    }

    fn forward(&mut self, mut incoming: Incoming) {
        if incoming.inbound.edit.is_none() {
            let language = incoming.language();
            if let Some(command) = commands::read(&incoming.inbound.text) {
                let text = self.decide_on_chat(&incoming.inbound, command);
                return self.answer(&incoming, text);
            }
            match Command::parse(&incoming.inbound.text) {
                Parsed::Text => {}
                Parsed::Command(command) => incoming.command = Some(command),
                Parsed::Unknown { name, nearest } => {
                    return self.answer(&incoming, wording::unknown_command(language, &name, nearest));
                }
                Parsed::Reserved(name) => return self.answer(&incoming, wording::reserved_command(language, name)),
            }
        }
        if let Some(Command::Stop | Command::Steer(_)) = incoming.command {
            self.as_themselves(&mut incoming.inbound);
        }
        if self.supervisor.cast(SupervisorMessage::Incoming(incoming)).is_err() {
            warn!("a message came while the bot goes down; it waits in the inbox");
        }
    }

    /// Who may stop a turn is decided by who somebody is, not by what a turn of theirs might do in a group.
    fn as_themselves(&self, inbound: &mut Inbound) {
        let own = self.access.role_of(&inbound.key.channel, &inbound.person.id);
        inbound.person.role = inbound.person.role.max(own);
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

    fn deleted(&mut self, key: ConversationKey, id: chat::MessageId) {
        if !self.forget_picture(&key, &id) {
            let _ = self.supervisor.cast(SupervisorMessage::Tell { key, word: Word::Deleted(id) });
        }
    }

    /// A group goes on under another id.
    fn chat_moved(&mut self, from: ConversationKey, chat: String) {
        self.access.chat_moved(&from, &chat);
        self.moved.insert((from.channel.clone(), from.bot.clone(), from.chat.clone()), chat.clone());
        self.ledger.write(Operation::Move { from: from.clone(), chat: chat.clone() }, |written| {
            if let Err(error) = written {
                error!(%error, "that a chat has another id is not on disk");
            }
        });
        let _ = self.supervisor.cast(SupervisorMessage::ChatMoved { from, chat });
    }

    /// What came late from a chat that moved belongs where the chat is now.
    fn key_of_today(&self, mut key: ConversationKey) -> ConversationKey {
        let old = (key.channel.clone(), key.bot.clone(), key.chat.clone());
        if let Some(chat) = self.moved.get(&old) {
            key.chat.clone_from(chat);
        }
        key
    }

    fn change(&mut self, change: AccessChange, inbound: Option<Inbound>, then: Vec<ToChannel>) {
        self.access.note(&change);
        let myself = self.myself.clone();
        self.ledger.write(Operation::Access(change), move |written| {
            let _ = myself.cast(IntakeMessage::Changed { written, inbound, then });
        });
    }

    fn changed(&self, written: Result<Written, WriteError>, inbound: Option<&Inbound>, then: Vec<ToChannel>) {
        match (written, inbound) {
            (Ok(_), _) => then.into_iter().for_each(|told| self.say(told)),
            (Err(error), inbound) => {
                error!(%error, "who may talk to the bot could not be stored; it holds until the bot ends");
                inbound.into_iter().for_each(|inbound| self.refuse(inbound, RefusalReason::Storage));
            }
        }
    }

    fn refuse(&self, inbound: &Inbound, reason: RefusalReason) {
        let text = wording::refused(inbound.person.language, reason);
        self.say(ToChannel::Refused { key: inbound.key.clone(), id: inbound.id.clone(), reason, text });
    }

    /// Takes note of a message and does nothing that anybody could see.
    fn ignore(&self, inbound: &Inbound) {
        let (key, id) = (inbound.key.clone(), inbound.id.clone());
        self.say(ToChannel::Refused { key, id, reason: RefusalReason::NoAccess, text: String::new() });
    }

    fn say(&self, told: ToChannel) {
        // Delivery ends only with the process.
        let _ = self.delivery.cast(DeliveryMessage::Say(told));
    }
}
