//! What is read back.

use std::sync::Arc;

use chat::{ConversationKey, Inbound, InboxId, Message, Outbound, Role, Seq, StoredPart, TurnId, View};

use crate::SuspendedFor;

/// A conversation as it stands on disk.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredConversation {
    /// Its key.
    pub key: ConversationKey,
    /// What of its history is sent to models.
    pub view: View,
    /// All of its messages; the place of each is its [`chat::Seq`].
    pub messages: Vec<Arc<Message>>,
    /// When its history or its view last changed, at first when it began, in Unix milliseconds.
    pub last_active: i64,
}

/// What is open, or was left open by an earlier process; each list in the order of arrival.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Recovered {
    /// Turns that have not ended.
    pub turns: Vec<RecoveredTurn>,
    /// Messages that have not ended and that no open turn has.
    pub waiting: Vec<StoredInbound>,
    /// Deliveries that are planned, or were being sent.
    pub deliveries: Vec<UnsentDelivery>,
}

/// Something that happened to a turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredEvent {
    /// What happened; opaque here.
    pub payload: String,
    /// A hash of what it caused.
    pub effects: u64,
}

/// A turn that has not ended.
#[derive(Clone, Debug, PartialEq)]
pub struct RecoveredTurn {
    /// The turn.
    pub turn: TurnId,
    /// Its conversation.
    pub key: ConversationKey,
    /// How often it was opened.
    pub attempts: u32,
    /// The messages that run in it.
    pub inbox: Vec<StoredInbound>,
    /// Whether a person wanted it to end.
    pub stop_asked: bool,
    /// Until when it was put off; nothing of a turn that ran.
    pub suspended: Option<Suspended>,
    /// The place of the next event in its record.
    pub next_event: u32,
}

/// A turn that was put off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Suspended {
    /// What it waits for.
    pub reason: SuspendedFor,
    /// Since when, in Unix milliseconds.
    pub since: i64,
    /// When it goes on, in Unix milliseconds.
    pub wakes_at: i64,
}

/// A conversation, as a list of them shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownConversation {
    /// Its key.
    pub key: ConversationKey,
    /// When its history or its view last changed, at first when it began, in Unix milliseconds.
    pub last_active: i64,
    /// How many turns it has had.
    pub turns: i64,
    /// How many messages its history has.
    pub messages: i64,
}

/// A message of a history, with where it comes from.
#[derive(Clone, Debug, PartialEq)]
pub struct ToldMessage {
    /// Its place in the history.
    pub seq: Seq,
    /// The turn that it is of.
    pub turn: TurnId,
    /// When that turn began, in Unix milliseconds.
    pub at: i64,
    /// The message.
    pub message: Arc<Message>,
}

/// A message that was looked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundMessage {
    /// Its conversation.
    pub key: ConversationKey,
    /// Its place in the history.
    pub seq: Seq,
    /// The turn that it is of.
    pub turn: TurnId,
    /// When that turn began, in Unix milliseconds.
    pub at: i64,
    /// Who said it.
    pub role: Role,
    /// What people see of it.
    pub text: String,
}

/// A message that was accepted.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredInbound {
    /// Its id in the ledger.
    pub inbox: InboxId,
    /// The message.
    pub inbound: Inbound,
}

/// A delivery of which it is not known that it is out.
#[derive(Clone, Debug, PartialEq)]
pub struct UnsentDelivery {
    /// What is to be delivered.
    pub outbound: Outbound,
    /// Whether it was being sent: the platform may have it.
    pub was_sending: bool,
    /// How often it was tried.
    pub attempts: u32,
    /// The message that it answers.
    pub answers: Option<Inbound>,
}

/// A delivery that is to go on where it was left.
#[derive(Clone, Debug, PartialEq)]
pub struct OpenDelivery {
    /// What is to be delivered.
    pub outbound: Outbound,
    /// The message that shows its turn at work, where one is known.
    pub placeholder: Option<String>,
    /// What it was rendered to, where it was.
    pub parts: Vec<StoredPart>,
}
