//! The body of a request for a chat completion.

use std::borrow::Cow;
use std::fmt;

use serde::{Serialize, Serializer};
use serde_json::{Map, Value};

use super::settings::settings;
use crate::request::{Object, Schema, marked_as_error};
use crate::transcript::{AssistantEntry, Call, Entry, NO_PICTURE, Part, Thought, Transcript, UserEntry};
use crate::{EmptyContent, Endpoint, ModelRequest, Quirks, ReasoningField, SystemPlace};

#[derive(Serialize)]
pub(crate) struct Request<'a> {
    model: &'a str,
    messages: Vec<Message<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<Tool<'a>>,
    stream: bool,
    #[serde(flatten)]
    settings: Map<String, Value>,
}

#[derive(Default, Serialize)]
struct Message<'a> {
    role: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_call_id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    content: Option<Content<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reasoning_content: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reasoning: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reasoning_details: Option<Vec<&'a Value>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tool_calls: Vec<ToolCall<'a>>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Content<'a> {
    Null,
    Text(Cow<'a, str>),
    Parts(Vec<ContentPart<'a>>),
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum ContentPart<'a> {
    Text { text: Cow<'a, str> },
    ImageUrl { image_url: ImageUrl<'a> },
}

#[derive(Serialize)]
struct ImageUrl<'a> {
    url: DataUrl<'a>,
}

/// Written straight into the body: pictures are large.
struct DataUrl<'a> {
    media_type: &'a str,
    data: &'a str,
}

#[derive(Serialize)]
struct ToolCall<'a> {
    id: &'a str,
    r#type: &'static str,
    function: Function<'a>,
}

#[derive(Serialize)]
struct Function<'a> {
    name: &'a str,
    arguments: String,
}

#[derive(Serialize)]
struct Tool<'a> {
    r#type: &'static str,
    function: ToolFunction<'a>,
}

#[derive(Serialize)]
struct ToolFunction<'a> {
    name: &'a str,
    description: &'a str,
    parameters: Schema<'a>,
}

/// Writes a request down as a chat completion.
pub(crate) fn request<'a>(
    endpoint: &'a Endpoint,
    request: &'a ModelRequest,
    transcript: &'a Transcript<'a>,
) -> Request<'a> {
    let tool = |spec: &'a chat::ToolSpec| Tool {
        r#type: "function",
        function: ToolFunction {
            name: &spec.name,
            description: &spec.description,
            parameters: Schema(&spec.parameters),
        },
    };
    Request {
        model: &endpoint.name.model,
        messages: Messages::of(&request.system, transcript, &endpoint.quirks),
        tools: request.tools.iter().map(tool).collect(),
        stream: true,
        settings: settings(endpoint),
    }
}

/// The messages as they are written down one after the other.
struct Messages<'a> {
    quirks: &'a Quirks,
    has_calls: bool,
    written: Vec<Message<'a>>,
}

