//! What a running turn tells, and how it ended.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::{OutgoingFile, Usage};

/// Something that happened in a turn, told while it runs. Nothing of it is stored.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Progress {
    /// The turn began.
    TurnStarted {
        /// The text that it answers.
        message: String,
    },
    /// A model is about to be asked.
    StepStarted {
        /// Which call of this turn it is, from 1.
        step: u32,
    },
    /// A piece of the visible text.
    TextDelta {
        /// The step that wrote it.
        step: u32,
        /// The piece.
        text: String,
    },
    /// A piece of what the model thinks.
    ReasoningDelta {
        /// The step that thought it.
        step: u32,
        /// The piece.
        text: String,
    },
    /// What this step has said so far is void: it is being asked again.
    TextReset {
        /// The step that starts over.
        step: u32,
    },
    /// A tool is about to run, or is refused.
    ToolStarted {
        /// The call.
        id: String,
        /// The tool.
        name: String,
        /// What it is called with; `None` where the arguments were refused.
        arguments: Option<Map<String, Value>>,
    },
    /// A running tool's last output.
    ToolProgress {
        /// The call.
        id: String,
        /// The output, or its tail.
        text: String,
    },
    /// A tool ended.
    ToolFinished {
        /// The call.
        id: String,
        /// The tool.
        name: String,
        /// Whether it failed, was refused, skipped or cancelled.
        is_error: bool,
        /// How long it ran, in milliseconds.
        ms: u64,
        /// What people may be shown of the result, in Markdown.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        display: Option<String>,
    },
    /// Something that a person should know.
    Notice {
        /// The text.
        text: String,
    },
}

/// How a turn ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Outcome {
    /// In which way.
    #[serde(rename = "outcome")]
    pub kind: OutcomeKind,
    /// What the person is told: the answer, or what there is in its place.
    pub text: String,
    /// How many model calls it took, those for a nudge or a summary among them.
    pub steps: u32,
    /// What they cost together; `None` where no vendor told.
    pub usage: Option<Usage>,
    /// Why it failed.
    pub error: Option<TurnError>,
    /// Files that go out with it, in the order in which tools gave them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<OutgoingFile>,
}

/// In which way a turn ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OutcomeKind {
    /// With an answer.
    Answered,
    /// By a person.
    Stopped,
    /// By an error.
    Failed,
    /// With nothing to say, where that is allowed.
    Silent,
}

/// Why a turn failed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TurnError {
    /// A stable name: one of [`crate::ErrorClass::name`], or `interrupted`, `executor`, `storage`, `tool_loop`.
    pub class: String,
    /// What went wrong, for people.
    pub message: String,
}
