//! What goes into a turn and what comes out.

use std::num::{NonZeroU32, NonZeroUsize};
use std::sync::Arc;

use chat::{InboxId, Language, Message, ModelError, Outcome, Progress, Reply, ToolCall, ToolResult, View};
use serde::{Deserialize, Deserializer, Serialize};

/// The version of the machine. It changes whenever the same inputs may cause other effects.
pub const VERSION: u32 = 1;

/// All that a turn starts from: event 0 of its journal.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Start {
    /// The machine that recorded it: [`VERSION`].
    pub version: u32,
    /// The language of the machine's own texts.
    pub language: Language,
    /// How far it may go.
    pub limits: Limits,
    /// The tools it is offered.
    pub tools: Vec<ToolFacts>,
    /// What of the history is sent, already fitted to the budget.
    pub view: View,
    /// The prepared message of the person.
    pub message: Arc<Message>,
    /// Whether ending without a word is fine.
    pub may_be_silent: bool,
}

/// How far a turn may go.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Limits {
    /// Model calls that may ask for tools.
    #[serde(deserialize_with = "positive")]
    pub max_steps: u32,
    /// How often one step is asked again after transient failures.
    pub retries: u32,
    /// The longest pause that is kept because a server asked for it, in seconds; a longer one fails the step.
    pub longest_pause_s: u32,
    /// Of one tool result, how many characters the model is shown.
    #[serde(deserialize_with = "positive_size")]
    pub tool_result_chars: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { max_steps: 100, retries: 3, longest_pause_s: 300, tool_result_chars: 50_000 }
    }
}

fn positive<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u32, D::Error> {
    NonZeroU32::deserialize(deserializer).map(NonZeroU32::get)
}

fn positive_size<'de, D: Deserializer<'de>>(deserializer: D) -> Result<usize, D::Error> {
    NonZeroUsize::deserialize(deserializer).map(NonZeroUsize::get)
}

/// What the machine knows of a tool.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToolFacts {
    /// Its name.
    pub name: String,
    /// Whether several calls of it may run at once.
    pub parallel_safe: bool,
    /// Whether it runs by itself once the turn is over, so that no model may call it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub after_turn: bool,
    /// The names of the arguments it cannot do without.
    pub required: Vec<String>,
    /// Its advice on sending less at a time.
    pub advice: Option<String>,
}

/// What happens to a turn.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Input {
    /// The model replied.
    ReplyReceived(Reply),
    /// The model gave no whole reply.
    ModelFailed {
        /// Why.
        error: ModelError,
        /// The visible text that came before.
        partial: String,
    },
    /// A call came to its end.
    ToolFinished {
        /// Which.
        call: String,
        /// What it gave back, already capped.
        result: ToolResult,
        /// How long it ran, in milliseconds.
        ms: u64,
    },
    /// The person wrote again.
    Steered {
        /// The messages.
        inbox: Vec<InboxId>,
        /// What they say.
        text: String,
        /// When it takes effect.
        mode: SteerMode,
    },
    /// The turn is to end.
    Cancelled {
        /// The visible text of the reply that was being written.
        partial: String,
        /// What goes on all the same, a line each.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        goes_on: Vec<String>,
    },
    /// The pause is over.
    BackoffElapsed,
    /// A call that must not run twice is about to run, and that is on disk: where this is not on record, it has surely not run.
    ToolStarted {
        /// Which.
        call: String,
    },
    /// A call that must not run twice had started when the program ended. It is not run again.
    ToolInterrupted {
        /// Which.
        call: String,
    },
    /// What is on record cannot be gone on with as it is, because another machine recorded it: what is open is closed, and the
    /// turn goes on with a fresh step.
    Resumed {
        /// The machine that goes on: [`VERSION`].
        version: u32,
        /// How far it may go from now on.
        limits: Limits,
        /// The tools it is offered from now on.
        tools: Vec<ToolFacts>,
    },
}

/// When what a person adds takes effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SteerMode {
    /// After the results of the present step; no call is skipped. Where the turn ends first, it was not consumed.
    Add,
    /// As soon as possible: what has not started is skipped.
    Now,
}

/// What a turn wants to be done.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Effect {
    /// Ask the model; messages, prompt and tool schemas are joined to it by who performs it.
    CallModel {
        /// Which model call of the turn it is, from 1; a retry keeps its number.
        step: u32,
        /// Whether tools are offered.
        offer_tools: bool,
        /// A text that follows the last message in this request alone.
        nudge: Option<String>,
        /// How much smaller than usual the request has to be.
        shrink: Shrink,
        /// Whether the messages go through the repair of foreign histories first, because a vendor refused them as malformed.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        repair: bool,
    },
    /// Drop the request that runs.
    AbortModel,
    /// Run these calls; each is answered by [`Input::ToolFinished`].
    RunTools {
        /// The calls, in the model's order.
        calls: Vec<ToolCall>,
        /// Whether they run at once; otherwise there is just one.
        together: bool,
    },
    /// End the calls that run.
    AbortTools,
    /// Come back with [`Input::BackoffElapsed`] after this many milliseconds.
    Wait {
        /// The pause.
        ms: u64,
    },
    /// Tell this.
    Report(Progress),
    /// The turn is over.
    Finish(Outcome),
}

/// How much smaller than usual a request has to be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Shrink {
    /// As usual.
    #[default]
    None,
    /// Hard: results and long texts are cut, only the last turns are sent.
    Hard,
    /// Only the present turn is sent.
    Reset,
}
