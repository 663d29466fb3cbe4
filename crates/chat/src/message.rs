//! Messages of a history in content blocks.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Who a message of a history is from, as models see it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// A person, or results of tools.
    User,
    /// The model.
    Assistant,
}

/// One message of a history.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Message {
    /// Who it is from.
    pub role: Role,
    /// What it says, in order; never empty in a [`crate::History`].
    #[serde(rename = "content")]
    pub blocks: Vec<Block>,
}

/// One piece of a message's content.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Block {
    /// Text in Markdown.
    Text {
        /// The text itself.
        text: String,
        /// Whether people are not shown it (the time of a message, markers for the model).
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        hidden: bool,
    },
    /// What the model thought before it spoke.
    Thinking {
        /// The readable part; may be empty where a vendor only gives an encrypted form.
        thinking: String,
        /// What the vendor wants back untouched (a signature, an encrypted form), for as long as the turn runs.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        provider: Option<Provider>,
    },
    /// A picture.
    Image {
        /// Its MIME type (`image/png`).
        media_type: String,
        /// Its bytes in base64.
        data: String,
    },
    /// A tool call that the model asked for.
    ToolUse {
        /// Pairs it with its result; unique in a request.
        id: String,
        /// The tool.
        name: String,
        /// Its arguments: an object.
        input: Value,
        /// What the vendor wants back untouched (Gemini's thought signature of a call).
        #[serde(default, skip_serializing_if = "Option::is_none")]
        provider: Option<Provider>,
    },
    /// What a tool call gave back.
    ToolResult {
        /// The [`Block::ToolUse`] it answers.
        tool_use_id: String,
        /// What the model reads.
        content: String,
        /// Whether the call failed.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        is_error: bool,
    },
}

/// Data that only one model of one vendor can read. A request to any other leaves it out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Provider {
    /// The vendor's name in the vendor table.
    pub vendor: String,
    /// The model's name as the vendor writes it.
    pub model: String,
    /// The data, in the vendor's own form.
    pub data: Value,
}

impl Message {
    /// A person's message of one visible text.
    #[must_use]
    pub fn user(text: impl Into<String>) -> Self {
        Self { role: Role::User, blocks: vec![Block::text(text)] }
    }

    /// A model's message of one visible text.
    #[must_use]
    pub fn assistant(text: impl Into<String>) -> Self {
        Self { role: Role::Assistant, blocks: vec![Block::text(text)] }
    }

    /// The ids of the tool calls in it, in order.
    pub fn tool_use_ids(&self) -> impl Iterator<Item = &str> {
        self.blocks.iter().filter_map(|block| match block {
            Block::ToolUse { id, .. } => Some(id.as_str()),
            _ => None,
        })
    }

    /// The first tool call in it whose input is neither an object nor nothing: which block it is, the tool, and the input.
    #[must_use]
    pub fn malformed_call(&self) -> Option<(usize, &str, &Value)> {
        self.blocks.iter().enumerate().find_map(|(at, block)| match block {
            Block::ToolUse { name, input, .. } if !input.is_object() && !input.is_null() => {
                Some((at, name.as_str(), input))
            }
            _ => None,
        })
    }

    /// The ids of the calls that the results in it answer, in order.
    pub fn tool_result_ids(&self) -> impl Iterator<Item = &str> {
        self.blocks.iter().filter_map(|block| match block {
            Block::ToolResult { tool_use_id, .. } => Some(tool_use_id.as_str()),
            _ => None,
        })
    }

    /// Its visible texts, joined by newlines.
    #[must_use]
    pub fn visible_text(&self) -> String {
        let texts = self.blocks.iter().filter_map(|block| match block {
            Block::Text { text, hidden: false } => Some(text.as_str()),
            _ => None,
        });
        texts.collect::<Vec<_>>().join("\n")
    }
}

impl Block {
    /// A visible text.
    #[must_use]
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text { text: text.into(), hidden: false }
    }

    /// A text that only models see.
    #[must_use]
    pub fn hidden(text: impl Into<String>) -> Self {
        Self::Text { text: text.into(), hidden: true }
    }
}
