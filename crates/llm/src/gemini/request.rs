//! The body of a request for content.

use chat::ToolSpec;
use serde::Serialize;
use serde_json::{Value, json};

use super::schema::fit_schema;
use crate::request::Object;
use crate::transcript::{Answer, AssistantEntry, Call, Entry, Part as Said, Transcript, UserEntry};
use crate::{Effort, EffortStyle, Endpoint, ModelRequest};

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Request<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    system_instruction: Option<SystemInstruction<'a>>,
    contents: Vec<Content<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<Tools<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    generation_config: Option<GenerationConfig>,
}

#[derive(Serialize)]
struct SystemInstruction<'a> {
    parts: [Part<'a>; 1],
}

#[derive(Serialize)]
struct Content<'a> {
    role: &'static str,
    parts: Vec<Part<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Part<'a> {
    #[serde(flatten)]
    kind: Kind<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    thought_signature: Option<&'a str>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
enum Kind<'a> {
    Text(&'a str),
    InlineData(InlineData<'a>),
    FunctionCall(FunctionCall<'a>),
    FunctionResponse(FunctionResponse<'a>),
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct InlineData<'a> {
    mime_type: &'a str,
    data: &'a str,
}

#[derive(Serialize)]
struct FunctionCall<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<&'a str>,
    name: &'a str,
    args: Object<'a>,
}

#[derive(Serialize)]
struct FunctionResponse<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<&'a str>,
    name: &'a str,
    response: Response<'a>,
}

/// The server demands an object here; these two keys are those that it knows.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
enum Response<'a> {
    Output(&'a str),
    Error(&'a str),
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Tools<'a> {
    function_declarations: Vec<FunctionDeclaration<'a>>,
}

#[derive(Serialize)]
struct FunctionDeclaration<'a> {
    name: &'a str,
    description: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    parameters: Option<Value>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct GenerationConfig {
    #[serde(skip_serializing_if = "Option::is_none")]
    max_output_tokens: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    thinking_config: Option<Value>,
}

/// What stands for the signature of a call that another model made: without any, models since Gemini 3 refuse the request.
/// (ai.google.dev/gemini-api/docs/thought-signatures)
const NO_SIGNATURE: &str = "skip_thought_signature_validator";

/// Writes a request down for `streamGenerateContent`.
pub(crate) fn request<'a>(
    endpoint: &'a Endpoint,
    request: &'a ModelRequest,
    transcript: &'a Transcript<'a>,
) -> Request<'a> {
    let system = Some(request.system.as_ref()).filter(|text| !text.trim().is_empty());
    let declarations: Vec<_> = request.tools.iter().map(declaration).collect();
    let tools = if declarations.is_empty() { vec![] } else { vec![Tools { function_declarations: declarations }] };
    let mut contents = Vec::new();
    let turn = turn_begin(transcript);
    for (at, entry) in transcript.entries.iter().enumerate() {
        match entry {
            Entry::User(user) => contents.push(Content { role: "user", parts: user_parts(user) }),
            Entry::Assistant(assistant) => {
                contents.push(Content { role: "model", parts: model_parts(assistant, at > turn) });
            }
        }
    }
    add_nudge(transcript.nudge, &mut contents);
    Request {
        system_instruction: system.map(|system| SystemInstruction { parts: [text(system)] }),
        contents,
        tools,
        generation_config: generation_config(endpoint),
    }
}

/// Where the last person's message stands that answers no call: the turn that runs began there.
fn turn_begin(transcript: &Transcript<'_>) -> usize {
    let begins = |entry: &Entry<'_>| matches!(entry, Entry::User(user) if user.answers.is_empty());
    transcript.entries.iter().rposition(begins).unwrap_or(0)
}

fn add_nudge<'a>(nudge: Option<&'a str>, contents: &mut Vec<Content<'a>>) {
    let Some(nudge) = nudge else { return };
    match contents.last_mut().filter(|last| last.role == "user") {
        Some(last) => last.parts.push(text(nudge)),
        None => contents.push(Content { role: "user", parts: vec![text(nudge)] }),
    }
}

/// Writes results first: each has to stand right behind its call.
fn user_parts<'a>(user: &'a UserEntry<'a>) -> Vec<Part<'a>> {
    let parts = user.parts.iter().map(|part| match part {
        Said::Text(said) => text(said),
        Said::Image { media_type, data } => part_of(Kind::InlineData(InlineData { mime_type: media_type, data })),
    });
    user.answers.iter().map(response).chain(parts).collect()
}

fn model_parts<'a>(assistant: &'a AssistantEntry<'a>, in_turn: bool) -> Vec<Part<'a>> {
    let mut texts: Vec<Part<'_>> = assistant.texts.iter().map(|said| text(said)).collect();
    if let Some(first) = texts.first_mut() {
        first.thought_signature =
            assistant.thoughts.iter().find_map(|thought| own(Some(thought.data), "thoughtSignature"));
    }
    let calls = assistant.calls.iter().enumerate().map(|(at, call)| Part {
        kind: Kind::FunctionCall(FunctionCall { id: own(call.data, "id"), name: &call.name, args: Object(call.input) }),
        // Of calls made together only the first is signed.
        thought_signature: own(call.data, "thoughtSignature").or((in_turn && at == 0).then_some(NO_SIGNATURE)),
    });
    texts.into_iter().chain(calls).collect()
}

fn response<'a>(answer: &'a Answer<'a>) -> Part<'a> {
    let Call { name, data, .. } = &answer.call;
    let response = if answer.is_error { Response::Error(answer.content) } else { Response::Output(answer.content) };
    part_of(Kind::FunctionResponse(FunctionResponse { id: own(*data, "id"), name, response }))
}

fn own<'a>(data: Option<&'a Value>, key: &str) -> Option<&'a str> {
    data?.get(key)?.as_str()
}

fn text(text: &str) -> Part<'_> {
    part_of(Kind::Text(text))
}

fn part_of(kind: Kind<'_>) -> Part<'_> {
    Part { kind, thought_signature: None }
}

fn declaration(spec: &ToolSpec) -> FunctionDeclaration<'_> {
    FunctionDeclaration { name: &spec.name, description: &spec.description, parameters: fit_schema(&spec.parameters) }
}

fn generation_config(endpoint: &Endpoint) -> Option<GenerationConfig> {
    let thinking_config = endpoint.effort.and_then(|effort| thinking(effort, endpoint.quirks.effort));
    let config = GenerationConfig { max_output_tokens: endpoint.max_output, thinking_config };
    (config.max_output_tokens.is_some() || config.thinking_config.is_some()).then_some(config)
}

fn thinking(effort: Effort, style: EffortStyle) -> Option<Value> {
    let (level, budget) = match effort {
        Effort::Off => ("minimal", 0),
        Effort::Minimal => ("minimal", 512),
        Effort::Low => ("low", 1_024),
        Effort::Medium => ("medium", 8_192),
        Effort::High | Effort::Max => ("high", 24_576),
    };
    let shows = effort != Effort::Off;
    match style {
        EffortStyle::Level => Some(json!({ "thinkingLevel": level, "includeThoughts": shows })),
        EffortStyle::Budget => Some(json!({ "thinkingBudget": budget, "includeThoughts": shows })),
        _ => None,
    }
}
