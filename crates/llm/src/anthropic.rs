//! Anthropic's messages.

mod event;
mod request;
#[cfg(test)]
mod tests;
mod thinking;

use chat::Finish;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::draft::{Draft, DraftArguments, DraftCall, truncated};
use crate::format::{Refusal, error_in};
use crate::wire::lenient_value;
pub(crate) use request::{Request, request};

use event::{Block, Delta, Event, Usage};

/// Where messages are asked for; the base URL may end with the version.
pub(crate) fn url(base: &str) -> String {
    if base.ends_with("/v1") { format!("{base}/messages") } else { format!("{base}/v1/messages") }
}

/// What is remembered between the events of one reply.
#[derive(Debug, Default)]
pub(crate) struct Assembly {
    /// The content blocks, by the index that the wire gives them.
    blocks: Vec<(Option<u64>, Kind)>,
}

/// What a content block is.
#[derive(Clone, Copy, Debug)]
enum Kind {
    Text,
    Thinking,
    /// The call at this place in the draft.
    Call(usize),
    /// Something that the server keeps to itself.
    Other,
}

impl Assembly {
    /// Takes an event's data.
    pub(crate) fn read_event(&mut self, data: &str, draft: &mut Draft) -> Result<(), Refusal> {
        if let Ok(event) = serde_json::from_str(data) {
            return self.take(&event, data, draft);
        }
        let value = lenient_value(data)?;
        self.take(&Event::deserialize(&value)?, data, draft)
    }

    /// Takes a whole message.
    pub(crate) fn read_document(&mut self, data: &str, draft: &mut Draft) -> Result<(), Refusal> {
        let value = lenient_value(data)?;
        let message = Event::deserialize(&value)?;
        let Some(blocks) = &message.content else { return Ok(()) };
        for block in blocks {
            self.begin(None, block, draft);
        }
        take_usage(message.usage.as_ref(), draft);
        draft.end(finish_of(message.stop_reason.as_str()));
        Ok(())
    }

    fn take(&mut self, event: &Event<'_>, data: &str, draft: &mut Draft) -> Result<(), Refusal> {
        match event.kind.as_str() {
            "message_start" => take_usage(event.message.as_ref().and_then(|message| message.usage.as_ref()), draft),
            "content_block_start" => {
                if let Some(block) = &event.content_block {
                    self.begin(event.index.0, block, draft);
                }
            }
            "content_block_delta" => {
                if let Some(delta) = &event.delta {
                    self.add(event.index.0, delta, draft);
                }
            }
            "message_delta" => {
                take_usage(event.usage.as_ref(), draft);
                let finish = event.delta.as_ref().and_then(|delta| finish_of(delta.stop_reason.as_str()));
                if finish.is_some() {
                    draft.end(finish);
                }
            }
            "message_stop" => {
                draft.end(None);
                draft.close(truncated);
            }
            _ if event.kind.as_str() == "error" || event.error.is_some() => return error_in(data, ""),
            _ => {}
        }
        Ok(())
    }

    fn begin(&mut self, index: Option<u64>, block: &Block<'_>, draft: &mut Draft) {
        let kind = match block.kind.as_str() {
            "text" => {
                draft.add_text(block.text.as_str());
                Kind::Text
            }
            "thinking" => {
                draft.begin_reasoning();
                draft.add_reasoning(block.thinking.as_str());
                sign(block.signature.as_str(), draft);
                Kind::Thinking
            }
            "redacted_thinking" => {
                draft.begin_reasoning();
                *draft.reasoning_data() = json!({ "redacted": block.data.as_str() });
                Kind::Other
            }
            "tool_use" => {
                draft.calls.push(call(block));
                Kind::Call(draft.calls.len() - 1)
            }
            _ => Kind::Other,
        };
        self.blocks.push((index, kind));
    }

    fn add(&mut self, index: Option<u64>, delta: &Delta<'_>, draft: &mut Draft) {
        let block = self.blocks.iter().rev().find(|(known, _)| index.is_none() || *known == index);
        match (delta.kind.as_str(), block.map(|(_, kind)| *kind)) {
            ("text_delta", Some(Kind::Text) | None) => draft.add_text(delta.text.as_str()),
            ("thinking_delta", Some(Kind::Thinking) | None) => draft.add_reasoning(delta.thinking.as_str()),
            ("signature_delta", Some(Kind::Thinking)) => sign(delta.signature.as_str(), draft),
            ("input_json_delta", Some(Kind::Call(at))) => draft.add_arguments(at, delta.partial_json.as_str()),
            _ => {}
        }
    }
}

fn call(block: &Block<'_>) -> DraftCall {
    // Some gateways send the whole input here, and nothing later.
    let arguments = match &block.input {
        Some(Value::Object(input)) if !input.is_empty() => DraftArguments::Object(input.clone()),
        _ => DraftArguments::default(),
    };
    DraftCall { id: block.id.as_str().to_owned(), name: block.name.as_str().to_owned(), arguments, provider: None }
}

/// Keeps the signature of the last run of thinking, which may come in pieces.
fn sign(piece: &str, draft: &mut Draft) {
    if piece.is_empty() {
        return;
    }
    let data = draft.reasoning_data();
    let signature = data["signature"].as_str().unwrap_or_default().to_owned() + piece;
    *data = json!({ "signature": signature });
}

fn take_usage(wire: Option<&Usage>, draft: &mut Draft) {
    let Some(wire) = wire else { return };
    let usage = draft.usage();
    // What was read from the cache or written to it is not in `input_tokens`.
    if let Some(input) = wire.input_tokens.0 {
        let read = wire.cache_read_input_tokens.0.unwrap_or(0);
        usage.input = input + read + wire.cache_creation_input_tokens.0.unwrap_or(0);
        usage.cached = read;
    }
    usage.output = wire.output_tokens.0.unwrap_or(usage.output);
}

fn finish_of(reason: &str) -> Option<Finish> {
    match reason {
        "" => None,
        "tool_use" => Some(Finish::ToolCalls),
        "max_tokens" | "model_context_window_exceeded" => Some(Finish::Length),
        "refusal" => Some(Finish::ContentFilter),
        _ => Some(Finish::Stop),
    }
}
