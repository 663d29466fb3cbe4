//! Where a conversation takes place, and the ids of what happens in it.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// The name of a chat service, as its adapter gives it (`terminal`).
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ChannelName(pub String);

impl fmt::Display for ChannelName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// What makes two messages part of the same dialogue.
///
/// Its text form joins the parts by `/`; a part's own `/` and `%` are written `%2F` and `%25`, an absent part is empty.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ConversationKey {
    /// The chat service.
    pub channel: ChannelName,
    /// The bot's own account there: the platform's id of it, so that two bots never mix.
    pub bot: String,
    /// The chat: a private chat, group or channel.
    pub chat: String,
    /// A topic or thread inside the chat.
    pub thread: Option<String>,
    /// The person, where a group is not shared.
    pub person: Option<String>,
}

impl fmt::Display for ConversationKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let thread = self.thread.as_deref().unwrap_or_default();
        let person = self.person.as_deref().unwrap_or_default();
        let parts = [&self.channel.0, &self.bot, &self.chat, thread, person].map(escape);
        f.write_str(&parts.join("/"))
    }
}

/// A text that is not a [`ConversationKey`].
#[derive(Debug, thiserror::Error)]
#[error("\"{0}\" is not a conversation key: it has five parts joined by \"/\"")]
pub struct KeyError(String);

impl FromStr for ConversationKey {
    type Err = KeyError;

    fn from_str(text: &str) -> Result<Self, KeyError> {
        let parts: Vec<String> = text.split('/').map(unescape).collect();
        let [channel, bot, chat, thread, person] =
            <[String; 5]>::try_from(parts).map_err(|_| KeyError(text.to_owned()))?;
        let optional = |part: String| (!part.is_empty()).then_some(part);
        Ok(Self { channel: ChannelName(channel), bot, chat, thread: optional(thread), person: optional(person) })
    }
}

fn escape(part: &str) -> String {
    part.replace('%', "%25").replace('/', "%2F")
}

fn unescape(part: &str) -> String {
    part.replace("%2F", "/").replace("%25", "%")
}

macro_rules! number_id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(pub i64);

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }
    };
}

number_id!(
    /// A turn, unique in a ledger.
    TurnId
);
number_id!(
    /// A message that was accepted into the ledger's inbox.
    InboxId
);
number_id!(
    /// Something that a channel is asked to deliver, unique in a ledger.
    DeliveryId
);
number_id!(
    /// The place of a message in its conversation, from 0.
    Seq
);

/// The platform's own id of a message, unique in its chat.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct MessageId(pub String);

impl fmt::Display for MessageId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_comes_back_from_its_text() {
        let key = ConversationKey {
            channel: ChannelName("terminal".into()),
            bot: "local".into(),
            chat: "a/b%2F".into(),
            thread: None,
            person: Some("7".into()),
        };

        let parsed: ConversationKey = key.to_string().parse().expect("it was made by Display");

        assert_eq!(parsed, key);
    }
}
