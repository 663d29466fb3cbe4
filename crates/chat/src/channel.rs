//! What channel adapters and the actors of a conversation tell each other. Plain enums: an answer is a message too.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::{ChannelName, ConversationKey, DeliveryId, Language, MessageId, Outcome, Progress, TurnId};

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
    /// Where in the chat service it was written.
    #[serde(default, skip_serializing_if = "Place::is_private")]
    pub place: Place,
    /// The service's stamp of the edit that this is; `None` for the message as it was first sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edit: Option<u64>,
    /// What came with it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub attachments: Vec<Attachment>,
    /// The text that it replies to, where that was not the bot's own last word.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quoted: Option<String>,
}

impl Inbound {
    /// A plain message in a private chat.
    #[must_use]
    pub fn new(key: ConversationKey, id: MessageId, person: Person, text: impl Into<String>) -> Self {
        Self {
            key,
            id,
            person,
            text: text.into(),
            when_busy: WhenBusy::default(),
            place: Place::Private,
            edit: None,
            attachments: Vec::new(),
            quoted: None,
        }
    }
}

/// Where in a chat service a message was written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Place {
    /// Between the person and the bot alone.
    #[default]
    Private,
    /// Where others read and write too.
    Group {
        /// Whether the bot was meant: mentioned, replied to, or given a command of its own.
        addressed: bool,
    },
}

impl Place {
    fn is_private(&self) -> bool {
        *self == Self::Private
    }
}

/// A file that came with a message; the adapter has fetched it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attachment {
    /// What it is called, without folders and control characters.
    pub name: String,
    /// Its media type, as the service says or as it looks.
    pub media_type: String,
    /// Its size in bytes, as the service says.
    pub bytes: u64,
    /// The file, or why there is none.
    pub content: AttachmentContent,
}

/// The content of an attachment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AttachmentContent {
    /// It is here, below the data folder's `blobs/`.
    Stored(PathBuf),
    /// It was not fetched (too large, gone, failed): what the person and the model are told.
    Missing(String),
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
    /// Nobody is known of this id, so nothing at all: what an adapter says of everybody, until intake knows better.
    Stranger,
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
    /// A message was changed where it stands; it has the id of the message and the stamp of the edit. It is answered as a message is.
    Edited(Inbound),
    /// A message was taken back.
    Deleted {
        /// Its conversation.
        key: ConversationKey,
        /// The message.
        id: MessageId,
    },
    /// A button was pressed.
    Pressed(Press),
    /// A chat goes on under another id (a group became a supergroup): what is kept of the old one belongs to the new one.
    Moved {
        /// A conversation there as it was known; its bot and chat count.
        from: ConversationKey,
        /// The chat's id from now on.
        chat: String,
    },
    /// How the adapter fares.
    Channel {
        /// Which.
        channel: ChannelName,
        /// What it has to tell.
        news: ChannelNews,
    },
}

/// A press of a button under a message of the bot.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Press {
    /// The conversation of the message.
    pub key: ConversationKey,
    /// The press, by the service's id.
    pub id: MessageId,
    /// Who pressed.
    pub person: Person,
    /// Where.
    pub place: Place,
    /// What the button stands for: the `data` of a [`Button`].
    pub data: String,
}

/// How an adapter fares.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ChannelNews {
    /// The service knows the bot under this name; the first thing that is told.
    Ready {
        /// The bot's account: its id, then its name.
        bot: (String, String),
    },
    /// A round with the service came to its end, an error answer included: the adapter is alive.
    Attempted {
        /// What is wrong, if anything is.
        trouble: Option<String>,
    },
}

