//! Replies and errors in Gemini's form.
//! Source: <https://ai.google.dev/api/generate-content#v1beta.GenerateContentResponse>.

use chat::{ErrorClass, Usage};
use serde_json::{Value, json};

use crate::scripted_model::format::{Format, signature};
use crate::scripted_model::received::Received;
use crate::scripted_model::stream::{Piece, cut_text};
use crate::step::{Failure, Part, Reply};

/// A reply as a stream of events.
pub(crate) fn stream(reply: &Reply, request: &Received) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut is_first_call = true;
    for part in &reply.parts {
        match part {
            Part::Gate(gate) => pieces.push(Piece::Gate(gate.clone())),
            Part::Pause(time) => pieces.push(Piece::Pause(*time)),
            Part::Error(failure) => pieces.push(event(&error(failure))),
            Part::Cut => pieces.push(Piece::Cut),
            Part::Stall => pieces.push(Piece::Stall),
            Part::Text(_) | Part::Reasoning(_) | Part::Call { .. } => {
                let contents = parts_of(part, reply.chars_per_event, &mut is_first_call);
                pieces.extend(contents.into_iter().map(|part| event(&response(request, &[part], None, None))));
            }
        }
    }
    if reply.whole {
        pieces.push(event(&response(request, &[json!({"text": ""})], Some(finish_of(reply)), reply.usage)));
    }
    pieces
}

/// A reply as one object.
pub(crate) fn whole(reply: &Reply, request: &Received) -> Value {
    let mut is_first_call = true;
    let parts: Vec<Value> =
        reply.parts.iter().flat_map(|part| parts_of(part, usize::MAX, &mut is_first_call)).collect();
    response(request, &parts, Some(finish_of(reply)), reply.usage)
}

/// The content parts of a piece; the first call of a reply is signed.
fn parts_of(part: &Part, chars: usize, is_first_call: &mut bool) -> Vec<Value> {
    match part {
        Part::Text(text) => cut_text(text, chars).into_iter().map(|text| json!({"text": text})).collect(),
        Part::Reasoning(text) => {
            cut_text(text, chars).into_iter().map(|text| json!({"text": text, "thought": true})).collect()
        }
        Part::Call { id, name, arguments } => {
            let arguments: Value = serde_json::from_str(arguments).expect("Gemini's arguments are JSON");
            let mut call = json!({"functionCall": {"name": name, "args": arguments}});
            if let Some(id) = id {
                call["functionCall"]["id"] = id.as_str().into();
            }
            if std::mem::take(is_first_call) {
                call["thoughtSignature"] = signature(name).into();
            }
            vec![call]
        }
        Part::Gate(_) | Part::Pause(_) | Part::Error(_) | Part::Cut | Part::Stall => Vec::new(),
    }
}

fn response(request: &Received, parts: &[Value], finish: Option<&str>, usage: Option<Usage>) -> Value {
    let mut candidate = json!({"content": {"parts": parts, "role": "model"}, "index": 0});
    if let Some(finish) = finish {
        candidate["finishReason"] = finish.into();
    }
    let mut response =
        json!({"candidates": [candidate], "modelVersion": "scripted", "responseId": format!("r{}", request.number)});
    if let Some(usage) = usage {
        response["usageMetadata"] = json!({
            "promptTokenCount": usage.input,
            "cachedContentTokenCount": usage.cached,
            "candidatesTokenCount": usage.output,
            "totalTokenCount": usage.input + usage.output,
        });
    }
    response
}

fn finish_of(reply: &Reply) -> &str {
    match reply.finish.as_deref() {
        Some("length") => "MAX_TOKENS",
        Some("content_filter") => "SAFETY",
        Some("stop") | None => "STOP",
        Some(word) => word,
    }
}

fn event(data: &Value) -> Piece {
    Piece::Bytes(format!("data: {data}\r\n\r\n").into_bytes())
}

/// The body that comes with an error.
/// Source of the names: <https://ai.google.dev/gemini-api/docs/troubleshooting>.
pub(crate) fn error(failure: &Failure) -> Value {
    let (name, message) = words(failure.class);
    let message = failure.message.as_deref().unwrap_or(message);
    let code = failure.status.unwrap_or_else(|| Format::Gemini.status(failure.class));
    let mut error = json!({"code": code, "message": message, "status": name});
    let details = details(failure);
    if !details.is_empty() {
        error["details"] = details.into();
    }
    json!({"error": error})
}

/// What is told of a quota, and for how long to wait.
/// Source of the types: <https://cloud.google.com/apis/design/errors>; of the rest:
/// <https://github.com/diegosouzapw/OmniRoute/issues/9504>.
fn details(failure: &Failure) -> Vec<Value> {
    let mut details = Vec::new();
    if failure.class == ErrorClass::Quota {
        let violation = json!({"quotaId": "GenerateRequestsPerDayPerProjectPerModel-FreeTier"});
        details.push(json!({"@type": "type.googleapis.com/google.rpc.QuotaFailure", "violations": [violation]}));
    }
    if let Some(seconds) = failure.retry_after_s {
        let delay = format!("{seconds}s");
        details.push(json!({"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": delay}));
    }
    details
}

fn words(class: ErrorClass) -> (&'static str, &'static str) {
    match class {
        ErrorClass::Auth => ("PERMISSION_DENIED", "API key not valid. Please pass a valid API key."),
        ErrorClass::Quota => {
            ("RESOURCE_EXHAUSTED", "You exceeded your current quota, please check your plan and billing details.")
        }
        ErrorClass::RateLimited => ("RESOURCE_EXHAUSTED", "Resource has been exhausted (e.g. check quota)."),
        ErrorClass::Overloaded => ("UNAVAILABLE", "The model is overloaded. Please try again later."),
        ErrorClass::Overflow => (
            "INVALID_ARGUMENT",
            "The input token count (1100000) exceeds the maximum number of tokens allowed (1048576).",
        ),
        // Source: https://github.com/google-gemini/gemini-cli/issues/5443
        ErrorClass::MalformedHistory => (
            "INVALID_ARGUMENT",
            "Please ensure that the number of function response parts is equal to the number of function call parts of \
             the function call turn.",
        ),
        ErrorClass::ContentFilter | ErrorClass::BadRequest => {
            ("INVALID_ARGUMENT", "Request contains an invalid argument.")
        }
        ErrorClass::Timeout => ("DEADLINE_EXCEEDED", "The service is unable to finish processing within the deadline."),
        ErrorClass::Network | ErrorClass::Truncated | ErrorClass::Empty | ErrorClass::Server | ErrorClass::Protocol => {
            ("INTERNAL", "An internal error has occurred.")
        }
    }
}
