//! The rules for the messages of a request.

use std::collections::BTreeSet;

use serde_json::Value;

use super::check::function_name;
use super::refuse::{empty_array, invalid, missing, too_long, wrong_type};
use crate::scripted_model::refusal::Refusal;
use crate::scripted_model::rules::Rules;

pub(super) fn check(messages: &Value, rules: &Rules) -> Result<(), Refusal> {
    if messages.is_null() {
        return Err(missing("messages"));
    }
    let messages = messages.as_array().ok_or_else(|| wrong_type("messages", "an array of objects"))?;
    if messages.is_empty() {
        return Err(empty_array("messages"));
    }
    for (at, message) in messages.iter().enumerate() {
        role(message, at)?;
        fields(message, at, rules)?;
        content(message, at, rules)?;
        calls(message, at)?;
    }
    order(messages, rules)?;
    Pairs::default().check(messages)
}

/// Source: <https://github.com/sashabaranov/go-openai/issues/679>.
fn role(message: &Value, at: usize) -> Result<(), Refusal> {
    const ROLES: [&str; 5] = ["system", "developer", "user", "assistant", "tool"];
    let given = message["role"].as_str().unwrap_or_default();
    if ROLES.contains(&given) {
        return Ok(());
    }
    let supported = "'system', 'assistant', 'user', 'function', 'tool', and 'developer'";
    let message = format!("Invalid value: '{given}'. Supported values are: {supported}.");
    Err(invalid(message, format!("messages[{at}].role"), Some("invalid_value")))
}

/// Source: <https://github.com/openai/openai-openapi>, `ChatCompletionRequestMessage`; the words are those for a field of the
/// request: <https://github.com/QuantumNous/new-api/issues/418>. `reasoning_content` is what DeepSeek takes
/// back while a turn runs: <https://api-docs.deepseek.com/guides/thinking_mode>.
fn fields(message: &Value, at: usize, rules: &Rules) -> Result<(), Refusal> {
    const FIELDS: [&str; 7] = ["role", "content", "name", "tool_calls", "tool_call_id", "refusal", "reasoning_content"];
    let known = |field: &str| FIELDS.contains(&field);
    let fields = message.as_object().into_iter().flat_map(|message| message.keys());
    match fields.into_iter().find(|field| !known(field)) {
        Some(field) if rules.known_fields_only => {
            let param = format!("messages[{at}].{field}");
            Err(invalid(format!("Unknown parameter: '{param}'."), param, Some("unknown_parameter")))
        }
        _ => Ok(()),
    }
}

/// Source of the null: <https://github.com/langchain-ai/langchainjs/issues/4153>; with calls it is allowed:
/// <https://github.com/vercel/ai/pull/13744>.
fn content(message: &Value, at: usize, rules: &Rules) -> Result<(), Refusal> {
    let param = format!("messages.[{at}].content");
    let has_calls = message.get("tool_calls").is_some();
    match &message["content"] {
        Value::Null if has_calls => Ok(()),
        Value::Null => Err(invalid("Invalid value for 'content': expected a string, got null.", param, None)),
        Value::String(text) if text.is_empty() => empty_text(message, has_calls, &param, rules),
        Value::String(_) => Ok(()),
        Value::Array(parts) if parts.is_empty() => Err(empty_array(&format!("messages[{at}].content"))),
        Value::Array(parts) => parts
            .iter()
            .enumerate()
            .try_for_each(|(part_at, part)| part_of(part, &format!("messages[{at}].content[{part_at}]"), rules)),
        _ => Err(wrong_type(&format!("messages[{at}].content"), "one of a string or array of objects")),
    }
}

/// OpenAI itself takes empty texts; compatible services do not.
/// Source: <https://github.com/vllm-project/vllm/issues/21089> for the assistant's; for others there is no public source. Results of tools may be empty.
fn empty_text(message: &Value, has_calls: bool, param: &str, rules: &Rules) -> Result<(), Refusal> {
    if has_calls || message["role"] == "tool" || !rules.no_empty_text {
        return Ok(());
    }
    let role = message["role"].as_str().unwrap_or_default();
    Err(invalid(format!("Invalid request: message with role '{role}' must not be empty"), param, None))
}

/// Source: <https://github.com/openai/openai-openapi>, `ChatCompletionRequestMessageContentPart`.
fn part_of(part: &Value, param: &str, rules: &Rules) -> Result<(), Refusal> {
    match part["type"].as_str() {
        Some("text") => match part["text"].as_str() {
            Some("") if rules.no_empty_text => Err(super::refuse::empty_string(&format!("{param}.text"))),
            Some(_) => Ok(()),
            None => Err(missing(&format!("{param}.text"))),
        },
        Some("image_url") if part["image_url"]["url"].is_string() => Ok(()),
        Some("image_url") => Err(missing(&format!("{param}.image_url.url"))),
        _ => Err(invalid(
            format!("Invalid value: {}. Supported values are: 'text', 'image_url'.", part["type"]),
            format!("{param}.type"),
            Some("invalid_value"),
        )),
    }
}

fn calls(message: &Value, at: usize) -> Result<(), Refusal> {
    let Some(calls) = message.get("tool_calls") else { return Ok(()) };
    let param = format!("messages[{at}].tool_calls");
    let calls = calls.as_array().ok_or_else(|| wrong_type(&param, "an array of objects"))?;
    if message["role"] != "assistant" {
        // No public source for the words; the schema knows calls in the assistant's messages alone.
        return Err(invalid(format!("Unknown parameter: '{param}'."), param, Some("unknown_parameter")));
    }
    if calls.is_empty() {
        return Err(empty_array(&param));
    }
    calls.iter().enumerate().try_for_each(|(call_at, one)| call(one, &format!("{param}[{call_at}]")))
}