/// A button under a message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Button {
    /// What is on it.
    pub label: String,
    /// What a press hands back; at most 64 bytes, the least that any service takes. An adapter's own Stop button has `stop:` and the
    /// turn's number.
    pub data: String,
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
    /// Whether it is out was never learnt, and it will not be tried again.
    Doubtful {
        /// What.
        delivery: DeliveryId,
        /// Why, for the log.
        reason: String,
    },
    /// A message stands in the chat that shows this turn at work, and that its answer will take the place of.
    Placeholder {
        /// Its conversation.
        key: ConversationKey,
        /// The turn.
        turn: TurnId,
        /// The service's id of the message.
        platform_id: String,
    },
    /// What is to be sent is rendered; nothing of it is sent before [`ToChannel::PartsStored`].
    Rendered {
        /// The delivery.
        delivery: DeliveryId,
        /// Its parts, as the adapter wants them back: opaque to all others.
        parts: Vec<String>,
    },
    /// A part is about to be sent; where it waited or is sent again, not before [`ToChannel::PartCleared`].
    PartSending {
        /// The delivery.
        delivery: DeliveryId,
        /// Which, from 0.
        part: u32,
    },
    /// A part is out.
    PartSent {
        /// The delivery.
        delivery: DeliveryId,
        /// Which, from 0.
        part: u32,
        /// The service's id of the message.
        platform_id: String,
    },
}

/// A part of a delivery as it is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredPart {
    /// What the adapter rendered.
    pub payload: String,
    /// How far it is.
    pub state: PartState,
}

/// How far a part of a delivery is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PartState {
    /// It was not sent.
    Planned,
    /// It was being sent; whether it arrived is not known.
    Sending,
    /// It is out, under the service's id.
    Sent(String),
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
        /// What the person is told; where it is empty nothing is said, as they were told a moment ago or are to hear nothing.
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
    /// An earlier process, or this adapter before it was started anew, showed a turn that goes on in this message.
    Placeholder {
        /// Its conversation.
        key: ConversationKey,
        /// The turn.
        turn: TurnId,
        /// The service's id of the message, as [`Receipt::Placeholder`] told it.
        platform_id: String,
    },
    /// Something is to be delivered. It is answered by a [`Receipt`].
    Deliver(Outbound),
    /// The same for what an earlier process, or this adapter before it was started anew, did not get out.
    Resume {
        /// What.
        outbound: Outbound,
        /// The placeholder of its turn, where one is known.
        placeholder: Option<String>,
        /// Its parts, where it was rendered.
        parts: Vec<StoredPart>,
    },
    /// The parts of a delivery are on disk.
    PartsStored {
        /// Its conversation.
        key: ConversationKey,
        /// The delivery.
        delivery: DeliveryId,
    },
    /// That a part is being sent is on disk.
    PartCleared {
        /// Its conversation.
        key: ConversationKey,
        /// The delivery.
        delivery: DeliveryId,
        /// Which, from 0.
        part: u32,
    },
    /// A press was taken in: the service may stop its waiting sign.
    PressAnswered {
        /// The conversation.
        key: ConversationKey,
        /// The press.
        id: MessageId,
        /// What the person is shown briefly, if anything.
        text: Option<String>,
    },
    /// A message is waited with (a photo without a question): a sign on it tells so.
    Noticed {
        /// Its conversation.
        key: ConversationKey,
        /// The message.
        id: MessageId,
    },
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
            | Self::Progress { key, .. }
            | Self::Placeholder { key, .. }
            | Self::PartsStored { key, .. }
            | Self::PartCleared { key, .. }
            | Self::PressAnswered { key, .. }
            | Self::Noticed { key, .. } => key,
            Self::Deliver(outbound) | Self::Resume { outbound, .. } => &outbound.key,
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
    /// It could not be stored, as the disk is full.
    DiskFull,
    /// The bot is going down.
    ShuttingDown,
    /// The person, or the chat, has no access.
    NoAccess,
    /// The bot can do nothing with what it holds.
    Unsupported,
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
    /// A text with buttons.
    Question {
        /// The text.
        text: String,
        /// The buttons, in rows.
        buttons: Vec<Vec<Button>>,
    },
}
