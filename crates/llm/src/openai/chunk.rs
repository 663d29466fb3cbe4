//! A chunk of a streamed completion; a whole completion has the same form with `message` for `delta`.

use serde::Deserialize;
use serde_json::Value;

use crate::wire::{Content, Number, Presence, Text};

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Chunk<'a> {
    #[serde(borrow)]
    pub(super) choices: Option<Vec<Choice<'a>>>,
    pub(super) usage: Option<Usage>,
    pub(super) error: Presence,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Choice<'a> {
    pub(super) index: Number,
    #[serde(borrow)]
    pub(super) delta: Option<Delta<'a>>,
    /// Where completions stood before there were chats.
    #[serde(borrow)]
    pub(super) text: Text<'a>,
    #[serde(borrow)]
    pub(super) message: Option<Box<Delta<'a>>>,
    #[serde(borrow)]
    pub(super) finish_reason: Text<'a>,
    /// Moonshot puts it here.
    pub(super) usage: Option<Box<Usage>>,
    /// OpenRouter puts it here.
    pub(super) error: Presence,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Delta<'a> {
    #[serde(borrow)]
    pub(super) content: Content<'a>,
    #[serde(borrow)]
    pub(super) refusal: Text<'a>,
    #[serde(borrow)]
    pub(super) reasoning_content: Content<'a>,
    #[serde(borrow)]
    pub(super) reasoning: Content<'a>,
    #[serde(borrow)]
    pub(super) thinking: Content<'a>,
    #[serde(borrow)]
    pub(super) reasoning_text: Content<'a>,
    pub(super) reasoning_details: Option<Vec<Value>>,
    #[serde(borrow)]
    pub(super) tool_calls: Option<Vec<Option<CallDelta<'a>>>>,
    /// The form before there were parallel calls.
    #[serde(borrow)]
    pub(super) function_call: Option<Box<FunctionDelta<'a>>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct CallDelta<'a> {
    pub(super) index: Number,
    #[serde(borrow)]
    pub(super) id: Text<'a>,
    #[serde(borrow)]
    pub(super) function: Option<FunctionDelta<'a>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct FunctionDelta<'a> {
    #[serde(borrow)]
    pub(super) name: Text<'a>,
    #[serde(borrow)]
    pub(super) arguments: Content<'a>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Usage {
    pub(super) prompt_tokens: Number,
    pub(super) completion_tokens: Number,
    pub(super) prompt_tokens_details: Option<PromptDetails>,
    /// DeepSeek's name.
    pub(super) prompt_cache_hit_tokens: Number,
    /// Moonshot's name.
    pub(super) cached_tokens: Number,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct PromptDetails {
    pub(super) cached_tokens: Number,
}
