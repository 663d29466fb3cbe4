//! Replies and errors in OpenAI's form.

use chat::{ErrorClass, Usage};
use serde_json::{Value, json};

use crate::scripted_model::received::Received;
use crate::scripted_model::stream::{Piece, cut_text};
use crate::step::{Failure, Part, Reply};

/// A reply as a stream of chunks.
pub(crate) fn stream(reply: &Reply, request: &Received) -> Vec<Piece> {
    let mut chunks = Chunks::new(request);
    chunks.delta(&json!({"role": "assistant", "content": "", "refusal": null}));
    for part in &reply.parts {
        chunks.part(part, reply.chars_per_event);
    }
    if reply.whole {
        chunks.finish(finish_of(reply), reply.usage);
    }
    chunks.pieces
}

/// A reply as one object.
pub(crate) fn whole(reply: &Reply, request: &Received) -> Value {
    let texts = |want: fn(&Part) -> Option<&str>| -> String { reply.parts.iter().filter_map(want).collect() };
    let text = texts(|part| if let Part::Text(text) = part { Some(text) } else { None });
    let reasoning = texts(|part| if let Part::Reasoning(text) = part { Some(text) } else { None });
    let mut message = json!({"role": "assistant", "content": text, "refusal": null});
    if !reasoning.is_empty() {
        message["reasoning_content"] = reasoning.into();
    }
    let calls: Vec<Value> = calls_of(reply, request.number).collect();
    if !calls.is_empty() {
        message["tool_calls"] = calls.into();
    }
    let choice = json!({"index": 0, "message": message, "logprobs": null, "finish_reason": finish_of(reply)});
    let mut body = head(request, "chat.completion");
    body["choices"] = json!([choice]);
    body["usage"] = reply.usage.map_or(Value::Null, usage_of);
    body
}

fn calls_of(reply: &Reply, number: usize) -> impl Iterator<Item = Value> {
    let calls = reply.parts.iter().filter_map(|part| match part {
        Part::Call { id, name, arguments } => Some((id, name, arguments)),
        _ => None,
    });
    calls.enumerate().map(move |(index, (id, name, arguments))| {
        let id = id.clone().unwrap_or_else(|| call_id(number, index));
        json!({"id": id, "type": "function", "function": {"name": name, "arguments": arguments}})
    })
}

fn call_id(number: usize, index: usize) -> String {
    format!("call_{number}_{index}")
}

fn finish_of(reply: &Reply) -> &str {
    reply.finish.as_deref().unwrap_or(if reply.has_calls() { "tool_calls" } else { "stop" })
}

fn head(request: &Received, object: &str) -> Value {
    json!({
        "id": format!("chatcmpl-{}", request.number),
        "object": object,
        "created": 1_700_000_000,
        "model": request.body["model"],
        "system_fingerprint": null,
    })
}

/// The fields of a usage object.
/// Source: <https://github.com/openai/openai-openapi>, `CompletionUsage`.
fn usage_of(usage: Usage) -> Value {
    json!({
        "prompt_tokens": usage.input,
        "completion_tokens": usage.output,
        "total_tokens": usage.input + usage.output,
        "prompt_tokens_details": {"cached_tokens": usage.cached, "audio_tokens": 0},
        "completion_tokens_details": {"reasoning_tokens": 0, "audio_tokens": 0},
    })
}

/// The chunks of one streamed reply.
struct Chunks<'a> {
    request: &'a Received,
    pieces: Vec<Piece>,
    calls: usize,
}

impl<'a> Chunks<'a> {
    fn new(request: &'a Received) -> Self {
        Self { request, pieces: Vec::new(), calls: 0 }
    }

    fn part(&mut self, part: &Part, chars: usize) {
        match part {
            Part::Text(text) => cut_text(text, chars).iter().for_each(|text| self.delta(&json!({"content": text}))),
            // Source: https://api-docs.deepseek.com/guides/reasoning_model
            Part::Reasoning(text) => {
                cut_text(text, chars).iter().for_each(|text| self.delta(&json!({"reasoning_content": text})));
            }
            Part::Call { id, name, arguments } => self.call(id.as_deref(), name, arguments, chars),
            Part::Gate(gate) => self.pieces.push(Piece::Gate(gate.clone())),
            Part::Pause(time) => self.pieces.push(Piece::Pause(*time)),
            Part::Error(failure) => self.event(&error(failure)),
            Part::Cut => self.pieces.push(Piece::Cut),
            Part::Stall => self.pieces.push(Piece::Stall),
        }
    }

