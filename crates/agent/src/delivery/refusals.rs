//! Of many messages of a chat that are refused, one is told so in words: the others would fill the chat.

use std::collections::HashMap;

use chat::{ConversationKey, RefusalReason, ToChannel};
use tokio::time::{Duration, Instant};

/// How long a chat is told nothing more after it was told.
const PAUSE: Duration = Duration::from_secs(60);

/// So many chats are remembered before those that may be told again are forgotten.
const MANY: usize = 1_000;

/// When each chat was told last.
#[derive(Default)]
pub(super) struct Refusals(HashMap<(String, String, String), Instant>);

impl Refusals {
    /// Takes the words from a refusal whose chat was told a moment ago. What a person without access is told is decided elsewhere, and what comes at the end is told each time.
    pub(super) fn shorten(&mut self, told: &mut ToChannel) {
        let ToChannel::Refused { key, reason, text, .. } = told else { return };
        if matches!(reason, RefusalReason::NoAccess | RefusalReason::ShuttingDown) || text.is_empty() {
            return;
        }
        let now = Instant::now();
        let ConversationKey { channel, bot, chat, .. } = key.clone();
        let chat = (channel.0, bot, chat);
        if self.0.get(&chat).is_some_and(|last| now.duration_since(*last) < PAUSE) {
            text.clear();
            return;
        }
        if self.0.len() >= MANY {
            self.0.retain(|_, last| now.duration_since(*last) < PAUSE);
        }
        self.0.insert(chat, now);
    }
}
