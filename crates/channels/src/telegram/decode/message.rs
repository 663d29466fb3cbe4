//! A message of the Bot API as an [`Inbound`].

use std::ops::Range;

use chat::{Inbound, MessageId, Person, PersonRole, Place};
use teloxide::types::{MediaKind, Message, MessageCommon, MessageEntity, MessageEntityKind, MessageKind};

use super::{ANONYMOUS_ADMIN, Context, Decoded, Piece, files, thread_of, tidy_name};

/// A text of so many UTF-16 units is likely to have been cut by the person's own program, which sends the rest as another message.
const LONG: usize = 4000;

/// More of a text that is replied to is not quoted.
const LONGEST_QUOTE: usize = 4096;

/// A message's text, with what of it speaks to the bot.
struct Spoken {
    text: String,
    /// The bot is mentioned, or given a command.
    to_bot: bool,
    /// It is a command of another bot.
    to_other: bool,
}

impl Context {
    pub(super) fn message(&self, message: &Message, make: impl FnOnce(Piece) -> Decoded) -> Decoded {
        if let Some(chat) = message.migrate_to_chat_id() {
            return Decoded::Moved { from: self.key(&message.chat, None, &self.nobody()), chat: chat.0 };
        }
        let MessageKind::Common(common) = &message.kind else {
            return Decoded::Skipped("a message of the service itself".into());
        };
        let person = match self.author(message, common) {
            Ok(person) => person,
            Err(decoded) => return *decoded,
        };
        let spoken = self.spoken(message, common);
        if spoken.to_other {
            return Decoded::Skipped("a command for another bot".into());
        }
        let files: Vec<_> = files::of(common).into_iter().collect();
        if spoken.text.is_empty() && files.is_empty() && !spoken.to_bot {
            return Decoded::Skipped("a message without anything that can be read".into());
        }
        let key = self.key(&message.chat, thread_of(message), &person);
        let is_long = spoken.text.encode_utf16().count() >= LONG;
        let mut inbound = Inbound::new(key, MessageId(message.id.0.to_string()), person, spoken.text);
        let replied = replied_to(common);
        if !message.chat.is_private() {
            let to_bot = replied.and_then(|it| it.from.as_ref()).is_some_and(|user| user.id.0 == self.bot.id);
            inbound.place = Place::Group { addressed: spoken.to_bot || to_bot };
        }
        inbound.edit = common.edit_date.and_then(|date| u64::try_from(date.timestamp()).ok());
        inbound.quoted = quoted(common);
        let album = message.media_group_id().map(|id| id.0.clone());
        let is_forwarded = common.forward_origin.is_some();
        let picked = common.quote.is_some();
        let replies_to = replied.filter(|_| !picked).map(|it| it.id.0);
        make(Piece { inbound, files, album, is_forwarded, is_long, replies_to })
    }

    fn nobody(&self) -> Person {
        let language = self.language.unwrap_or_default();
        Person { id: String::new(), name: String::new(), role: PersonRole::Stranger, language }
    }

    /// Who wrote it. A channel, a group or a bot is nobody who could have access.
    fn author(&self, message: &Message, common: &MessageCommon) -> Result<Person, Box<Decoded>> {
        let skipped = |why: &str| Box::new(Decoded::Skipped(why.to_owned()));
        let user = message.from.as_ref().ok_or_else(|| skipped("a message of nobody"))?;
        let Some(chat) = &message.sender_chat else {
            return if user.is_bot { Err(skipped("a message of a bot")) } else { Ok(self.person(user)) };
        };
        if user.id.0 != ANONYMOUS_ADMIN || chat.id != message.chat.id {
            return Err(skipped("a message in the name of a chat, which is no person"));
        }
        if !self.anonymous_admins.contains(&chat.id.0) {
            return Err(Box::new(Decoded::Anonymous { chat: chat.id.0 }));
        }
        let mut person = self.person(user);
        person.id = chat.id.to_string();
        person.name = tidy_name(common.author_signature.as_deref().unwrap_or("anonymous admin"));
        Ok(person)
    }

