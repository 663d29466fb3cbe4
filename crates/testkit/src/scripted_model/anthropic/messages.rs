//! The rules for the messages of a request.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::check::{invalid, is_name};
use crate::scripted_model::refusal::Refusal;

pub(super) fn check(body: &Map<String, Value>) -> Result<(), Refusal> {
    let messages = body["messages"].as_array().ok_or_else(|| invalid("messages: Input should be a valid list"))?;
    if messages.is_empty() {
        return Err(invalid("messages: at least one message is required"));
    }
    for (at, message) in messages.iter().enumerate() {
        role(message, at)?;
        content(message, at)?;
    }
    order(messages)?;
    pairs(messages)?;
    // No public source for the words: seen by gateways that convert histories to this format without tools.
    let uses_tools = messages.iter().any(|message| blocks(message, "tool_use").next().is_some());
    if uses_tools && !body.contains_key("tools") {
        return Err(invalid("Requests which include `tool_use` or `tool_result` blocks must define tools"));
    }
    Ok(())
}

/// Source: <https://github.com/ogx-ai/ogx/issues/5982>.
fn role(message: &Value, at: usize) -> Result<(), Refusal> {
    match message["role"].as_str() {
        Some("user" | "assistant") => Ok(()),
        _ => Err(invalid(format!("messages.{at}.role: Input should be 'user' or 'assistant'"))),
    }
}

/// Source of empty messages: <https://github.com/corespeed-io/zypher-agent/pull/122>; of empty texts:
/// <https://github.com/NousResearch/hermes-agent/issues/11906>.
fn content(message: &Value, at: usize) -> Result<(), Refusal> {
    let empty = "all messages must have non-empty content except for the optional final assistant message";
    match &message["content"] {
        Value::String(text) if text.is_empty() => Err(invalid(format!("messages.{at}: {empty}"))),
        Value::String(_) => Ok(()),
        Value::Array(blocks) if blocks.is_empty() => Err(invalid(format!("messages.{at}: {empty}"))),
        Value::Array(blocks) => blocks.iter().enumerate().try_for_each(|(block_at, one)| {
            block(one, message["role"] == "assistant", &format!("messages.{at}.content.{block_at}"))
        }),
        _ => Err(invalid(format!("messages.{at}.content: Input should be a valid string or a list of blocks"))),
    }
}

/// Which blocks there are: <https://docs.anthropic.com/en/api/messages>.
fn block(block: &Value, is_assistants: bool, place: &str) -> Result<(), Refusal> {
    match block["type"].as_str().unwrap_or_default() {
        "text" => match block["text"].as_str() {
            Some("") => Err(invalid("messages: text content blocks must be non-empty")),
            Some(text) if text.trim().is_empty() => {
                Err(invalid("messages: text content blocks must contain non-whitespace text"))
            }
            Some(_) => Ok(()),
            None => Err(invalid(format!("{place}.text.text: Field required"))),
        },
        "image" if !is_assistants && block["source"]["type"].is_string() => Ok(()),
        "tool_use" if is_assistants => tool_use(block, &format!("{place}.tool_use")),
        "tool_result" if !is_assistants && block["tool_use_id"].is_string() => Ok(()),
        "thinking" | "redacted_thinking" if is_assistants => Ok(()),
        kind => Err(invalid(format!(
            "{place}: Input tag '{kind}' found using 'type' does not match any of the expected tags"
        ))),
    }
}

/// No public source for the words; the fields are those of <https://docs.anthropic.com/en/api/messages>.
fn tool_use(block: &Value, place: &str) -> Result<(), Refusal> {
    let id = block["id"].as_str().unwrap_or_default();
    if id.is_empty() || !id.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-') {
        return Err(invalid(format!("{place}.id: String should match pattern '^[a-zA-Z0-9_-]+$'")));
    }
    if !is_name(block["name"].as_str().unwrap_or_default()) {
        return Err(invalid(format!("{place}.name: String should match pattern '^[a-zA-Z0-9_-]{{1,64}}$'")));
    }
    if !block["input"].is_object() {
        return Err(invalid(format!("{place}.input: Input should be a valid dictionary")));
    }
    Ok(())
}

