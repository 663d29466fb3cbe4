//! What one model call returned, what a tool gave back, and what it cost.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::Provider;

/// What one model call returned.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Reply {
    /// The visible text.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text: String,
    /// What it thought, where the vendor tells.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reasoning: Vec<Reasoning>,
    /// The tools it wants to be called, in order; ids are non-empty and unique in the reply.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<ToolCall>,
    /// Why it ended; `None` where that was never learnt.
    pub finish: Option<Finish>,
    /// What it cost, where the vendor tells.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
}

/// One run of thinking.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Reasoning {
    /// The readable part.
    pub text: String,
    /// What the vendor wants back with it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provider: Option<Provider>,
}

impl Reply {
    /// Whether it holds neither text nor calls: reasoning alone is no answer.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.text.trim().is_empty() && self.calls.is_empty()
    }
}

/// Why a reply ended. Where a reply has calls it is [`Finish::ToolCalls`], whatever the vendor wrote.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Finish {
    /// It was done.
    Stop,
    /// It wants tools to be called.
    ToolCalls,
    /// The limit on output was reached.
    Length,
    /// The vendor held it back.
    ContentFilter,
}

/// One tool call in a reply.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToolCall {
    /// Pairs it with its result.
    pub id: String,
    /// The tool's name as the model wrote it; it may not exist.
    pub name: String,
    /// What to call it with.
    pub arguments: Arguments,
    /// What the vendor wants back with the call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provider: Option<Provider>,
}

/// The arguments of a call: an object, or why there is none.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Arguments {
    /// What the tool is called with.
    Object(Map<String, Value>),
    /// The text could not be taken for an object without losing or inventing content.
    Refused {
        /// In what way.
        reason: ArgumentsRefusal,
        /// What is wrong and where, for the model.
        detail: String,
    },
}

/// In what way the text of arguments was not usable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ArgumentsRefusal {
    /// It is cut off.
    Truncated,
    /// It is no JSON object, and cannot be repaired into one.
    Invalid,
}

/// What a tool call gave back. A failure is a result too.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ToolResult {
    /// What the model reads.
    pub content: String,
    /// Whether the call failed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_error: bool,
    /// What people are shown instead of the content (a diff), in Markdown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub display: Option<String>,
    /// Pictures that the model is shown behind the content, where it sees any.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub images: Vec<Picture>,
    /// Files that go out with the answer of the turn.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<OutgoingFile>,
}

/// A picture for a model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Picture {
    /// Its MIME type (`image/png`).
    pub media_type: String,
    /// Its bytes in base64.
    pub data: String,
}

/// A file that goes out to a chat.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OutgoingFile {
    /// A copy that stays as it is.
    pub path: PathBuf,
    /// What it is called there.
    pub name: String,
    /// Its MIME type.
    pub media_type: String,
    /// How large it is.
    pub bytes: u64,
    /// What is said with it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub caption: Option<String>,
}

impl From<String> for ToolResult {
    fn from(content: String) -> Self {
        Self::ok(content)
    }
}

impl ToolResult {
    /// A success.
    #[must_use]
    pub fn ok(content: impl Into<String>) -> Self {
        Self { content: content.into(), ..Self::default() }
    }

    /// A failure that the model can read.
    #[must_use]
    pub fn error(content: impl Into<String>) -> Self {
        Self { content: content.into(), is_error: true, ..Self::default() }
    }
}

/// Tokens of one model call, or of several added up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// Tokens of the prompt, the cached ones among them.
    pub input: u64,
    /// Those of the prompt that the vendor had cached.
    pub cached: u64,
    /// Tokens of the reply, its reasoning among them.
    pub output: u64,
}

impl std::ops::AddAssign for Usage {
    fn add_assign(&mut self, other: Self) {
        self.input += other.input;
        self.cached += other.cached;
        self.output += other.output;
    }
}
