//! An event of a streamed message; a whole message has `content` and `stop_reason` at the top.

use serde::Deserialize;
use serde_json::Value;

use crate::wire::{Number, Presence, Text};

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Event<'a> {
    #[serde(rename = "type", borrow)]
    pub(super) kind: Text<'a>,
    pub(super) index: Number,
    #[serde(borrow)]
    pub(super) content_block: Option<Block<'a>>,
    #[serde(borrow)]
    pub(super) delta: Option<Delta<'a>>,
    pub(super) message: Option<Start>,
    pub(super) usage: Option<Usage>,
    pub(super) error: Presence,
    #[serde(borrow)]
    pub(super) content: Option<Vec<Block<'a>>>,
    #[serde(borrow)]
    pub(super) stop_reason: Text<'a>,
}

/// The message as it begins.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Start {
    pub(super) usage: Option<Usage>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Block<'a> {
    #[serde(rename = "type", borrow)]
    pub(super) kind: Text<'a>,
    #[serde(borrow)]
    pub(super) text: Text<'a>,
    #[serde(borrow)]
    pub(super) thinking: Text<'a>,
    #[serde(borrow)]
    pub(super) signature: Text<'a>,
    #[serde(borrow)]
    pub(super) data: Text<'a>,
    #[serde(borrow)]
    pub(super) id: Text<'a>,
    #[serde(borrow)]
    pub(super) name: Text<'a>,
    pub(super) input: Option<Value>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Delta<'a> {
    #[serde(rename = "type", borrow)]
    pub(super) kind: Text<'a>,
    #[serde(borrow)]
    pub(super) text: Text<'a>,
    #[serde(borrow)]
    pub(super) thinking: Text<'a>,
    #[serde(borrow)]
    pub(super) signature: Text<'a>,
    #[serde(borrow)]
    pub(super) partial_json: Text<'a>,
    #[serde(borrow)]
    pub(super) stop_reason: Text<'a>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Usage {
    pub(super) input_tokens: Number,
    pub(super) output_tokens: Number,
    pub(super) cache_creation_input_tokens: Number,
    pub(super) cache_read_input_tokens: Number,
}