/// Source of the first: <https://github.com/lobehub/lobehub/issues/1601>; of the others: <https://github.com/etkecc/baibot/issues/13>.
/// The service has since come to join messages of one role; this server stays with the stricter rule.
fn order(messages: &[Value]) -> Result<(), Refusal> {
    if messages[0]["role"] != "user" {
        return Err(invalid("messages: first message must use the \"user\" role"));
    }
    if let Some(pair) = messages.windows(2).find(|pair| pair[0]["role"] == pair[1]["role"]) {
        let alternate = "roles must alternate between \"user\" and \"assistant\", but found multiple";
        return Err(invalid(format!("messages: {alternate} {} roles in a row", pair[0]["role"])));
    }
    if messages.last().is_some_and(|last| last["role"] == "assistant") {
        // A beginning put into the model's mouth; the newest models refuse it, and nothing here means to do it.
        return Err(invalid("messages: the final message must use the \"user\" role"));
    }
    Ok(())
}

fn pairs(messages: &[Value]) -> Result<(), Refusal> {
    let mut seen = BTreeSet::new();
    let mut open: Vec<&str> = Vec::new();
    for (at, message) in messages.iter().enumerate() {
        let mut answered: Vec<&str> = Vec::new();
        let results_first = results_in_front(message);
        for (block_at, result) in blocks(message, "tool_result") {
            let id = result["tool_use_id"].as_str().unwrap_or_default();
            if answered.contains(&id) {
                // Source: https://github.com/vectorize-io/hindsight/pull/4250
                let multiple = "each tool_use must have a single result. Found multiple `tool_result` blocks with id";
                return Err(invalid(format!("messages.{at}.content.{block_at}: {multiple}: {id}")));
            }
            if !open.contains(&id) {
                // Source: https://github.com/tghamm/Anthropic.SDK/issues/184
                return Err(invalid(format!(
                    "messages.{at}.content.{block_at}: unexpected `tool_use_id` found in `tool_result` blocks: {id}. \
                     Each `tool_result` block must have a corresponding `tool_use` block in the previous message."
                )));
            }
            answered.push(id);
        }
        let missing: Vec<&str> = open.iter().copied().filter(|id| !answered.contains(id) || !results_first).collect();
        if !missing.is_empty() {
            // Source, also of results having to come first:
            // https://docs.anthropic.com/en/docs/agents-and-tools/tool-use/implement-tool-use
            return Err(invalid(format!(
                "messages.{}: `tool_use` ids were found without `tool_result` blocks immediately after: {}. Each \
                 `tool_use` block must have a corresponding `tool_result` block in the next message.",
                at.saturating_sub(1),
                missing.join(", ")
            )));
        }
        open = blocks(message, "tool_use").filter_map(|(_, call)| call["id"].as_str()).collect();
        if let Some(id) = open.iter().find(|id| !seen.insert(**id)) {
            // Source: https://github.com/BerriAI/litellm/issues/23510
            return Err(invalid(format!("messages.{at}.content: `tool_use` ids must be unique: {id}")));
        }
    }
    Ok(())
}

/// Whether no other block stands before a result.
fn results_in_front(message: &Value) -> bool {
    let kinds = message["content"].as_array().into_iter().flatten().map(|block| block["type"] == "tool_result");
    kinds.collect::<Vec<_>>().is_sorted_by(|before, after| before >= after)
}

/// The blocks of a kind, each with its place in the message.
pub(super) fn blocks<'a>(message: &'a Value, kind: &'a str) -> impl Iterator<Item = (usize, &'a Value)> {
    let blocks = message["content"].as_array().into_iter().flatten().enumerate();
    blocks.filter(move |(_, block)| block["type"] == kind)
}