    fn call(&mut self, id: Option<&str>, name: &str, arguments: &str, chars: usize) {
        let index = self.calls;
        self.calls += 1;
        let id = id.map_or_else(|| call_id(self.request.number, index), str::to_owned);
        let function = json!({"name": name, "arguments": ""});
        self.delta(&json!({"tool_calls": [{"index": index, "id": id, "type": "function", "function": function}]}));
        for fragment in cut_text(arguments, chars) {
            let function = json!({"arguments": fragment});
            self.delta(&json!({"tool_calls": [{"index": index, "function": function}]}));
        }
    }

    fn delta(&mut self, delta: &Value) {
        self.choice(delta, None);
    }

    fn choice(&mut self, delta: &Value, finish: Option<&str>) {
        let mut chunk = self.head();
        chunk["choices"] = json!([{"index": 0, "delta": delta, "logprobs": null, "finish_reason": finish}]);
        self.event(&chunk);
    }

    fn finish(&mut self, finish: &str, usage: Option<Usage>) {
        self.choice(&json!({}), Some(finish));
        if let (Some(usage), true) = (usage, self.wants_usage()) {
            let mut chunk = self.head();
            chunk["choices"] = json!([]);
            chunk["usage"] = usage_of(usage);
            self.event(&chunk);
        }
        self.pieces.push(Piece::Bytes(b"data: [DONE]\n\n".to_vec()));
    }

    /// Source: <https://github.com/openai/openai-openapi>, `ChatCompletionStreamOptions`: every chunk has a usage field then.
    fn wants_usage(&self) -> bool {
        self.request.body["stream_options"]["include_usage"] == Value::Bool(true)
    }

    fn head(&self) -> Value {
        let mut chunk = head(self.request, "chat.completion.chunk");
        if self.wants_usage() {
            chunk["usage"] = Value::Null;
        }
        chunk
    }

    fn event(&mut self, data: &Value) {
        self.pieces.push(Piece::Bytes(format!("data: {data}\n\n").into_bytes()));
    }
}

/// The body that comes with an error.
pub(crate) fn error(failure: &Failure) -> Value {
    let (kind, param, code, message) = words(failure.class);
    let message = failure.message.as_deref().unwrap_or(message);
    json!({"error": {"message": message, "type": kind, "param": param, "code": code}})
}

/// Type, parameter, code and message of an error.
fn words(class: ErrorClass) -> (Option<&'static str>, Option<&'static str>, Option<&'static str>, &'static str) {
    const REFUSED: Option<&str> = Some("invalid_request_error");
    match class {
        // Source: https://github.com/continuedev/continue/issues/9634
        ErrorClass::Auth => (REFUSED, None, Some("invalid_api_key"), "Incorrect API key provided: sk-***."),
        // Source: https://github.com/ChatGPTNextWeb/NextChat/issues/3664
        ErrorClass::Quota => (
            Some("insufficient_quota"),
            None,
            Some("insufficient_quota"),
            "You exceeded your current quota, please check your plan and billing details.",
        ),
        // Source of the words of this one, the next and the last: https://platform.openai.com/docs/guides/error-codes
        ErrorClass::RateLimited => (
            Some("requests"),
            None,
            Some("rate_limit_exceeded"),
            "Rate limit reached for requests. Please try again later.",
        ),
        ErrorClass::Overloaded => {
            (Some("server_error"), None, None, "The engine is currently overloaded, please try again later.")
        }
        // Source: https://github.com/chathub-dev/chathub/issues/126
        ErrorClass::Overflow => (
            REFUSED,
            Some("messages"),
            Some("context_length_exceeded"),
            "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens. \
             Please reduce the length of the messages.",
        ),
        // Source: https://github.com/sdcb/chats/pull/132
        ErrorClass::MalformedHistory => (
            REFUSED,
            Some("messages.[1].role"),
            None,
            "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
        ),
        // Source: https://github.com/openai/openai-python/issues/331
        ErrorClass::ContentFilter => (
            None,
            Some("prompt"),
            Some("content_filter"),
            "The response was filtered due to the prompt triggering the content management policy.",
        ),
        ErrorClass::BadRequest => (REFUSED, None, None, "The request is invalid."),
        ErrorClass::Network
        | ErrorClass::Timeout
        | ErrorClass::Truncated
        | ErrorClass::Empty
        | ErrorClass::Server
        | ErrorClass::Protocol => (
            Some("server_error"),
            None,
            None,
            "The server had an error while processing your request. Sorry about that!",
        ),
    }
}
