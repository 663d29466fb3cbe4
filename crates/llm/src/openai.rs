//! OpenAI's chat completions, and what the many servers that speak it make of them.

mod calls;
mod chunk;
mod details;
mod request;
mod settings;
#[cfg(test)]
mod tests;

use chat::{ErrorClass, Finish, ModelError};
use serde::Deserialize;
use serde_json::Value;

use crate::draft::Draft;
use crate::format::{Refusal, error_in};
use crate::wire::{Content, lenient_value};
pub(crate) use request::{Request, request};

use calls::Calls;
use chunk::{Choice, Chunk, Delta, Usage};

/// Where completions are asked for, behind a base URL that ends with the version.
pub(crate) fn url(base: &str) -> String {
    const PATH: &str = "/chat/completions";
    if base.ends_with(PATH) { base.to_owned() } else { format!("{base}{PATH}") }
}

/// What is remembered between the chunks of one reply.
#[derive(Debug)]
pub(crate) struct Assembly {
    calls: Calls,
    /// The text of the chunk that ended the reply: some gateways send that chunk twice.
    last_text: String,
    /// A choice held a message as a whole.
    had_message: bool,
}

impl Assembly {
    /// Begins a reply to a request that offered these tools.
    pub(crate) fn new(tools: Vec<String>) -> Self {
        Self { calls: Calls::new(tools), last_text: String::new(), had_message: false }
    }

    /// Takes an event's data.
    pub(crate) fn read_event(&mut self, data: &str, draft: &mut Draft) -> Result<(), Refusal> {
        if let Ok(chunk) = serde_json::from_str(data) {
            return self.take(&chunk, data, draft);
        }
        let value = lenient_value(data)?;
        self.take(&Chunk::deserialize(&value)?, data, draft)
    }

    /// Takes a whole completion.
    pub(crate) fn read_document(&mut self, data: &str, draft: &mut Draft) -> Result<(), Refusal> {
        self.read_event(data, draft)?;
        if self.had_message {
            draft.end(None);
        }
        Ok(())
    }

    fn take(&mut self, chunk: &Chunk<'_>, data: &str, draft: &mut Draft) -> Result<(), Refusal> {
        if let Some(usage) = &chunk.usage {
            take_usage(usage, draft);
        }
        let choice = chunk.choices.iter().flatten().enumerate().find(|(_, choice)| is_the_reply(choice));
        let finish = choice.map_or(Ok(None), |(_, choice)| self.take_choice(choice, draft));
        if chunk.error.is_some() {
            error_in(data, "")?;
        }
        let Some((at, choice)) = choice else {
            // A chunk without choices is fine, unless it is an error in a form of its own.
            return if chunk.choices.is_some() || chunk.usage.is_some() { Ok(()) } else { error_in(data, "") };
        };
        if choice.error.is_some() {
            error_in(data, &format!("/choices/{at}"))?;
        }
        if let Some(finish) = finish.map_err(Refusal::Error)? {
            draft.end(Some(finish));
        }
        Ok(())
    }

    /// Takes what a choice says, which counts also where it ends in an error. Gives why the reply ends, if it does.
    fn take_choice(&mut self, choice: &Choice<'_>, draft: &mut Draft) -> Result<Option<Finish>, ModelError> {
        if let Some(usage) = &choice.usage {
            take_usage(usage, draft);
        }
        let finish = finish_of(choice.finish_reason.as_str());
        self.had_message |= choice.message.is_some();
        // Servers that do not stream, and some last chunks, hold the whole message: it counts where nothing was streamed.
        let message = choice.message.as_deref().filter(|_| draft.is_blank());
        if let Some(delta) = choice.delta.as_ref().or(message) {
            self.take_delta(delta, matches!(finish, Ok(Some(_))), draft);
        }
        draft.add_text(choice.text.as_str());
        finish
    }

