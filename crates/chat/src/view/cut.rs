//! Cutting messages, never flattening them: what was a call stays a call, and its result its result.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{Block, Message};

/// How many characters are left of what.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Caps {
    /// Of a tool's result.
    pub result: usize,
    /// Of each text in the arguments of a call.
    pub argument: usize,
    /// Of a text.
    pub text: usize,
}

/// Stands where a picture was.
const NO_ROOM_FOR_PICTURE: &str = "[A picture was left out here: there was no room for it.]";

impl Caps {
    /// For the messages of earlier turns, when a conversation grows too large: results of tools, as the reference has it.
    pub const EARLIER: Self = Self { result: 20_000, argument: usize::MAX, text: usize::MAX };
    /// After a model refused a request as too large.
    pub const HARD: Self = Self { result: 10_000, argument: 1_000, text: 10_000 };

    /// Cuts a message; one that is short enough is the same one.
    #[must_use]
    pub fn cut(&self, message: &Arc<Message>) -> Arc<Message> {
        if message.blocks.iter().all(|block| self.fits(block)) {
            return Arc::clone(message);
        }
        let blocks = message.blocks.iter().map(|block| self.cut_block(block)).collect();
        Arc::new(Message { role: message.role, blocks })
    }

    fn fits(&self, block: &Block) -> bool {
        match block {
            Block::Text { text, .. } => text.len() <= self.text,
            Block::ToolResult { content, .. } => content.len() <= self.result,
            Block::ToolUse { input, .. } => texts_fit(input, self.argument),
            Block::Image { .. } => !self.leaves_pictures_out(),
            Block::Thinking { .. } => true,
        }
    }

    /// Where texts are cut there is no room for a picture, which can be many times as large.
    fn leaves_pictures_out(&self) -> bool {
        self.text < usize::MAX
    }

    fn cut_block(&self, block: &Block) -> Block {
        match block.clone() {
            Block::Text { text, hidden } => Block::Text { text: head_and_tail(text, self.text), hidden },
            Block::ToolResult { tool_use_id, content, is_error } => {
                Block::ToolResult { tool_use_id, content: head_and_tail(content, self.result), is_error }
            }
            Block::ToolUse { id, name, input, provider } => {
                Block::ToolUse { id, name, input: cut_texts(input, self.argument), provider }
            }
            Block::Image { .. } if self.leaves_pictures_out() => Block::hidden(NO_ROOM_FOR_PICTURE),
            other => other,
        }
    }
}

/// The texts in an object of arguments; those inside of lists and objects count too.
fn texts_fit(input: &Value, limit: usize) -> bool {
    let mut left = vec![input];
    while let Some(value) = left.pop() {
        match value {
            Value::String(text) if text.len() > limit => return false,
            Value::Array(values) => left.extend(values),
            Value::Object(fields) => left.extend(fields.values()),
            _ => {}
        }
    }
    true
}

/// Cuts the texts in arguments. Arguments were parsed with a limit on depth, so this may recurse.
fn cut_texts(input: Value, limit: usize) -> Value {
    match input {
        Value::String(text) => Value::String(head_and_tail(text, limit)),
        Value::Array(values) => values.into_iter().map(|value| cut_texts(value, limit)).collect(),
        Value::Object(fields) => fields
            .into_iter()
            .map(|(name, value)| (name, cut_texts(value, limit)))
            .collect::<serde_json::Map<_, _>>()
            .into(),
        other => other,
    }
}

/// The beginning and the end of a text, and between them how much is missing. The result has at most `limit` characters and the
/// length of the note.
#[must_use]
pub(super) fn head_and_tail(text: String, limit: usize) -> String {
    let all = text.chars().count();
    if all <= limit {
        return text;
    }
    let head: String = text.chars().take(limit - limit / 3).collect();
    let tail: String = text.chars().skip(all - limit / 3).collect();
    format!("{head}\n[… {} of {all} characters left out …]\n{tail}", all - limit)
}
