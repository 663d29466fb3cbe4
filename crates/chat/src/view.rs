//! The part of a history that is sent to a model.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::{History, Message, Seq};

/// What of a history a model sees. A pure function of messages and view gives the working history, so a conversation that was
/// just loaded and one that never left memory are the same.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct View {
    /// The first message that is sent: where a turn begins.
    pub first: Seq,
}

impl Default for View {
    fn default() -> Self {
        Self { first: Seq(0) }
    }
}

impl View {
    /// A view of nothing that is there now.
    #[must_use]
    pub fn after(history: &History) -> Self {
        Self { first: history.next_seq() }
    }

    /// The messages that are sent, oldest first.
    #[must_use]
    pub fn of<'a>(&self, history: &'a History) -> &'a [Arc<Message>] {
        let first = usize::try_from(self.first.0).unwrap_or(0).min(history.messages().len());
        &history.messages()[first..]
    }
}