fn call(call: &Value, param: &str) -> Result<(), Refusal> {
    let id = call["id"].as_str().ok_or_else(|| missing(&format!("{param}.id")))?;
    // Source: https://github.com/vercel/ai/issues/5171
    if id.chars().count() > 40 {
        return Err(too_long(&format!("{param}.id"), 40, id.chars().count()));
    }
    if id.is_empty() {
        return Err(super::refuse::empty_string(&format!("{param}.id")));
    }
    if call["type"] != "function" {
        return Err(missing(&format!("{param}.type")));
    }
    let name_param = format!("{param}.function.name");
    let name = call["function"]["name"].as_str().ok_or_else(|| missing(&name_param))?;
    function_name(name, &name_param)?;
    arguments(&call["function"]["arguments"], &format!("{param}.function.arguments"))
}

/// OpenAI takes any text here; servers that render a template from it do not.
/// Source: <https://github.com/ggml-org/llama.cpp/issues/25510>.
fn arguments(arguments: &Value, param: &str) -> Result<(), Refusal> {
    let text = arguments.as_str().ok_or_else(|| wrong_type(param, "a string"))?;
    match serde_json::from_str::<Value>(text) {
        Ok(Value::Object(_)) => Ok(()),
        _ => Err(invalid(format!("Invalid '{param}': not a JSON object."), param, Some("invalid_value"))),
    }
}

fn order(messages: &[Value], rules: &Rules) -> Result<(), Refusal> {
    let is_system = |message: &Value| message["role"] == "system" || message["role"] == "developer";
    if messages.iter().skip(1).any(is_system) {
        // OpenAI takes a system prompt anywhere; the chat templates of Qwen do not.
        // Source: https://github.com/vllm-project/vllm/issues/41114
        return Err(invalid("System message must be at the beginning.", "messages", None));
    }
    let talk: Vec<&Value> = messages.iter().filter(|message| !is_system(message)).collect();
    if talk.last().is_none_or(|last| last["role"] == "assistant") {
        // Source: https://github.com/huggingface/smolagents/issues/757 (Mistral, in OpenAI's format)
        return Err(invalid("Expected last role User or Tool for serving but got assistant", "messages", None));
    }
    let same = |pair: &[&Value]| pair[0]["role"] == pair[1]["role"] && pair[0]["role"] != "tool";
    if rules.roles_alternate && talk.windows(2).any(same) {
        let message = "Conversation roles must alternate user/assistant/user/assistant/...";
        return Err(invalid(message, "messages", None));
    }
    Ok(())
}

/// Follows calls and their results through the messages.
#[derive(Default)]
struct Pairs<'a> {
    open: Vec<&'a str>,
    answered: Vec<(&'a str, usize)>,
    seen: BTreeSet<&'a str>,
}

impl<'a> Pairs<'a> {
    fn check(mut self, messages: &'a [Value]) -> Result<(), Refusal> {
        for (at, message) in messages.iter().enumerate() {
            if message["role"] == "tool" {
                self.result(message, at)?;
            } else {
                self.closed(at)?;
                self.open(message, at)?;
            }
        }
        self.closed(messages.len())
    }

    fn open(&mut self, message: &'a Value, at: usize) -> Result<(), Refusal> {
        self.answered.clear();
        for call in message["tool_calls"].as_array().into_iter().flatten() {
            let id = call["id"].as_str().unwrap_or_default();
            if !self.seen.insert(id) {
                // Source that compatible services refuse it: https://github.com/openclaw/openclaw/pull/47136
                return Err(invalid(format!("Duplicate tool call id: {id}"), format!("messages.[{at}]"), None));
            }
            self.open.push(id);
        }
        Ok(())
    }

    fn result(&mut self, message: &'a Value, at: usize) -> Result<(), Refusal> {
        let id_param = format!("messages.[{at}].tool_call_id");
        let id = message["tool_call_id"].as_str().ok_or_else(|| missing(&id_param))?;
        if let Some((_, before)) = self.answered.iter().find(|(answered, _)| *answered == id) {
            // Source: https://github.com/agno-agi/agno/issues/5116
            let duplicate = format!("Duplicate value for 'tool_call_id' of '{id}'");
            let message = format!("Invalid parameter: {duplicate}, in messages[{before}] and messages[{at}].");
            return Err(invalid(message, id_param, None));
        }
        let Some(place) = self.open.iter().position(|open| *open == id) else {
            // Source: https://github.com/sdcb/chats/pull/132
            let message = "Invalid parameter: messages with role 'tool' must be a response to a preceeding message \
                           with 'tool_calls'.";
            return Err(invalid(message, format!("messages.[{at}].role"), None));
        };
        self.open.remove(place);
        self.answered.push((id, at));
        Ok(())
    }

    /// Source: <https://github.com/sdcb/chats/pull/132>.
    fn closed(&self, at: usize) -> Result<(), Refusal> {
        if self.open.is_empty() {
            return Ok(());
        }
        let message = format!(
            "An assistant message with 'tool_calls' must be followed by tool messages responding to each \
             'tool_call_id'. The following tool_call_ids did not have response messages: {}",
            self.open.join(", ")
        );
        Err(invalid(message, format!("messages.[{at}].role"), None))
    }
}