    fn take_delta(&mut self, delta: &Delta<'_>, ends: bool, draft: &mut Draft) {
        let reasoning = [&delta.reasoning_content, &delta.reasoning, &delta.thinking, &delta.reasoning_text]
            .into_iter()
            .find(|content| **content != Content::Nothing);
        let had_reasoning = reasoning.is_some_and(|content| add_reasoning(content, draft));
        if let Some(details) = &delta.reasoning_details {
            details::add(details, had_reasoning, draft);
        }
        self.take_text(delta, ends, draft);
        draft.add_text(delta.refusal.as_str());
        self.calls.begin_chunk();
        for call in delta.tool_calls.iter().flatten().flatten() {
            self.calls.take(call, draft);
        }
        if let Some(function) = &delta.function_call {
            self.calls.take_function(function, draft);
        }
    }

    fn take_text(&mut self, delta: &Delta<'_>, ends: bool, draft: &mut Draft) {
        let Content::Text(text) = &delta.content else { return take_blocks(&delta.content, draft) };
        if draft.is_whole() && ends && (*text == self.last_text || *text == draft.text()) {
            return;
        }
        draft.add_text(text);
        if ends {
            text.as_ref().clone_into(&mut self.last_text);
        }
    }
}

/// Whether a choice is the first of those that were asked for, which is one: some gateways send more.
fn is_the_reply(choice: &Choice<'_>) -> bool {
    choice.index.0.is_none_or(|index| index == 0)
}

/// Adds reasoning, and says whether there was any.
fn add_reasoning(content: &Content<'_>, draft: &mut Draft) -> bool {
    let text = match content {
        Content::Nothing => return false,
        Content::Text(text) => text.clone(),
        Content::Value(value) => text_in(value).into(),
    };
    draft.add_reasoning(&text);
    !text.is_empty()
}

/// Mistral's content: an array of typed blocks.
fn take_blocks(content: &Content<'_>, draft: &mut Draft) {
    let Content::Value(value) = content else { return };
    let blocks = value.as_array().map_or(std::slice::from_ref(value.as_ref()), Vec::as_slice);
    for block in blocks {
        match block["type"].as_str() {
            Some("thinking" | "reasoning") => draft.add_reasoning(&text_in(block)),
            Some("text" | "output_text" | "text_delta") | None => draft.add_text(&text_in(block)),
            Some(_) => {}
        }
    }
}

/// The text of a block, wherever it stands.
fn text_in(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(values) => values.iter().map(text_in).collect(),
        Value::Object(block) => {
            let keys = ["text", "thinking", "reasoning", "content", "summary"];
            keys.iter().find_map(|key| block.get(*key)).map(text_in).unwrap_or_default()
        }
        _ => String::new(),
    }
}

fn take_usage(wire: &Usage, draft: &mut Draft) {
    let details = wire.prompt_tokens_details.as_ref().and_then(|details| details.cached_tokens.0);
    let cached = details.or(wire.prompt_cache_hit_tokens.0).or(wire.cached_tokens.0);
    let usage = draft.usage();
    usage.input = wire.prompt_tokens.0.unwrap_or(usage.input);
    usage.output = wire.completion_tokens.0.unwrap_or(usage.output);
    usage.cached = cached.unwrap_or(usage.cached);
}

/// Why a reply ended, by what the server wrote; some reasons are errors.
fn finish_of(reason: &str) -> Result<Option<Finish>, ModelError> {
    let failed = |class, message: &str| Err(ModelError::new(class, message));
    match reason.to_ascii_lowercase().as_str() {
        // Some servers write the word where nothing is meant.
        "" | "null" | "none" => Ok(None),
        "tool_calls" | "function_call" | "tool_use" => Ok(Some(Finish::ToolCalls)),
        "length" | "max_tokens" | "model_length" | "max_output_tokens" => Ok(Some(Finish::Length)),
        "content_filter" | "safety" | "sensitive" | "refusal" => Ok(Some(Finish::ContentFilter)),
        // OpenRouter, Z.AI
        "error" | "network_error" => failed(ErrorClass::Server, "the server broke the reply off"),
        // DeepSeek
        "insufficient_system_resource" => failed(ErrorClass::Overloaded, "the server has no capacity to go on"),
        _ => Ok(Some(Finish::Stop)),
    }
}
