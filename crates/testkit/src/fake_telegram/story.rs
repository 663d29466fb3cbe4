//! What people do.

use serde_json::{Value, json};

use super::FakeTelegram;
use super::state::Message;

/// Somebody who writes to the bot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Person {
    /// Their number.
    pub id: i64,
    /// What they are called.
    pub name: String,
    /// The language of their program.
    pub language: &'static str,
}

/// A group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chat {
    /// Its number.
    pub id: i64,
    /// Whether it has topics.
    pub is_forum: bool,
}

impl Person {
    /// How the service tells of them.
    #[must_use]
    pub fn json(&self) -> Value {
        json!({ "id": self.id, "is_bot": false, "first_name": self.name, "language_code": self.language })
    }
}

impl FakeTelegram {
    /// Somebody who has started the bot.
    #[must_use]
    pub fn person(&self, id: i64, name: &str) -> Person {
        self.state.send_modify(|state| _ = state.chats.entry(id).or_default());
        Person { id, name: name.to_owned(), language: "en" }
    }

    /// A group with the bot in it.
    #[must_use]
    pub fn group(&self, id: i64) -> Chat {
        self.state.send_modify(|state| _ = state.chats.entry(id).or_default());
        Chat { id, is_forum: false }
    }

    /// A group with these topics.
    #[must_use]
    pub fn forum(&self, id: i64, topics: &[i64]) -> Chat {
        self.state.send_modify(|state| state.chats.entry(id).or_default().topics.extend(topics));
        Chat { id, is_forum: true }
    }

    /// A person writes to the bot alone. Gives the number of the message.
    pub fn says(&self, person: &Person, text: &str) -> i64 {
        self.brings(person, json!({ "text": text }))
    }

    /// A person sends something to the bot alone.
    pub fn brings(&self, person: &Person, content: Value) -> i64 {
        let chat = json!({ "id": person.id, "type": "private", "first_name": person.name });
        self.writes(chat, person.json(), content)
    }

    /// A person writes in a group.
    pub fn says_in(&self, chat: &Chat, person: &Person, content: Value) -> i64 {
        self.writes(chat.json(), person.json(), content)
    }

    /// Somebody sends something.
    pub fn writes(&self, chat: Value, from: Value, content: Value) -> i64 {
        let mut id = 0;
        self.state.send_modify(|state| {
            id = state.number();
            let mut message = json!({ "message_id": id, "date": 1_700_000_000, "chat": chat, "from": from });
            merge(&mut message, &content);
            let chat = chat["id"].as_i64().unwrap_or_default();
            state.messages.push(heard(chat, id, message["text"].as_str().unwrap_or_default()));
            state.push("message", message);
        });
        id
    }

    /// A person presses a button under a message of the bot. Gives the id of the press.
    pub fn presses(&self, person: &Person, message: &Message, data: &str) -> String {
        let id = format!("press-{}-{data}", message.id);
        let kind = if message.chat < 0 { "supergroup" } else { "private" };
        let query = json!({
            "id": id, "from": person.json(), "chat_instance": "1", "data": data,
            "message": {
                "message_id": message.id, "date": 1_700_000_000, "text": message.text,
                "chat": { "id": message.chat, "type": kind, "title": "some chat", "first_name": person.name },
            },
        });
        self.state.send_modify(|state| {
            state.presses.insert(id.clone());
            state.push("callback_query", query);
        });
        id
    }

    /// A file that can be fetched.
    pub fn has_file(&self, id: &str, bytes: &[u8]) {
        let size = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
        let file = (format!("documents/{id}"), bytes.to_vec(), size);
        self.state.send_modify(|state| _ = state.files.insert(id.to_owned(), file));
    }

    /// A file that is said to be smaller than it is.
    pub fn has_file_that_lies(&self, id: &str, bytes: &[u8]) {
        let file = (format!("documents/{id}"), bytes.to_vec(), 1);
        self.state.send_modify(|state| _ = state.files.insert(id.to_owned(), file));
    }

    /// A person blocks the bot, or a chat is closed to it in another way.
    pub fn closes(&self, chat: i64, code: u16, text: &'static str) {
        self.state.send_modify(|state| state.chats.entry(chat).or_default().closed = Some((code, text)));
    }

    /// A group becomes a supergroup; nobody tells the bot before it sends something.
    pub fn moves(&self, from: i64, to: i64) {
        self.state.send_modify(|state| {
            state.chats.entry(to).or_default();
            state.chats.entry(from).or_default().moved_to = Some(to);
        });
    }

    /// Somebody takes away a message of the bot.
    pub fn takes_away(&self, message: &Message) {
        self.state.send_modify(|state| {
            if let Some(message) = state.message(message.chat, message.id) {
                message.is_deleted = true;
            }
        });
    }
}

impl Chat {
    /// How the service tells of it.
    #[must_use]
    pub fn json(&self) -> Value {
        json!({ "id": self.id, "type": "supergroup", "title": "some chat", "is_forum": self.is_forum })
    }
}

/// A message of a person.
fn heard(chat: i64, id: i64, text: &str) -> Message {
    Message {
        chat,
        id,
        is_bots: false,
        text: text.to_owned(),
        markup: text.to_owned(),
        thread: None,
        reply_to: None,
        buttons: Vec::new(),
        versions: Vec::new(),
        file: None,
        is_deleted: false,
    }
}

fn merge(into: &mut Value, more: &Value) {
    for (name, value) in more.as_object().into_iter().flatten() {
        into[name] = value.clone();
    }
}
