//! What can be written. Each operation is done whole or not at all.

use std::sync::Arc;

use chat::{ConversationKey, DeliveryId, Inbound, InboxId, Message, Outbound, Outcome, PartState, Seq, TurnId, View};

use crate::{AccessChange, InboxEnd, StoredEvent};

/// One thing to write. When it is reported as done, it survives a killed process and a power cut; of [`Operation::Delivery`] only
/// [`DeliveryState::Sending`] does, the other states survive a power cut with the next operation that does; so it is with parts.
#[derive(Clone, Debug, PartialEq)]
pub enum Operation {
    /// Takes a message in, and its conversation where that is new. One that was taken in before is found again by its platform's id.
    Accept(Inbound),
    /// Ends a message outside a turn. The same end again changes nothing; another one is a [`crate::WriteError::Conflict`].
    EndInbox {
        /// The message.
        inbox: InboxId,
        /// Its end.
        end: InboxEnd,
    },
    /// Opens a turn, or opens it again after a death: either raises its attempts, and the messages then run in it. One that was
    /// suspended for a pause of its own goes on without a new attempt.
    OpenTurn {
        /// The turn.
        turn: TurnId,
        /// Its conversation.
        key: ConversationKey,
        /// What it answers.
        inbox: Vec<InboxId>,
    },
    /// Puts a turn off until a time. Its messages are suspended with it; [`Operation::OpenTurn`] goes on with it.
    Suspend {
        /// The turn.
        turn: TurnId,
        /// When it goes on, in Unix milliseconds.
        wakes_at: i64,
        /// What it waits for.
        reason: SuspendedFor,
    },
    /// A person wants a turn to end; that holds until it has. With it ends the message that said so.
    StopTurn {
        /// The turn.
        turn: TurnId,
        /// The message that asked for it, and its end.
        by: Option<(InboxId, InboxEnd)>,
    },
    /// Adds to what happened to a turn, event 0 first. The events of old turns are forgotten.
    Record {
        /// The turn.
        turn: TurnId,
        /// The event's place.
        seq: u32,
        /// The event.
        event: StoredEvent,
        /// Whether somebody acts on it being there.
        sync: bool,
    },
    /// Ends a turn, with all that comes of it.
    FinishTurn(FinishedTurn),
    /// Changes what of a history is sent to models.
    SetView {
        /// The conversation.
        key: ConversationKey,
        /// The view from now on.
        view: View,
        /// Messages that end with it.
        ends: Vec<(InboxId, InboxEnd)>,
    },
    /// Notes how far a delivery is.
    Delivery {
        /// The delivery.
        id: DeliveryId,
        /// How far it is.
        state: DeliveryState,
    },
    /// Says something else in the place of a message that waits, and ends others, that wait too, together with it.
    Replace {
        /// The message.
        inbox: InboxId,
        /// What it says from now on.
        inbound: Inbound,
        /// What it was made of beside itself.
        joined: Vec<InboxId>,
    },
    /// Plans a delivery that is of no turn, and its conversation where that is new.
    Plan(Outbound),
    /// Keeps which message in a chat shows a turn at work.
    Placeholder {
        /// The turn.
        turn: TurnId,
        /// The platform's id of the message.
        platform_id: String,
    },
    /// Keeps what a delivery was rendered to. What of it is being sent or is out stays as it was.
    Parts {
        /// The delivery.
        delivery: DeliveryId,
        /// Its parts, in order.
        parts: Vec<String>,
    },
    /// Notes how far a part of a delivery is.
    Part {
        /// The delivery.
        delivery: DeliveryId,
        /// Which, from 0.
        part: u32,
        /// How far it is; it does not become planned again.
        state: PartState,
    },
    /// Changes who may talk to the bot.
    Access(AccessChange),
    /// Goes on with the conversations of a chat under the chat's new id, and with what was decided on the chat.
    Move {
        /// A conversation there; its channel, bot and chat count.
        from: ConversationKey,
        /// The chat's new id.
        chat: String,
    },
}

impl Operation {
    /// Whether somebody acts on it being done in a way that could not be taken back.
    pub(crate) fn needs_sync(&self) -> bool {
        match self {
            Self::Delivery { state, .. } => *state == DeliveryState::Sending,
            Self::Record { sync, .. } => *sync,
            Self::Parts { .. } | Self::Placeholder { .. } => false,
            Self::Part { state, .. } => *state == PartState::Sending,
            Self::Access(change) => !matches!(change, AccessChange::Tally { .. }),
            _ => true,
        }
    }
}

/// What a suspended turn waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SuspendedFor {
    /// The end of a pause of its own: going on with it is no new attempt.
    Wait,
    /// Another attempt after a death.
    Resumption,
}

impl SuspendedFor {
    /// Its stable name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Wait => "wait",
            Self::Resumption => "resumption",
        }
    }
}

/// How a turn ended, and what comes of it.
#[derive(Clone, Debug, PartialEq)]
pub struct FinishedTurn {
    /// The turn; it must be open.
    pub turn: TurnId,
    /// Its conversation.
    pub key: ConversationKey,
    /// How it ended.
    pub outcome: Outcome,
    /// Where its messages begin: exactly where the history ends, else it is a [`crate::WriteError::Fenced`].
    pub first_seq: Seq,
    /// What it adds to the history.
    pub messages: Vec<Arc<Message>>,
    /// The view from now on.
    pub view: View,
    /// The ends of messages. Each message that the turn was opened with must be among them, or have ended before.
    pub ends: Vec<(InboxId, InboxEnd)>,
    /// What is to be delivered.
    pub deliveries: Vec<Outbound>,
}

/// How far a delivery is. It begins as planned, with its turn's end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DeliveryState {
    /// It is being handed to the platform; counts as an attempt.
    Sending,
    /// The platform has it.
    Sent {
        /// The platform's id of it.
        platform_id: Option<String>,
    },
    /// It cannot be delivered.
    Failed {
        /// Why.
        reason: String,
    },
    /// Whether the platform has it was never learnt.
    Doubtful {
        /// Why.
        reason: String,
    },
}

impl DeliveryState {
    /// Its stable name.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Sending => "sending",
            Self::Sent { .. } => "sent",
            Self::Failed { .. } => "failed",
            Self::Doubtful { .. } => "doubtful",
        }
    }

    /// Why, where that is part of it.
    pub(crate) fn reason(&self) -> Option<&str> {
        match self {
            Self::Failed { reason } | Self::Doubtful { reason } => Some(reason),
            Self::Sending | Self::Sent { .. } => None,
        }
    }

    /// The platform's id, where it gave one.
    pub(crate) fn platform_id(&self) -> Option<&str> {
        match self {
            Self::Sent { platform_id } => platform_id.as_deref(),
            _ => None,
        }
    }
}

/// What an operation did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Written {
    /// [`Operation::Accept`].
    Accepted {
        /// The message.
        inbox: InboxId,
        /// Whether it was not there before.
        fresh: bool,
    },
    /// [`Operation::OpenTurn`].
    Opened {
        /// How often the turn was opened, this time included.
        attempts: u32,
    },
    /// Any other.
    Done,
}
