//! What a person adds while the turn runs.

use chat::{Block, InboxId};

use crate::SteerMode;
use crate::wording::for_model;

/// How many messages wait at most.
const MOST_WAITING: usize = 16;

/// How many bytes of text wait at most.
const MOST_BYTES: usize = 32_000;

/// Messages that came while the turn ran and are not in its history yet.
#[derive(Clone, Debug, Default)]
pub(crate) struct Steering {
    waiting: Vec<Addition>,
    full: bool,
}

#[derive(Clone, Debug)]
struct Addition {
    inbox: Vec<InboxId>,
    text: String,
    mode: SteerMode,
}

impl Steering {
    /// Takes a message. One that does not fit is left out, and so is all that follows, or the order of messages would change;
    /// what was left out was not consumed, so it becomes a turn of its own.
    pub(crate) fn accept(&mut self, inbox: Vec<InboxId>, text: String, mode: SteerMode) {
        let bytes: usize = self.waiting.iter().map(|addition| addition.text.len()).sum();
        self.full |= self.waiting.len() >= MOST_WAITING || bytes.saturating_add(text.len()) > MOST_BYTES;
        if !self.full && !text.trim().is_empty() {
            self.waiting.push(Addition { inbox, text, mode });
        }
    }

    /// Whether something waits that takes effect as soon as possible.
    pub(crate) fn is_urgent(&self) -> bool {
        self.waiting.iter().any(|addition| addition.mode == SteerMode::Now)
    }

    /// Takes all that waits, in the order in which it came: what the model reads, and which messages that were. Both are empty
    /// where nothing waits.
    pub(crate) fn take(&mut self) -> (Vec<Block>, Vec<InboxId>) {
        let waiting = std::mem::take(&mut self.waiting);
        let mut blocks = Vec::with_capacity(waiting.len() + 1);
        if !waiting.is_empty() {
            blocks.push(Block::hidden(for_model::STEERING));
        }
        let mut inbox = Vec::new();
        for addition in waiting {
            blocks.push(Block::text(addition.text));
            inbox.extend(addition.inbox);
        }
        (blocks, inbox)
    }
}
