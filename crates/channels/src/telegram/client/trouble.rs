//! What the Bot API answers where it does not do what it was asked, by what is to be done about it.

use serde::Deserialize;
use serde::de::DeserializeOwned;
use tokio::time::Duration;

/// Why a call gave nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Trouble {
    /// The chat is to be left alone so long.
    Flood(Duration),
    /// The chat goes on under this id.
    Moved(i64),
    /// The message says that already.
    NotModified,
    /// The message that was to be changed is not there, or may not be changed.
    NotFound,
    /// The topic is not there.
    NoTopic,
    /// The text cannot be parsed.
    Unparsable(String),
    /// Nobody is there who could be told, and that will not change by itself.
    Gone(String),
    /// It is not allowed now.
    Forbidden(String),
    /// The same call will be refused again.
    Refused(String),
    /// The file is larger than it may be.
    TooLarge,
    /// The token is not known.
    Unauthorized,
    /// Somebody else asks for updates.
    Conflict(String),
    /// The service was not reached: nothing has happened.
    Unreached(String),
    /// There is no telling whether it has happened.
    Unknown(String),
    /// It was not wanted any more before it was made.
    Cancelled,
}

/// An answer in the form that all have.
#[derive(Deserialize)]
pub(super) struct Answer<T> {
    ok: bool,
    result: Option<T>,
    #[serde(default)]
    error_code: u16,
    #[serde(default)]
    description: String,
    #[serde(default)]
    parameters: Parameters,
}

#[derive(Default, Deserialize)]
struct Parameters {
    retry_after: Option<u64>,
    migrate_to_chat_id: Option<i64>,
}

/// Descriptions of chats that nothing can be sent to, from the sources of the server (`Client.cpp`, td `MessagesManager.cpp`).
const GONE: [&str; 7] = [
    "bot was blocked by the user",
    "user is deactivated",
    "bot was kicked from",
    "bot is not a member of",
    "bot can't initiate conversation",
    "chat not found",
    "the group chat was deleted",
];

/// Descriptions of messages that cannot be edited.
const NOT_FOUND: [&str; 4] =
    ["message to edit not found", "message can't be edited", "message to delete not found", "MESSAGE_ID_INVALID"];

impl<T: DeserializeOwned> Answer<T> {
    pub(super) fn read(status: u16, body: &[u8]) -> Result<T, Trouble> {
        let Ok(answer) = serde_json::from_slice::<Self>(body) else {
            return Err(Trouble::of_status(status, "an answer that is not of the API"));
        };
        match answer.result {
            Some(result) if answer.ok => Ok(result),
            _ => Err(Trouble::of(&answer, status)),
        }
    }
}

impl Trouble {
    fn of<T>(answer: &Answer<T>, status: u16) -> Self {
        let text = answer.description.clone();
        let says = |part: &&str| text.contains(*part);
        if let Some(seconds) = answer.parameters.retry_after {
            return Self::Flood(Duration::from_secs(seconds));
        }
        if let Some(chat) = answer.parameters.migrate_to_chat_id {
            return Self::Moved(chat);
        }
        match if answer.error_code == 0 { status } else { answer.error_code } {
            400 if text.contains("message is not modified") => Self::NotModified,
            400 if text.contains("message thread not found") => Self::NoTopic,
            400 if text.contains("can't parse entities") => Self::Unparsable(text),
            400 if text.contains("file is too big") => Self::TooLarge,
            400 if NOT_FOUND.iter().any(says) => Self::NotFound,
            400 | 403 if GONE.iter().any(says) => Self::Gone(text),
            403 => Self::Forbidden(text),
            code => Self::of_status(code, &text),
        }
    }

    fn of_status(status: u16, text: &str) -> Self {
        match status {
            401 | 404 => Self::Unauthorized,
            409 => Self::Conflict(text.to_owned()),
            429 => Self::Flood(Duration::from_secs(5)),
            400..500 => Self::Refused(text.to_owned()),
            _ => Self::Unknown(format!("{status}: {text}")),
        }
    }

    pub(super) fn of_disk(error: std::io::Error) -> Self {
        Self::Refused(error.to_string())
    }

    /// The same with other words.
    pub(super) fn map(self, change: impl FnOnce(String) -> String) -> Self {
        match self {
            Self::Unparsable(text) => Self::Unparsable(change(text)),
            Self::Gone(text) => Self::Gone(change(text)),
            Self::Forbidden(text) => Self::Forbidden(change(text)),
            Self::Refused(text) => Self::Refused(change(text)),
            Self::Conflict(text) => Self::Conflict(change(text)),
            Self::Unreached(text) => Self::Unreached(change(text)),
            Self::Unknown(text) => Self::Unknown(change(text)),
            other => other,
        }
    }
}

impl std::fmt::Display for Trouble {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Flood(pause) => write!(f, "too many calls, it wants {} s of peace", pause.as_secs()),
            Self::Moved(chat) => write!(f, "the chat is {chat} now"),
            Self::NotModified => f.write_str("nothing to change"),
            Self::NotFound => f.write_str("the message is not there"),
            Self::NoTopic => f.write_str("the topic is not there"),
            Self::TooLarge => f.write_str("the file is too large"),
            Self::Cancelled => f.write_str("it was given up"),
            Self::Unauthorized => f.write_str("the service does not know the token"),
            Self::Conflict(text) => write!(f, "another program reads this bot's messages ({text})"),
            Self::Unreached(text) => write!(f, "the service cannot be reached ({text})"),
            Self::Unparsable(text)
            | Self::Gone(text)
            | Self::Forbidden(text)
            | Self::Refused(text)
            | Self::Unknown(text) => f.write_str(text),
        }
    }
}
