//! Messages in an order that every model accepts.

use std::sync::Arc;

use crate::{Message, Role, Seq};

/// The messages of a conversation, in whole turns.
///
/// It starts with a user message, roles alternate, it ends with an assistant message, no message is empty, and every tool call is
/// answered by exactly one result in the message that follows. Nothing can be put into it that would break this.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct History {
    messages: Vec<Arc<Message>>,
}

/// Why messages are not whole turns.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HistoryError {
    /// Two messages of the same role meet, it starts with the assistant, or ends with the user.
    #[error("message {0} is out of turn: roles alternate, from user to assistant")]
    OutOfTurn(usize),
    /// A message without content.
    #[error("message {0} is empty")]
    Empty(usize),
    /// Calls and results that do not pair.
    #[error("message {0} does not answer each call of the one before it exactly once")]
    Unpaired(usize),
}

impl History {
    /// Takes whole turns, as they were stored.
    ///
    /// # Errors
    ///
    /// When they are not: [`History`] says what they have to be.
    pub fn from_messages(messages: Vec<Arc<Message>>) -> Result<Self, HistoryError> {
        check(&messages)?;
        Ok(Self { messages })
    }

    /// Adds whole turns at the end.
    ///
    /// # Errors
    ///
    /// When they are not whole; the history is then as before.
    pub fn extend(&mut self, turns: &[Arc<Message>]) -> Result<(), HistoryError> {
        check(turns)?;
        self.messages.extend_from_slice(turns);
        Ok(())
    }

    /// All messages, oldest first; the place of each is its [`Seq`].
    #[must_use]
    pub fn messages(&self) -> &[Arc<Message>] {
        &self.messages
    }

    /// The place that the next message will have.
    #[must_use]
    pub fn next_seq(&self) -> Seq {
        Seq(i64::try_from(self.messages.len()).unwrap_or(i64::MAX))
    }
}

fn check(messages: &[Arc<Message>]) -> Result<(), HistoryError> {
    let mut open: Vec<&str> = Vec::new();
    for (at, message) in messages.iter().enumerate() {
        let expected = if at % 2 == 0 { Role::User } else { Role::Assistant };
        if message.role != expected {
            return Err(HistoryError::OutOfTurn(at));
        }
        if message.blocks.is_empty() {
            return Err(HistoryError::Empty(at));
        }
        let mut answered: Vec<&str> = message.tool_result_ids().collect();
        answered.sort_unstable();
        open.sort_unstable();
        if answered != open {
            return Err(HistoryError::Unpaired(at));
        }
        open = message.tool_use_ids().collect();
    }
    if !open.is_empty() {
        return Err(HistoryError::Unpaired(messages.len()));
    }
    if messages.len() % 2 == 1 {
        return Err(HistoryError::OutOfTurn(messages.len()));
    }
    Ok(())
}
