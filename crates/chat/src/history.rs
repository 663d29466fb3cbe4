//! Messages in an order that every model accepts.

use std::sync::Arc;

use crate::{Block, Message, Role, Seq};

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
    /// When they are not: [`History`] says what they have to be. [`crate::repair::repair`] takes anything.
    pub fn from_messages(messages: Vec<Arc<Message>>) -> Result<Self, HistoryError> {
        check_turns(&messages)?;
        Ok(Self { messages })
    }

    /// Adds whole turns at the end.
    ///
    /// # Errors
    ///
    /// When they are not whole; the history is then as before.
    pub fn extend(&mut self, turns: &[Arc<Message>]) -> Result<(), HistoryError> {
        check_turns(turns)?;
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
        seq(self.messages.len())
    }

    /// Where turns begin, from a place on: at a person's messages.
    pub fn turn_starts(&self, from: Seq) -> impl DoubleEndedIterator<Item = Seq> {
        let from = index(from).min(self.messages.len());
        let starts = self.messages[from..].iter().enumerate().filter(|(_, message)| begins_turn(message));
        starts.map(move |(at, _)| seq(from + at))
    }
}

/// Whether a message is a person's and not just results of tools.
fn begins_turn(message: &Message) -> bool {
    message.role == Role::User && message.tool_result_ids().next().is_none()
}

/// The place of the message at an index.
pub(crate) fn seq(index: usize) -> Seq {
    Seq(i64::try_from(index).unwrap_or(i64::MAX))
}

/// The index of the message at a place.
pub(crate) fn index(seq: Seq) -> usize {
    usize::try_from(seq.0).unwrap_or(0)
}

/// Whether a model takes these messages as they are: they are valid, and no id is used twice. The last may be of either role.
#[must_use]
pub fn is_acceptable(messages: &[Message]) -> bool {
    let mut ids: Vec<&str> = messages.iter().flat_map(Message::tool_use_ids).collect();
    let calls = ids.len();
    ids.sort_unstable();
    ids.dedup();
    ids.len() == calls && !ids.contains(&"") && check_pairs(messages.iter()).is_ok_and(|open| open.is_empty())
}

fn check_turns(messages: &[Arc<Message>]) -> Result<(), HistoryError> {
    let open = check_pairs(messages.iter().map(AsRef::as_ref))?;
    if !open.is_empty() {
        return Err(HistoryError::Unpaired(messages.len()));
    }
    if messages.len() % 2 == 1 {
        return Err(HistoryError::OutOfTurn(messages.len()));
    }
    Ok(())
}

/// The ids of the calls of the last message, where all before it is in order.
fn check_pairs<'a>(messages: impl Iterator<Item = &'a Message>) -> Result<Vec<&'a str>, HistoryError> {
    let mut open: Vec<&str> = Vec::new();
    for (at, message) in messages.enumerate() {
        let expected = if at % 2 == 0 { Role::User } else { Role::Assistant };
        if message.role != expected {
            return Err(HistoryError::OutOfTurn(at));
        }
        if message.blocks.is_empty() || message.blocks.iter().any(is_empty) {
            return Err(HistoryError::Empty(at));
        }
        let mut answered: Vec<&str> = message.tool_result_ids().collect();
        answered.sort_unstable();
        open.sort_unstable();
        if answered != open || open.windows(2).any(|pair| pair[0] == pair[1]) {
            return Err(HistoryError::Unpaired(at));
        }
        open = message.tool_use_ids().collect();
    }
    Ok(open)
}

fn is_empty(block: &Block) -> bool {
    match block {
        Block::Text { text, .. } => text.trim().is_empty(),
        Block::Thinking { thinking, provider } => thinking.trim().is_empty() && provider.is_none(),
        Block::Image { data, .. } => data.is_empty(),
        Block::ToolUse { .. } | Block::ToolResult { .. } => false,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn call(id: &str) -> Block {
        Block::ToolUse { id: id.into(), name: "exec".into(), input: json!({}), provider: None }
    }

    fn result(id: &str) -> Block {
        Block::ToolResult { tool_use_id: id.into(), content: "ok".into(), is_error: false }
    }

    fn message(role: Role, blocks: Vec<Block>) -> Arc<Message> {
        Arc::new(Message { role, blocks })
    }

    fn turn() -> Vec<Arc<Message>> {
        vec![
            Arc::new(Message::user("ls")),
            message(Role::Assistant, vec![call("a"), call("b")]),
            message(Role::User, vec![result("a"), result("b")]),
            Arc::new(Message::assistant("done")),
        ]
    }

    #[test]
    fn whole_turns_are_taken() {
        let mut history = History::default();

        history.extend(&turn()).expect("a whole turn");
        history.extend(&turn()).expect("a whole turn");

        assert_eq!(history.messages().len(), 8);
        assert_eq!(history.turn_starts(Seq(0)).collect::<Vec<_>>(), [Seq(0), Seq(4)]);
        assert_eq!(history.turn_starts(Seq(1)).collect::<Vec<_>>(), [Seq(4)]);
    }

    #[test]
    fn half_a_pair_is_refused_and_changes_nothing() {
        let mut history = History::default();

        for end in 1..4 {
            assert!(history.extend(&turn()[..end]).is_err(), "the first {end} messages");
        }

        assert!(history.messages().is_empty());
    }

    #[test]
    fn a_result_too_many_or_for_another_call_is_refused() {
        for results in [vec![result("a")], vec![result("a"), result("b"), result("b")], vec![result("a"), result("c")]]
        {
            let mut turn = turn();
            turn[2] = message(Role::User, results);

            assert_eq!(History::from_messages(turn), Err(HistoryError::Unpaired(2)));
        }
    }

    #[test]
    fn an_empty_text_is_refused() {
        let turn = vec![Arc::new(Message::user("hi")), Arc::new(Message::assistant(" "))];

        assert_eq!(History::from_messages(turn), Err(HistoryError::Empty(1)));
    }
}
