//! What is read back.

use std::sync::Arc;

use chat::{ConversationKey, Inbound, InboxId, Message, Outbound, TurnId, View};

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
