//! The rules for thinking: it comes back as it was, with its signature, for as long as the turn runs.

use serde_json::{Map, Value};

use super::check::invalid;
use super::messages::blocks;
use crate::scripted_model::format::signature;
use crate::scripted_model::refusal::Refusal;

pub(super) fn check(body: &Map<String, Value>) -> Result<(), Refusal> {
    let messages: Vec<&Value> = body["messages"].as_array().into_iter().flatten().collect();
    for (at, message) in messages.iter().enumerate() {
        signatures(message, at)?;
    }
    let thinking = body.get("thinking").unwrap_or(&Value::Null);
    if matches!(thinking["type"].as_str(), Some("enabled" | "adaptive")) {
        budget(body, thinking)?;
        running_turn_begins_with_thinking(&messages)?;
    }
    Ok(())
}

/// Source: <https://github.com/openclaw/openclaw/issues/99382>.
fn signatures(message: &Value, at: usize) -> Result<(), Refusal> {
    for (block_at, block) in blocks(message, "thinking") {
        let place = format!("messages.{at}.content.{block_at}");
        let Some(given) = block["signature"].as_str() else {
            return Err(invalid(format!("{place}.thinking.signature: Field required")));
        };
        if given != signature(block["thinking"].as_str().unwrap_or_default()) {
            return Err(invalid(format!("{place}: Invalid `signature` in `thinking` block")));
        }
    }
    Ok(())
}

/// Source: <https://docs.anthropic.com/en/docs/build-with-claude/extended-thinking>, the budget and what goes with thinking.
fn budget(body: &Map<String, Value>, thinking: &Value) -> Result<(), Refusal> {
    if let Some(budget) = thinking["budget_tokens"].as_u64() {
        if budget < 1024 {
            return Err(invalid("thinking.enabled.budget_tokens: Input should be greater than or equal to 1024"));
        }
        if body["max_tokens"].as_u64().is_some_and(|most| most <= budget) {
            return Err(invalid("`max_tokens` must be greater than `thinking.budget_tokens`."));
        }
    }
    if body.get("temperature").is_some_and(|temperature| temperature.as_f64() != Some(1.0)) {
        return Err(invalid("`temperature` may only be set to 1 when thinking is enabled."));
    }
    Ok(())
}

/// Source: <https://github.com/pydantic/pydantic-ai/issues/2040>.
fn running_turn_begins_with_thinking(messages: &[&Value]) -> Result<(), Refusal> {
    let has_results = messages.last().is_some_and(|last| blocks(last, "tool_result").next().is_some());
    let Some(at) = messages.len().checked_sub(2).filter(|_| has_results) else { return Ok(()) };
    match messages[at]["content"][0]["type"].as_str() {
        Some("thinking" | "redacted_thinking") => Ok(()),
        other => Err(invalid(format!(
            "messages.{at}.content.0.type: Expected `thinking` or `redacted_thinking`, but found `{}`. When `thinking` \
             is enabled, a final `assistant` message must start with a thinking block (preceeding the lastmost set of \
             `tool_use` and `tool_result` blocks).",
            other.unwrap_or("text")
        ))),
    }
}
