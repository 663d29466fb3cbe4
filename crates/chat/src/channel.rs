//! What channel adapters and the actors of a conversation tell each other. Plain enums: an answer is a message too.

use serde::{Deserialize, Serialize};

use crate::{ConversationKey, DeliveryId, Language, MessageId, Outcome, Progress, TurnId};

/// A message from a chat service, decoded.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Inbound {
    /// The dialogue it belongs to.
    pub key: ConversationKey,
    /// The platform's id; one that was seen before is a duplicate.
    pub id: MessageId,
    /// Who wrote it.
    pub person: Person,
    /// What they wrote.
    pub text: String,
    /// What becomes of it while a turn runs.
    pub when_busy: WhenBusy,
}

/// Who wrote a message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Person {
    /// The platform's id; names change hands.
    pub id: String,
    /// What they are called there.
    pub name: String,
    /// What they may do.
    pub role: PersonRole,
    /// In which language the bot's own texts reach them.
    pub language: Language,
}

/// What a person may do; it decides which tools a turn is offered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PersonRole {
    /// No tool that reads or writes the machine.
    Guest,
    /// Everything but a shell.
    Trusted,
    /// Everything.
    Owner,
}

/// What becomes of an ordinary message while a turn runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum WhenBusy {
    /// It follows the results of the present step.
    #[default]
    Add,
    /// It waits for its own turn.
    Queue,
    /// It stops the turn and takes its place.
    Interrupt,
}

/// From an adapter to intake.
#[derive(Clone, Debug)]
pub enum Arrival {
    /// A message came. It is answered by [`ToChannel::Accepted`] or [`ToChannel::Refused`], never by silence.
    Message(Inbound),
}

/// From an adapter to delivery.
#[derive(Clone, Debug)]
pub enum Receipt {
    /// It is out.
    Sent(DeliveryId),
    /// It cannot be delivered.
    Failed {
        /// What could not be.
        delivery: DeliveryId,
        /// Why, for the log.
        reason: String,
    },
}

/// From the actors of a conversation to an adapter.
#[derive(Clone, Debug)]
pub enum ToChannel {
    /// The message is safe: on disk, or known from before. The platform may be told so.
    Accepted {
        /// Its conversation.
        key: ConversationKey,
        /// The message.
        id: MessageId,
    },
    /// The message will not be worked on.
    Refused {
        /// Its conversation.
        key: ConversationKey,
        /// The message.
        id: MessageId,
        /// Why.
        reason: RefusalReason,
        /// What the person is told.
        text: String,
    },
    /// The message was taken into the turn that runs.
    Joined {
        /// Its conversation.
        key: ConversationKey,
        /// The message.
        id: MessageId,
        /// The turn.
        turn: TurnId,
    },
    /// The command was carried out, or cannot be: what it answers.
    CommandAnswered {
        /// Its conversation.
        key: ConversationKey,
        /// The message that held it.
        id: MessageId,
        /// The answer.
        text: String,
    },
    /// Something happened in a turn.
    Progress {
        /// Its conversation.
        key: ConversationKey,
        /// The turn.
        turn: TurnId,
        /// What happened.
        progress: Progress,
    },
    /// Something is to be delivered. It is answered by a [`Receipt`].
    Deliver(Outbound),
}

impl ToChannel {
    /// The conversation that it is about.
    #[must_use]
    pub fn key(&self) -> &ConversationKey {
        match self {
            Self::Accepted { key, .. }
            | Self::Refused { key, .. }
            | Self::Joined { key, .. }
            | Self::CommandAnswered { key, .. }
            | Self::Progress { key, .. } => key,
            Self::Deliver(outbound) => &outbound.key,
        }
    }
}

/// Why a message is not worked on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RefusalReason {
    /// Too many messages wait already.
    QueueFull,
    /// It is larger than the limit.
    TooLarge,
    /// It could not be stored.
    Storage,
    /// The bot is going down.
    ShuttingDown,
}

/// Something to deliver; it is stored before it is handed to an adapter.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Outbound {
    /// What a receipt names.
    pub id: DeliveryId,
    /// Where to.
    pub key: ConversationKey,
    /// The message that it answers.
    pub reply_to: Option<MessageId>,
    /// What it says.
    pub body: OutboundBody,
}

/// What is delivered.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OutboundBody {
    /// The end of a turn.
    TurnFinished {
        /// The turn.
        turn: TurnId,
        /// How it ended.
        outcome: Outcome,
    },
    /// A text outside a turn.
    Notice {
        /// The text.
        text: String,
    },
}
