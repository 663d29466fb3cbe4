//! OpenAI chat completions.

use serde_json::{Value, json};

use super::format::Call;
use super::received::Line;
use super::refusal::Refusal;
use super::rules::Rules;

mod check;
mod messages;
mod refuse;
mod render;
#[cfg(test)]
mod tests;

pub(crate) use check::check;
pub(crate) use render::{error, stream, whole};

/// Answers a look at which models there are.
pub(crate) fn models(call: &Call<'_>, rules: &Rules) -> Option<Result<Value, Refusal>> {
    if call.method != "GET" || call.path != "/v1/models" {
        return None;
    }
    let model = json!({"id": "scripted", "object": "model", "created": 1_700_000_000, "owned_by": "testkit"});
    let list = json!({"object": "list", "data": [model]});
    Some(check::key(call.headers, rules).map(|()| list))
}

/// What a request says, message by message.
pub(crate) fn lines(body: &Value) -> Vec<Line> {
    let messages = body["messages"].as_array().into_iter().flatten();
    messages.flat_map(lines_of_message).collect()
}

fn lines_of_message(message: &Value) -> Vec<Line> {
    let line: fn(String) -> Line = match message["role"].as_str() {
        Some("system" | "developer") => Line::System,
        Some("assistant") => Line::Assistant,
        Some("tool") => return vec![result_line(message)],
        _ => Line::User,
    };
    let mut lines = match &message["content"] {
        Value::String(text) if !text.is_empty() => vec![line(text.clone())],
        Value::Array(parts) => parts.iter().map(|part| line_of_part(part, line)).collect(),
        _ => Vec::new(),
    };
    lines.extend(message["tool_calls"].as_array().into_iter().flatten().map(call_line));
    lines
}

fn line_of_part(part: &Value, line: fn(String) -> Line) -> Line {
    match part["image_url"]["url"].as_str() {
        Some(url) => {
            let media_type = url.strip_prefix("data:").and_then(|rest| rest.split(';').next());
            Line::Image(media_type.unwrap_or("url").to_owned())
        }
        None => line(text_of(&part["text"])),
    }
}

fn call_line(call: &Value) -> Line {
    let arguments = text_of(&call["function"]["arguments"]);
    Line::Call {
        id: text_of(&call["id"]),
        name: text_of(&call["function"]["name"]),
        arguments: serde_json::from_str(&arguments).unwrap_or(Value::String(arguments)),
    }
}

fn result_line(message: &Value) -> Line {
    let content = match &message["content"] {
        Value::Array(parts) => parts.iter().map(|part| text_of(&part["text"])).collect(),
        content => text_of(content),
    };
    Line::Result { id: text_of(&message["tool_call_id"]), content }
}

fn text_of(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

/// The names of the tools that a request offers.
pub(crate) fn tool_names(body: &Value) -> Vec<String> {
    let tools = body["tools"].as_array().into_iter().flatten();
    tools.map(|tool| text_of(&tool["function"]["name"])).collect()
}
