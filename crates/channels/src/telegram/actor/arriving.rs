//! Messages in.

use chat::{Arrival, Attachment, AttachmentContent, ConversationKey, Language, MessageId};
use serde_json::Value;
use tokio::sync::oneshot;
use tokio::time::Instant;
use tracing::{debug, warn};

use super::Message;
use super::session::Session;
use crate::telegram::client::{Client, Trouble};
use crate::telegram::decode::{Decoded, FileRef, Piece, decode};
use crate::telegram::intake::Step;
use crate::wording::Text;

impl Session {
    pub(super) fn polled(&mut self, updates: &[Value], asked: i64, tell: oneshot::Sender<()>) {
        for update in updates {
            let Some(id) = update["update_id"].as_i64() else {
                debug!("an update without a number");
                continue;
            };
            if self.offsets.see(id, asked) {
                self.update(id, update);
            }
        }
        self.publish_standing();
        // The poller is gone when this actor is.
        let _ = tell.send(());
    }

    fn update(&mut self, id: i64, update: &Value) {
        match decode(update, &self.context) {
            Decoded::Message(piece) => return self.receive(piece, id),
            Decoded::Edited(piece) => self.edited(piece),
            Decoded::Pressed(press) => self.hand_in(Arrival::Pressed(press)),
            Decoded::Moved { from, chat } => self.migrated(from, chat),
            Decoded::Anonymous { chat } => self.refuse_anonymous(chat),
            Decoded::Skipped(why) => debug!(update = id, why, "an update is skipped"),
        }
        self.offsets.settle(id);
    }

    fn receive(&mut self, mut piece: Piece, update: i64) {
        let key = piece.inbound.key.clone();
        let conversation = self.conversation(&key);
        conversation.language = piece.inbound.person.language;
        // Who answers what was just said does not have to quote it.
        if piece.replies_to.is_some() && piece.replies_to == conversation.last_said {
            piece.inbound.quoted = None;
        }
        let is_command = piece.inbound.text.starts_with('/') && piece.files.is_empty() && !piece.is_long;
        if is_command {
            // A command acts at once, whatever waits in front of it.
            return self.hand(piece.inbound, vec![update]);
        }
        self.waiting.add(piece, update, Instant::now());
        self.advance(&key);
    }

    /// It is told once in each group.
    fn refuse_anonymous(&mut self, chat: i64) {
        if self.anonymous.insert(chat) {
            warn!(
                chat,
                "an anonymous admin is not answered, as nobody knows who that is; `anonymous_admins` lets them in"
            );
        }
    }

    fn edited(&mut self, piece: Piece) {
        self.hand_in(Arrival::Edited(piece.inbound));
    }

    /// Does what can be done in a conversation now.
    pub(super) fn advance(&mut self, key: &ConversationKey) {
        let now = Instant::now();
        for step in self.waiting.advance(key, now) {
            match step {
                Step::Hand(inbound, updates) => self.hand(*inbound, updates),
                Step::Fetch { serial, files } => self.fetch(key.clone(), serial, files),
                Step::WaitUntil(until) => {
                    let key = key.clone();
                    self.myself.send_after(until.saturating_duration_since(now), move || Message::Joined(key));
                }
            }
        }
    }

    fn hand(&mut self, inbound: chat::Inbound, updates: Vec<i64>) {
        let (key, id) = (inbound.key.clone(), inbound.id.clone());
        self.conversation(&key).heard(&id, &inbound.text);
        self.handed.entry((key, id)).or_default().extend(updates);
        self.hand_in(Arrival::Message(inbound));
    }

    /// A message is safe, or will not be worked on.
    pub(super) fn settle(&mut self, key: &ConversationKey, id: &MessageId) {
        let entry = (key.clone(), id.clone());
        let entry = if self.handed.contains_key(&entry) { Some(entry) } else { self.handed_before_move(key, id) };
        let updates = entry.and_then(|entry| self.handed.remove(&entry)).unwrap_or_default();
        updates.into_iter().for_each(|update| self.offsets.settle(update));
        self.publish_standing();
    }

    /// What was handed in under the number that a chat had before it moved.
    fn handed_before_move(&self, key: &ConversationKey, id: &MessageId) -> Option<(ConversationKey, MessageId)> {
        let place = self.place(key)?;
        let mut handed = self.handed.keys();
        handed.find(|(key, other)| other == id && self.place(key) == Some(place)).cloned()
    }

    fn fetch(&self, key: ConversationKey, serial: u64, files: Vec<FileRef>) {
        let fetcher = Fetcher {
            client: self.client.clone(),
            folder: self.arguments.files.clone(),
            most: self.arguments.settings.max_file_mib,
            language: self.language(&key),
        };
        let myself = self.myself.clone();
        tokio::spawn(async move {
            let fetching = files.into_iter().map(|file| fetcher.fetch(file));
            let attachments = futures_util::future::join_all(fetching).await;
            // An actor that is gone gets the message again when it is back.
            let _ = myself.cast(Message::Fetched { key, serial, attachments });
        });
    }

    pub(super) fn fetched(&mut self, key: &ConversationKey, serial: u64, attachments: Vec<Attachment>) {
        self.waiting.fetched(key, serial, attachments);
        self.advance(key);
    }

    /// The service says so in the chat itself.
    fn migrated(&mut self, from: ConversationKey, chat: i64) {
        if let Ok(old) = from.chat.parse() {
            self.moved.insert(old, chat);
        }
        self.hand_in(Arrival::Moved { from, chat: chat.to_string() });
    }

    /// The service says so in answer to a call.
    pub(super) fn moved(&mut self, from: i64, to: i64) {
        if self.moved.insert(from, to) == Some(to) {
            return;
        }
        let from = ConversationKey {
            channel: self.arguments.channel.clone(),
            bot: self.context.bot.id.to_string(),
            chat: from.to_string(),
            thread: None,
            person: None,
        };
        self.hand_in(Arrival::Moved { from, chat: to.to_string() });
    }
}

/// Fetches the files of messages.
struct Fetcher {
    client: Client,
    folder: std::path::PathBuf,
    most: u64,
    language: Language,
}

impl Fetcher {
    async fn fetch(&self, file: FileRef) -> Attachment {
        let most = self.most.saturating_mul(1 << 20);
        let fetched = if file.bytes > most {
            Err(Trouble::TooLarge)
        } else {
            // The same name in another message must not take its place.
            let name = format!("{}-{}", file.unique_id, file.name);
            self.client.fetch(&file.id, &self.folder, &name, most).await
        };
        let content = match fetched {
            Ok(path) => AttachmentContent::Stored(path),
            Err(Trouble::TooLarge) => {
                AttachmentContent::Missing(Text::FileTooLarge { most: self.most }.say(self.language))
            }
            Err(trouble) => AttachmentContent::Missing(Text::FileFailed(trouble.to_string()).say(self.language)),
        };
        Attachment { name: file.name, media_type: file.media_type, bytes: file.bytes, content }
    }
}