impl<'a> Messages<'a> {
    fn of(system: &'a str, transcript: &'a Transcript<'a>, quirks: &'a Quirks) -> Vec<Message<'a>> {
        let mut messages = Self { quirks, has_calls: transcript.has_calls(), written: Vec::new() };
        let mut lead = None;
        if !system.trim().is_empty() {
            match quirks.system {
                SystemPlace::System => messages.write_text("system", system),
                SystemPlace::Developer => messages.write_text("developer", system),
                SystemPlace::FirstUser => lead = Some(system),
            }
        }
        for entry in &transcript.entries {
            match entry {
                Entry::User(user) => messages.write_user(user, lead.take()),
                Entry::Assistant(assistant) => messages.write_assistant(assistant),
            }
        }
        for text in lead.into_iter().chain(transcript.nudge) {
            messages.write_text("user", text);
        }
        messages.written
    }

    /// Writes results first: they have to stand right behind their calls.
    fn write_user(&mut self, user: &'a UserEntry<'a>, lead: Option<&'a str>) {
        for answer in &user.answers {
            let content = if answer.is_error { marked_as_error(answer.content) } else { answer.content.into() };
            let message = Message {
                role: "tool",
                tool_call_id: Some(&answer.call.id),
                content: Some(Content::Text(content)),
                ..Message::default()
            };
            self.written.push(message);
        }
        // Behind results there is no place for a message with a picture where a user's may not follow them.
        let takes_pictures = user.answers.is_empty() || !self.quirks.alternate_roles;
        let texts = user.parts.iter().map_while(|part| match part {
            Part::Text(text) => Some(*text),
            Part::Image { .. } if !takes_pictures => Some(NO_PICTURE),
            Part::Image { .. } => None,
        });
        let texts: Vec<&str> = lead.into_iter().chain(texts).collect();
        if texts.len() == user.parts.len() + usize::from(lead.is_some()) {
            if !texts.is_empty() {
                self.write("user", joined(&texts));
            }
            return;
        }
        let lead = lead.map(|text| ContentPart::Text { text: text.into() });
        let parts = user.parts.iter().map(content_part);
        let content = Content::Parts(lead.into_iter().chain(parts).collect());
        self.written.push(Message { role: "user", content: Some(content), ..Message::default() });
    }

    fn write_assistant(&mut self, assistant: &'a AssistantEntry<'a>) {
        let content = if assistant.texts.is_empty() {
            match self.quirks.empty_content {
                EmptyContent::Null => Some(Content::Null),
                EmptyContent::EmptyString => Some(Content::Text("".into())),
                EmptyContent::Omitted => None,
            }
        } else {
            Some(Content::Text(joined(&assistant.texts)))
        };
        let tool_calls = assistant.calls.iter().map(tool_call).collect();
        let mut message = Message { role: "assistant", content, tool_calls, ..Message::default() };
        self.give_back(&assistant.thoughts, &mut message);
        self.written.push(message);
    }

    /// Gives the model back what it thought, where the server wants it.
    fn give_back(&self, thoughts: &'a [Thought<'a>], message: &mut Message<'a>) {
        let Some(field) = self.quirks.reasoning_field else { return };
        let texts: Vec<&str> = thoughts.iter().map(|thought| thought.text).filter(|text| !text.is_empty()).collect();
        let is_there = !texts.is_empty() || (self.quirks.reasoning_required && self.has_calls);
        let text = is_there.then(|| texts.join("\n"));
        let details: Vec<&Value> =
            thoughts.iter().filter_map(|thought| thought.data["reasoning_details"].as_array()).flatten().collect();
        match field {
            ReasoningField::ReasoningContent => message.reasoning_content = text,
            ReasoningField::ReasoningDetails if !details.is_empty() => message.reasoning_details = Some(details),
            ReasoningField::Reasoning | ReasoningField::ReasoningDetails => message.reasoning = text,
        }
    }

    fn write_text(&mut self, role: &'static str, text: &'a str) {
        self.write(role, Cow::Borrowed(text));
    }

    /// Writes a text; a user's goes to the end of what stands there already where it cannot be a message of its own.
    fn write(&mut self, role: &'static str, text: Cow<'a, str>) {
        let follows = |last: &Message<'_>| last.role == "user" || (last.role == "tool" && self.quirks.alternate_roles);
        match self
            .written
            .last_mut()
            .filter(|last| role == "user" && follows(last))
            .and_then(|last| last.content.as_mut())
        {
            Some(Content::Text(before)) => *before = format!("{before}\n\n{text}").into(),
            Some(Content::Parts(parts)) => parts.push(ContentPart::Text { text }),
            Some(Content::Null) | None => {
                self.written.push(Message { role, content: Some(Content::Text(text)), ..Message::default() });
            }
        }
    }
}

fn content_part<'a>(part: &'a Part<'a>) -> ContentPart<'a> {
    match part {
        Part::Text(text) => ContentPart::Text { text: Cow::Borrowed(text) },
        Part::Image { media_type, data } => {
            ContentPart::ImageUrl { image_url: ImageUrl { url: DataUrl { media_type, data } } }
        }
    }
}

fn tool_call<'a>(call: &'a Call<'a>) -> ToolCall<'a> {
    let arguments = serde_json::to_string(&Object(call.input)).expect("a JSON value serialises");
    ToolCall { id: &call.id, r#type: "function", function: Function { name: &call.name, arguments } }
}

fn joined<'a>(texts: &[&'a str]) -> Cow<'a, str> {
    match texts {
        [text] => Cow::Borrowed(text),
        texts => Cow::Owned(texts.join("\n\n")),
    }
}

impl Serialize for DataUrl<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl fmt::Display for DataUrl<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "data:{};base64,{}", self.media_type, self.data)
    }
}