    fn spoken(&self, message: &Message, common: &MessageCommon) -> Spoken {
        let Some(text) = message.text().or_else(|| message.caption()) else {
            return Spoken { text: described(common), to_bot: false, to_other: false };
        };
        let entities = message.entities().or_else(|| message.caption_entities()).unwrap_or_default();
        let mut spoken = Spoken { text: String::new(), to_bot: false, to_other: false };
        let mut at = 0;
        for entity in entities {
            // Entities may overlap; what was taken out once is not looked at again.
            let Some(range) = range_of(text, entity).filter(|range| range.start >= at) else { continue };
            if let Some(instead) = self.entity(&entity.kind, &text[range.clone()], range.start == 0, &mut spoken) {
                spoken.text += &text[at..range.start];
                spoken.text += &instead;
                at = range.end;
            }
        }
        spoken.text += &text[at..];
        spoken.text = spoken.text.trim().to_owned();
        spoken
    }

    /// What stands in place of an entity that is about the bot.
    fn entity(&self, kind: &MessageEntityKind, text: &str, is_first: bool, spoken: &mut Spoken) -> Option<String> {
        match kind {
            MessageEntityKind::Mention if self.is_bot(text.strip_prefix('@')?) => {
                spoken.to_bot = true;
                Some(String::new())
            }
            MessageEntityKind::TextMention { user } if user.id.0 == self.bot.id => {
                spoken.to_bot = true;
                Some(String::new())
            }
            MessageEntityKind::BotCommand if is_first => self.command(text, spoken),
            _ => None,
        }
    }

    fn command(&self, text: &str, spoken: &mut Spoken) -> Option<String> {
        match text.split_once('@') {
            Some((command, name)) if self.is_bot(name) => {
                spoken.to_bot = true;
                Some(command.to_owned())
            }
            Some(_) => {
                spoken.to_other = true;
                None
            }
            None => {
                spoken.to_bot |= self.bare_commands;
                None
            }
        }
    }

    fn is_bot(&self, name: &str) -> bool {
        !self.bot.username.is_empty() && name.eq_ignore_ascii_case(&self.bot.username)
    }
}

/// Where an entity stands in its text, which the service counts in UTF-16. One that is outside of it is not there: teloxide's own
/// reading panics on that, and the update would come again and again.
fn range_of(text: &str, entity: &MessageEntity) -> Option<Range<usize>> {
    let (start, mut end, mut units) = (entity.offset, None, 0);
    let stop = start.checked_add(entity.length)?;
    let mut begin = None;
    for (at, char) in text.char_indices().chain([(text.len(), '\0')]) {
        begin = begin.or((units == start).then_some(at));
        end = end.or((units == stop).then_some(at));
        units += char.len_utf16();
    }
    Some(begin?..end?)
}

/// The message that it replies to. In a topic every message is a reply to the making of that topic, which nobody said.
fn replied_to(common: &MessageCommon) -> Option<&Message> {
    common.reply_to_message.as_deref().filter(|it| matches!(it.kind, MessageKind::Common(_)))
}

/// What a message without words says.
fn described(common: &MessageCommon) -> String {
    match &common.media_kind {
        MediaKind::Sticker(it) => it.sticker.emoji.clone().unwrap_or_default(),
        MediaKind::Location(it) => format!("(location: {}, {})", it.location.latitude, it.location.longitude),
        MediaKind::Venue(it) => format!("(place: {}, {})", it.venue.title, it.venue.address),
        MediaKind::Contact(it) => format!("(contact: {}, {})", it.contact.first_name, it.contact.phone_number),
        MediaKind::Poll(it) => {
            let options = it.poll.options.iter().map(|option| option.text.as_str());
            format!("(poll: {} {})", it.poll.question, options.collect::<Vec<_>>().join(" / "))
        }
        _ => String::new(),
    }
}

/// What it replies to: what the person picked of it, else all of it.
fn quoted(common: &MessageCommon) -> Option<String> {
    let picked = common.quote.as_ref().map(|quote| quote.text.as_str());
    let whole = replied_to(common).and_then(|it| it.text().or_else(|| it.caption()));
    let text = picked.or(whole).filter(|text| !text.trim().is_empty())?;
    Some(text.chars().take(LONGEST_QUOTE).collect())
}
