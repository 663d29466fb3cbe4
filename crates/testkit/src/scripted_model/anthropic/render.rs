//! Replies and errors in Anthropic's form.
//! Source: <https://docs.anthropic.com/en/docs/build-with-claude/streaming>.

use chat::{ErrorClass, Usage};
use serde_json::{Value, json};

use crate::scripted_model::format::signature;
use crate::scripted_model::received::Received;
use crate::scripted_model::stream::{Piece, cut_text};
use crate::step::{Failure, Part, Reply};

/// A reply as a stream of events.
pub(crate) fn stream(reply: &Reply, request: &Received) -> Vec<Piece> {
    let mut events = Events { request, pieces: Vec::new(), blocks: 0 };
    let mut message = head(request);
    message["content"] = json!([]);
    message["stop_reason"] = Value::Null;
    message["usage"] = usage_of(reply.usage.map(|usage| Usage { output: 1, ..usage }));
    events.event("message_start", json!({"message": message}));
    events.event("ping", json!({}));
    for part in &reply.parts {
        events.part(part, reply.chars_per_event);
    }
    if reply.whole {
        let delta = json!({"stop_reason": finish_of(reply), "stop_sequence": null});
        events.event("message_delta", json!({"delta": delta, "usage": usage_of(reply.usage)}));
        events.event("message_stop", json!({}));
    }
    events.pieces
}

/// A reply as one object.
pub(crate) fn whole(reply: &Reply, request: &Received) -> Value {
    let mut calls = 0;
    let mut blocks = Vec::new();
    for part in &reply.parts {
        blocks.extend(match part {
            Part::Text(text) => Some(json!({"type": "text", "text": text})),
            Part::Reasoning(text) => Some(json!({"type": "thinking", "thinking": text, "signature": signature(text)})),
            Part::Call { id, name, arguments } => {
                let input: Value = serde_json::from_str(arguments).expect("a whole reply has whole arguments");
                calls += 1;
                let id = id.clone().unwrap_or_else(|| call_id(request, calls - 1));
                Some(json!({"type": "tool_use", "id": id, "name": name, "input": input}))
            }
            Part::Gate(_) | Part::Pause(_) | Part::Error(_) | Part::Cut | Part::Stall => None,
        });
    }
    let mut message = head(request);
    message["content"] = blocks.into();
    message["stop_reason"] = finish_of(reply).into();
    message["usage"] = usage_of(reply.usage);
    message
}

fn head(request: &Received) -> Value {
    json!({
        "id": format!("msg_{}", request.number),
        "type": "message",
        "role": "assistant",
        "model": request.body["model"],
        "stop_sequence": null,
    })
}

fn call_id(request: &Received, index: usize) -> String {
    format!("toolu_{}_{index}", request.number)
}

fn finish_of(reply: &Reply) -> &str {
    match reply.finish.as_deref() {
        Some("length") => "max_tokens",
        Some("content_filter") => "refusal",
        Some("stop") => "end_turn",
        Some(word) => word,
        None if reply.has_calls() => "tool_use",
        None => "end_turn",
    }
}

/// Tokens of the prompt are told apart by whether they were cached.
fn usage_of(usage: Option<Usage>) -> Value {
    let Some(usage) = usage else { return json!({}) };
    json!({
        "input_tokens": usage.input.saturating_sub(usage.cached),
        "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": usage.cached,
        "output_tokens": usage.output,
    })
}

/// The events of one streamed reply.
struct Events<'a> {
    request: &'a Received,
    pieces: Vec<Piece>,
    blocks: usize,
}

impl Events<'_> {
    fn part(&mut self, part: &Part, chars: usize) {
        match part {
            Part::Text(text) => {
                let pieces = cut_text(text, chars).into_iter().map(|text| json!({"type": "text_delta", "text": text}));
                self.block(&json!({"type": "text", "text": ""}), pieces.collect());
            }
            Part::Reasoning(text) => {
                let pieces = cut_text(text, chars).into_iter();
                let mut deltas: Vec<Value> =
                    pieces.map(|text| json!({"type": "thinking_delta", "thinking": text})).collect();
                deltas.push(json!({"type": "signature_delta", "signature": signature(text)}));
                self.block(&json!({"type": "thinking", "thinking": "", "signature": ""}), deltas);
            }
            Part::Call { id, name, arguments } => {
                let id = id.clone().unwrap_or_else(|| call_id(self.request, self.blocks));
                let pieces = cut_text(arguments, chars).into_iter();
                let deltas = pieces.map(|json| json!({"type": "input_json_delta", "partial_json": json}));
                self.block(&json!({"type": "tool_use", "id": id, "name": name, "input": {}}), deltas.collect());
            }
            Part::Gate(gate) => self.pieces.push(Piece::Gate(gate.clone())),
            Part::Pause(time) => self.pieces.push(Piece::Pause(*time)),
            Part::Error(failure) => self.event("error", error(failure)),
            Part::Cut => self.pieces.push(Piece::Cut),
            Part::Stall => self.pieces.push(Piece::Stall),
        }
    }

    fn block(&mut self, start: &Value, deltas: Vec<Value>) {
        let index = self.blocks;
        self.blocks += 1;
        self.event("content_block_start", json!({"index": index, "content_block": start}));
        for delta in deltas {
            self.event("content_block_delta", json!({"index": index, "delta": delta}));
        }
        self.event("content_block_stop", json!({"index": index}));
    }

    fn event(&mut self, name: &str, mut data: Value) {
        data["type"] = name.into();
        self.pieces.push(Piece::Bytes(format!("event: {name}\ndata: {data}\n\n").into_bytes()));
    }
}

/// The body that comes with an error.
pub(crate) fn error(failure: &Failure) -> Value {
    let (kind, message) = words(failure.class);
    let message = failure.message.as_deref().unwrap_or(message);
    json!({"type": "error", "error": {"type": kind, "message": message}, "request_id": "req_scripted"})
}

/// Type and message of an error.
/// Source of the types: <https://docs.anthropic.com/en/api/errors>; of the words, where no other is named, there is none.
fn words(class: ErrorClass) -> (&'static str, &'static str) {
    match class {
        ErrorClass::Auth => ("authentication_error", "invalid x-api-key"),
        ErrorClass::Quota => (
            "invalid_request_error",
            "Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or \
             purchase credits.",
        ),
        ErrorClass::RateLimited => ("rate_limit_error", "This request would exceed your organization's rate limit."),
        ErrorClass::Overloaded => ("overloaded_error", "Overloaded"),
        ErrorClass::Overflow => ("invalid_request_error", "prompt is too long: 210000 tokens > 200000 maximum"),
        // Source: https://github.com/tghamm/Anthropic.SDK/issues/184
        ErrorClass::MalformedHistory => (
            "invalid_request_error",
            "messages.1.content.0: unexpected `tool_use_id` found in `tool_result` blocks: toolu_1. Each `tool_result` \
             block must have a corresponding `tool_use` block in the previous message.",
        ),
        ErrorClass::ContentFilter => ("invalid_request_error", "Output blocked by content filtering policy"),
        ErrorClass::BadRequest => ("invalid_request_error", "The request is invalid"),
        ErrorClass::Timeout => ("timeout_error", "The request timed out"),
        ErrorClass::Network | ErrorClass::Truncated | ErrorClass::Empty | ErrorClass::Server | ErrorClass::Protocol => {
            ("api_error", "Internal server error")
        }
    }
}
