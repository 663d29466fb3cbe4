//! The part of a history that is sent to a model.
//!
//! What a model sees of a conversation is a pure function of its messages and its view. Trimming and compaction change the view,
//! never the messages, so a conversation that was just loaded and one that never left memory are the same.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::{Block, History, Message, Seq};

mod cut;
mod digest;
mod fit;

pub use cut::Caps;
pub use fit::{Budget, shrink_turn};

/// What of a history a model sees.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct View {
    /// The first message that is sent: where a turn begins.
    pub first: Seq,
    /// What stands for the messages before that; it goes before the first one that is sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<Summary>,
    /// How old messages are cut.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shrunk: Option<Shrunk>,
}

/// What stands for messages that are no longer sent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// The text.
    pub text: String,
    /// The message behind the last one that it covers.
    pub to: Seq,
}

/// How old messages are cut.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Shrunk {
    /// The first message that is not cut.
    pub before: Seq,
    /// How far the others are.
    pub caps: Caps,
}

impl Default for View {
    fn default() -> Self {
        Self { first: Seq(0), summary: None, shrunk: None }
    }
}

impl View {
    /// A view of nothing that is there now.
    #[must_use]
    pub fn after(history: &History) -> Self {
        Self { first: history.next_seq(), ..Self::default() }
    }

    /// The messages that are sent, oldest first.
    #[must_use]
    pub fn of(&self, history: &History) -> Vec<Arc<Message>> {
        let first = crate::history::index(self.first).min(history.messages().len());
        let sent = history.messages()[first..].iter().enumerate();
        let mut messages: Vec<_> = sent.map(|(at, message)| self.shrink(first + at, message)).collect();
        if let (Some(summary), Some(message)) = (&self.summary, messages.first_mut()) {
            *message = Arc::new(behind_summary(summary, message));
        }
        messages
    }

    fn shrink(&self, at: usize, message: &Arc<Message>) -> Arc<Message> {
        match &self.shrunk {
            Some(shrunk) if crate::history::seq(at) < shrunk.before => shrunk.caps.cut(message),
            _ => Arc::clone(message),
        }
    }

    /// The view when only the present turn is to be sent.
    #[must_use]
    pub fn reset(&self, history: &History) -> Self {
        Self::after(history)
    }
}

fn behind_summary(summary: &Summary, message: &Message) -> Message {
    let mut blocks = vec![Block::hidden(&*summary.text)];
    blocks.extend(message.blocks.iter().cloned());
    Message { role: message.role, blocks }
}

#[cfg(test)]
mod tests;
