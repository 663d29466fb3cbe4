//! The rules that a request has to keep to, in the order in which they are looked at.

use std::collections::BTreeSet;

use axum::http::HeaderMap;
use serde_json::{Map, Value, json};

use super::{messages, thinking};
use crate::scripted_model::format::Call;
use crate::scripted_model::refusal::Refusal;
use crate::scripted_model::rules::Rules;

/// Reads a request, or says which rule it breaks.
pub(crate) fn check(call: &Call<'_>, rules: &Rules) -> Result<Value, Refusal> {
    if call.method != "POST" || call.path != "/v1/messages" {
        return Err(refusal(404, "not_found_error", "Not found"));
    }
    headers(call.headers, rules)?;
    let body = json(call)?;
    fields(&body, rules)?;
    tools(&body)?;
    messages::check(&body)?;
    thinking::check(&body)?;
    Ok(Value::Object(body))
}

/// A refusal with status 400. The words all are those that the service was seen to use.
pub(super) fn invalid(message: impl Into<String>) -> Refusal {
    refusal(400, "invalid_request_error", message)
}

fn refusal(status: u16, kind: &str, message: impl Into<String>) -> Refusal {
    let message = message.into();
    let body = json!({"type": "error", "error": {"type": kind, "message": message}, "request_id": "req_scripted"});
    Refusal { status, body, message }
}

/// Source: <https://docs.anthropic.com/en/api/errors> for the types, <https://docs.anthropic.com/en/api/versioning> for the version;
/// the words have no public source.
pub(super) fn headers(headers: &HeaderMap, rules: &Rules) -> Result<(), Refusal> {
    let value = |name| headers.get(name).and_then(|value| value.to_str().ok());
    match value("x-api-key") {
        Some(key) if key == rules.key => {}
        Some(_) => return Err(refusal(401, "authentication_error", "invalid x-api-key")),
        None => return Err(refusal(401, "authentication_error", "x-api-key header is required")),
    }
    match value("anthropic-version") {
        Some("2023-06-01") => Ok(()),
        _ => Err(invalid("anthropic-version: header is required")),
    }
}

/// No public source for the words.
fn json(call: &Call<'_>) -> Result<Map<String, Value>, Refusal> {
    let content_type = call.headers.get("content-type").and_then(|value| value.to_str().ok());
    let says_json = content_type.is_some_and(|value| value.starts_with("application/json"));
    match serde_json::from_slice(call.body) {
        Ok(Value::Object(body)) if says_json => Ok(body),
        _ => Err(invalid("The request body is not valid JSON")),
    }
}

/// Source: <https://docs.anthropic.com/en/api/messages>.
const FIELDS: [&str; 15] = [
    "model",
    "messages",
    "max_tokens",
    "system",
    "tools",
    "tool_choice",
    "stream",
    "thinking",
    "temperature",
    "top_p",
    "top_k",
    "stop_sequences",
    "metadata",
    "service_tier",
    "output_config",
];

fn fields(body: &Map<String, Value>, rules: &Rules) -> Result<(), Refusal> {
    if let (Some(field), true) = (body.keys().find(|it| !FIELDS.contains(&it.as_str())), rules.known_fields_only) {
        // Source: https://github.com/amrit110/oli/issues/7
        return Err(invalid(format!("{field}: Extra inputs are not permitted")));
    }
    // That each of these has to be there: https://docs.anthropic.com/en/api/messages
    let missing = ["model", "max_tokens", "messages"].into_iter().find(|field| !body.contains_key(*field));
    if let Some(field) = missing {
        return Err(invalid(format!("{field}: Field required")));
    }
    if body["max_tokens"].as_u64().unwrap_or(0) == 0 {
        return Err(invalid("max_tokens: Input should be greater than or equal to 1"));
    }
    system(&body.get("system").cloned().unwrap_or(Value::Null))?;
    cache_marks(body)
}

fn system(system: &Value) -> Result<(), Refusal> {
    match system {
        Value::Null => Ok(()),
        Value::String(_) => Ok(()),
        Value::Array(blocks) if blocks.iter().all(|it| it["type"] == "text" && it["text"].is_string()) => {
            match blocks.iter().find(|block| block["text"] == "") {
                Some(_) => Err(invalid("system: text content blocks must be non-empty")),
                None => Ok(()),
            }
        }
        _ => Err(invalid("system: Input should be a valid string or a list of text blocks")),
    }
}

/// Source: <https://docs.anthropic.com/en/docs/build-with-claude/prompt-caching>: up to four breakpoints.
fn cache_marks(body: &Map<String, Value>) -> Result<(), Refusal> {
    fn count(value: &Value) -> usize {
        match value {
            Value::Object(fields) => {
                usize::from(fields.contains_key("cache_control")) + fields.values().map(count).sum::<usize>()
            }
            Value::Array(items) => items.iter().map(count).sum(),
            _ => 0,
        }
    }
    let found: usize = body.values().map(count).sum();
    if found <= 4 {
        return Ok(());
    }
    Err(invalid(format!("A maximum of 4 blocks with cache_control may be provided. Found {found}.")))
}

/// Source: <https://docs.anthropic.com/en/docs/agents-and-tools/tool-use/implement-tool-use> for the pattern of names.
fn tools(body: &Map<String, Value>) -> Result<(), Refusal> {
    let mut names = BTreeSet::new();
    for (at, tool) in body.get("tools").and_then(Value::as_array).into_iter().flatten().enumerate() {
        let name = tool["name"].as_str().unwrap_or_default();
        if !is_name(name) {
            let pattern = "String should match pattern '^[a-zA-Z0-9_-]{1,64}$'";
            return Err(invalid(format!("tools.{at}.custom.name: {pattern}")));
        }
        if tool["input_schema"]["type"] != "object" {
            return Err(invalid(format!("tools.{at}.custom.input_schema.type: Input should be 'object'")));
        }
        if !names.insert(name) {
            return Err(invalid("tools: Tool names must be unique."));
        }
    }
    if names.is_empty() && body.contains_key("tool_choice") {
        return Err(invalid("tool_choice: may only be specified while providing tools"));
    }
    Ok(())
}

pub(super) fn is_name(name: &str) -> bool {
    let is_legal = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
    (1..=64).contains(&name.len()) && name.bytes().all(is_legal)
}
