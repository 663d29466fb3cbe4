//! The body of a request for a message.

use chat::ToolSpec;
use serde::Serialize;
use serde_json::{Value, json};

use super::thinking::{OutputConfig, thinking};
use crate::request::{Object, Schema};
use crate::transcript::{AssistantEntry, Entry, Part, Thought, Transcript, UserEntry};
use crate::{Endpoint, ModelRequest};

#[derive(Serialize)]
pub(crate) struct Request<'a> {
    model: &'a str,
    max_tokens: u32,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    system: Vec<Block<'a>>,
    messages: Vec<Message<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<Tool<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_choice: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    thinking: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    output_config: Option<OutputConfig>,
    stream: bool,
}

#[derive(Serialize)]
struct Message<'a> {
    role: &'static str,
    content: Vec<Block<'a>>,
}

#[derive(Serialize)]
struct Block<'a> {
    #[serde(flatten)]
    kind: Kind<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cache_control: Option<CacheControl>,
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Kind<'a> {
    Text {
        text: &'a str,
    },
    Image {
        source: Source<'a>,
    },
    Thinking {
        thinking: &'a str,
        signature: &'a str,
    },
    RedactedThinking {
        data: &'a str,
    },
    ToolUse {
        id: &'a str,
        name: &'a str,
        input: Object<'a>,
    },
    ToolResult {
        tool_use_id: &'a str,
        content: &'a str,
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        is_error: bool,
    },
}

#[derive(Serialize)]
struct Source<'a> {
    r#type: &'static str,
    media_type: &'a str,
    data: &'a str,
}

#[derive(Serialize)]
struct Tool<'a> {
    name: &'a str,
    description: &'a str,
    input_schema: Schema<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cache_control: Option<CacheControl>,
}

/// Marks the end of what the next request begins with too.
#[derive(Clone, Copy, Serialize)]
struct CacheControl {
    r#type: &'static str,
}

const CACHE: CacheControl = CacheControl { r#type: "ephemeral" };

/// The limit on output where none is set; the format demands one, and every model since Claude 4 takes this.
const MAX_TOKENS: u32 = 32_000;

/// Writes a request down for the messages interface.
pub(crate) fn request<'a>(
    endpoint: &'a Endpoint,
    request: &'a ModelRequest,
    transcript: &'a Transcript<'a>,
) -> Request<'a> {
    let max_tokens = endpoint.max_output.unwrap_or(MAX_TOKENS);
    let (thinking, output_config) = thinking(endpoint, max_tokens, transcript);
    let cache = endpoint.quirks.cache_marks.then_some(CACHE);
    let mut system: Vec<Block<'_>> =
        Some(request.system.as_ref()).filter(|text| !text.trim().is_empty()).map(text).into_iter().collect();
    mark(system.last_mut(), cache);
    let mut tools: Vec<Tool<'_>> = request.tools.iter().map(tool).collect();
    if let Some(last) = tools.last_mut() {
        last.cache_control = cache;
    }
    // Calls in the history demand tools, also where none is to be called any more.
    let tool_choice = (tools.is_empty() && transcript.has_calls()).then(|| json!({ "type": "none" }));
    if tool_choice.is_some() {
        tools = past_tools(transcript);
    }
    let mut messages: Vec<Message<'_>> = transcript.entries.iter().map(message).collect();
    mark(messages.last_mut().and_then(|last| last.content.last_mut()), cache);
    add_nudge(transcript.nudge, &mut messages);
    let model = &endpoint.name.model;
    Request { model, max_tokens, system, messages, tools, tool_choice, thinking, output_config, stream: true }
}

fn mark(block: Option<&mut Block<'_>>, cache: Option<CacheControl>) {
    if let Some(block) = block {
        block.cache_control = cache;
    }
}

/// Puts the nudge behind the mark: the next request will not have it.
fn add_nudge<'a>(nudge: Option<&'a str>, messages: &mut Vec<Message<'a>>) {
    let Some(nudge) = nudge else { return };
    match messages.last_mut().filter(|last| last.role == "user") {
        Some(last) => last.content.push(text(nudge)),
        None => messages.push(Message { role: "user", content: vec![text(nudge)] }),
    }
}

fn message<'a>(entry: &'a Entry<'a>) -> Message<'a> {
    match entry {
        Entry::User(user) => Message { role: "user", content: user_blocks(user) },
        Entry::Assistant(assistant) => Message { role: "assistant", content: assistant_blocks(assistant) },
    }
}

/// Writes results first: the server demands it.
fn user_blocks<'a>(user: &'a UserEntry<'a>) -> Vec<Block<'a>> {
    let answers = user.answers.iter().map(|answer| {
        block(Kind::ToolResult { tool_use_id: &answer.call.id, content: answer.content, is_error: answer.is_error })
    });
    let parts = user.parts.iter().map(|part| match part {
        Part::Text(said) => text(said),
        Part::Image { media_type, data } => {
            block(Kind::Image { source: Source { r#type: "base64", media_type, data } })
        }
    });
    answers.chain(parts).collect()
}

fn assistant_blocks<'a>(assistant: &'a AssistantEntry<'a>) -> Vec<Block<'a>> {
    let thoughts = assistant.thoughts.iter().filter_map(thought);
    let texts = assistant.texts.iter().map(|said| text(said));
    let calls = assistant
        .calls
        .iter()
        .map(|call| block(Kind::ToolUse { id: &call.id, name: &call.name, input: Object(call.input) }));
    thoughts.chain(texts).chain(calls).collect()
}

/// Writes a thought as it came; without its signature the server would refuse it.
fn thought<'a>(thought: &'a Thought<'a>) -> Option<Block<'a>> {
    if let Some(data) = thought.data["redacted"].as_str() {
        return Some(block(Kind::RedactedThinking { data }));
    }
    let signature = thought.data["signature"].as_str()?;
    Some(block(Kind::Thinking { thinking: thought.text, signature }))
}

fn text(text: &str) -> Block<'_> {
    block(Kind::Text { text })
}

fn block(kind: Kind<'_>) -> Block<'_> {
    Block { kind, cache_control: None }
}

fn tool(spec: &ToolSpec) -> Tool<'_> {
    Tool {
        name: &spec.name,
        description: &spec.description,
        input_schema: Schema(&spec.parameters),
        cache_control: None,
    }
}

/// The tools that were called, by name alone.
fn past_tools<'a>(transcript: &'a Transcript<'a>) -> Vec<Tool<'a>> {
    let calls = transcript.entries.iter().flat_map(|entry| match entry {
        Entry::Assistant(assistant) => assistant.calls.as_slice(),
        Entry::User(_) => &[],
    });
    let mut names: Vec<&str> = calls.map(|call| call.name.as_ref()).collect();
    names.sort_unstable();
    names.dedup();
    let tool = |name| Tool {
        name,
        description: "Not available now.",
        input_schema: Schema(&Value::Null),
        cache_control: None,
    };
    names.into_iter().map(tool).collect()
}
