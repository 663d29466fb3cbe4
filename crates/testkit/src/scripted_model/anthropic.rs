//! Anthropic messages.

use serde_json::{Value, json};

use super::format::Call;
use super::received::Line;
use super::refusal::Refusal;
use super::rules::Rules;

mod check;
mod messages;
mod render;
#[cfg(test)]
mod tests;
mod thinking;

pub(crate) use check::check;
pub(crate) use render::{error, stream, whole};

/// Answers a look at which models there are.
pub(crate) fn models(call: &Call<'_>, rules: &Rules) -> Option<Result<Value, Refusal>> {
    if call.method != "GET" || call.path != "/v1/models" {
        return None;
    }
    let model =
        json!({"type": "model", "id": "scripted", "display_name": "Scripted", "created_at": "2025-01-01T00:00:00Z"});
    let list = json!({"data": [model], "has_more": false, "first_id": "scripted", "last_id": "scripted"});
    Some(check::headers(call.headers, rules).map(|()| list))
}

/// What a request says, message by message.
pub(crate) fn lines(body: &Value) -> Vec<Line> {
    let system = texts(&body["system"]).into_iter().map(Line::System);
    let messages = body["messages"].as_array().into_iter().flatten();
    system.chain(messages.flat_map(lines_of_message)).collect()
}

fn lines_of_message(message: &Value) -> Vec<Line> {
    let line: fn(String) -> Line = if message["role"] == "assistant" { Line::Assistant } else { Line::User };
    match &message["content"] {
        Value::Array(blocks) => blocks.iter().filter_map(|block| line_of_block(block, line)).collect(),
        content => vec![line(text_of(content))],
    }
}

fn line_of_block(block: &Value, line: fn(String) -> Line) -> Option<Line> {
    Some(match block["type"].as_str()? {
        "text" => line(text_of(&block["text"])),
        "image" => Line::Image(text_of(&block["source"]["media_type"])),
        "tool_use" => {
            Line::Call { id: text_of(&block["id"]), name: text_of(&block["name"]), arguments: block["input"].clone() }
        }
        "tool_result" => {
            Line::Result { id: text_of(&block["tool_use_id"]), content: texts(&block["content"]).concat() }
        }
        _ => return None,
    })
}

/// The texts of a content that is a text or a list of blocks.
fn texts(content: &Value) -> Vec<String> {
    match content {
        Value::String(text) => vec![text.clone()],
        Value::Array(blocks) => blocks.iter().map(|block| text_of(&block["text"])).collect(),
        _ => Vec::new(),
    }
}

fn text_of(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

/// The names of the tools that a request offers.
pub(crate) fn tool_names(body: &Value) -> Vec<String> {
    let tools = body["tools"].as_array().into_iter().flatten();
    tools.map(|tool| text_of(&tool["name"])).collect()
}
