//! Updates of the Bot API as words of `chat`.

mod files;
mod message;
#[cfg(test)]
mod tests;

use std::panic::{AssertUnwindSafe, catch_unwind};

use chat::{ChannelName, ConversationKey, Inbound, Language, MessageId, Person, PersonRole, Place, Press};
use serde::Deserialize;
use serde_json::Value;
use teloxide::types::{Chat, MaybeInaccessibleMessage, Message, Update, UpdateKind, User};

pub(super) use files::FileRef;

/// The id that every admin who writes in the name of a group has; it is nobody's.
const ANONYMOUS_ADMIN: u64 = 1_087_968_824;

/// The bot as the service knows it.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Deserialize)]
pub(super) struct Bot {
    /// Its id.
    pub(super) id: u64,
    /// Its name, without the `@`.
    #[serde(default)]
    pub(super) username: String,
}

/// What decoding has to know.
#[derive(Clone, Debug)]
pub(super) struct Context {
    pub(super) bot: Bot,
    pub(super) channel: ChannelName,
    /// The language of the bot's own texts, where it does not go by the person.
    pub(super) language: Option<Language>,
    /// Whether the people of a group share a conversation.
    pub(super) shared_groups: bool,
    /// Whether a command without the bot's name is for it.
    pub(super) bare_commands: bool,
    /// Groups in which an admin may be anonymous.
    pub(super) anonymous_admins: Vec<i64>,
}

/// What an update is.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Decoded {
    /// A message, or a piece of one.
    Message(Piece),
    /// A message that was changed.
    Edited(Piece),
    /// A press of a button.
    Pressed(Press),
    /// A group is a supergroup now.
    Moved { from: ConversationKey, chat: i64 },
    /// Somebody wrote in the name of a group in which that is not allowed.
    Anonymous { chat: i64 },
    /// Nothing to do; why.
    Skipped(String),
}

/// A message, and what tells whether more of it is to come.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Piece {
    pub(super) inbound: Inbound,
    /// What is to be fetched.
    pub(super) files: Vec<FileRef>,
    /// The album that it is from.
    pub(super) album: Option<String>,
    /// Whether it comes from elsewhere.
    pub(super) is_forwarded: bool,
    /// Whether it is as long as a message can be, so that the rest of a paste may follow.
    pub(super) is_long: bool,
    /// The message that it answers as a whole.
    pub(super) replies_to: Option<i32>,
}

/// Reads an update. One that is not understood is skipped; it never stands in the way of others. Not even by a panic: it would come
/// again with every start.
pub(super) fn decode(update: &Value, context: &Context) -> Decoded {
    let decoding = AssertUnwindSafe(|| read(update, context));
    catch_unwind(decoding).unwrap_or_else(|_| Decoded::Skipped("an update that breaks its decoding".into()))
}

fn read(update: &Value, context: &Context) -> Decoded {
    let mut update = update.clone();
    files::name_types(&mut update);
    // Borrowed: from an owned value teloxide reads no kind at all.
    match Update::deserialize(&update) {
        Ok(update) => context.update(update.kind),
        Err(error) => Decoded::Skipped(format!("an update that cannot be read: {error}")),
    }
}

impl Context {
    fn update(&self, kind: UpdateKind) -> Decoded {
        match kind {
            UpdateKind::Message(message) => self.message(&message, Decoded::Message),
            UpdateKind::EditedMessage(message) => self.message(&message, Decoded::Edited),
            UpdateKind::CallbackQuery(query) => {
                let (message, data) = (query.message, query.data);
                match (message, data) {
                    (Some(message), Some(data)) => self.press(query.id.0, &query.from, &message, data),
                    _ => Decoded::Skipped("a press without a message or data".into()),
                }
            }
            UpdateKind::ChannelPost(_) | UpdateKind::EditedChannelPost(_) => {
                Decoded::Skipped("a post of a channel, which nobody in particular wrote".into())
            }
            UpdateKind::MessageReaction(_) => Decoded::Skipped("a reaction".into()),
            UpdateKind::MyChatMember(change) => Decoded::Skipped(format!(
                "the bot is {:?} in chat {} now",
                change.new_chat_member.status(),
                change.chat.id
            )),
            UpdateKind::Error(_) => Decoded::Skipped("an update of a kind that is not known".into()),
            _ => Decoded::Skipped("an update of a kind that is not used".into()),
        }
    }

    fn press(&self, id: String, from: &User, message: &MaybeInaccessibleMessage, data: String) -> Decoded {
        let (chat, thread) = match message {
            MaybeInaccessibleMessage::Regular(message) => (&message.chat, thread_of(message)),
            MaybeInaccessibleMessage::Inaccessible(message) => (&message.chat, None),
        };
        let person = self.person(from);
        let place = if chat.is_private() { Place::Private } else { Place::Group { addressed: true } };
        let key = self.key(chat, thread, &person);
        Decoded::Pressed(Press { key, id: MessageId(id), person, place, data })
    }

    fn key(&self, chat: &Chat, thread: Option<i32>, person: &Person) -> ConversationKey {
        let is_shared = chat.is_private() || self.shared_groups;
        ConversationKey {
            channel: self.channel.clone(),
            bot: self.bot.id.to_string(),
            chat: chat.id.to_string(),
            thread: thread.map(|thread| thread.to_string()),
            person: (!is_shared).then(|| person.id.clone()),
        }
    }

    fn person(&self, user: &User) -> Person {
        let name = [Some(user.first_name.as_str()), user.last_name.as_deref()];
        let name = name.into_iter().flatten().collect::<Vec<_>>().join(" ");
        let language = user.language_code.as_deref().map_or(Language::English, Language::from_locale);
        Person {
            id: user.id.to_string(),
            name: tidy_name(&name),
            role: PersonRole::Stranger,
            language: self.language.unwrap_or(language),
        }
    }
}

/// The topic of a message. What is written in the General topic, and replies elsewhere, carry a thread's number too, to which
/// nothing can be sent.
fn thread_of(message: &Message) -> Option<i32> {
    let thread = message.thread_id.filter(|_| message.is_topic_message)?;
    (thread.0.0 != 1).then_some(thread.0.0)
}

/// A person's name on one line, without characters that change how others are shown, and not endless.
fn tidy_name(name: &str) -> String {
    let is_shown = |char: &char| !char.is_control() && !is_direction(*char);
    let name: String = name.chars().filter(is_shown).take(64).collect();
    let name = name.split_whitespace().collect::<Vec<_>>().join(" ");
    if name.is_empty() { "?".into() } else { name }
}

/// Whether a character turns the direction of what follows.
fn is_direction(char: char) -> bool {
    matches!(char, '\u{200e}' | '\u{200f}' | '\u{061c}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}
