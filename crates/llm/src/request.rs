//! The body of a request, in the format of the endpoint.

use serde::{Serialize, Serializer};
use serde_json::{Map, Value};

use crate::transcript::Transcript;
use crate::{Endpoint, Format, ModelRequest, anthropic, gemini, openai};

/// Builds the body that would be sent, for bug reports.
#[must_use]
pub fn build_request(endpoint: &Endpoint, request: &ModelRequest) -> Value {
    let transcript = Transcript::new(endpoint, request);
    serde_json::to_value(Body::new(endpoint, request, &transcript)).expect(ALWAYS_JSON)
}

/// Builds the body that is sent. The same request always gives the same bytes.
#[must_use]
pub fn request_bytes(endpoint: &Endpoint, request: &ModelRequest) -> Vec<u8> {
    let transcript = Transcript::new(endpoint, request);
    serde_json::to_vec(&Body::new(endpoint, request, &transcript)).expect(ALWAYS_JSON)
}

const ALWAYS_JSON: &str = "a body has only string keys, and none of its parts fails to serialise";

#[derive(Serialize)]
#[serde(untagged)]
enum Body<'a> {
    OpenAi(openai::Request<'a>),
    Anthropic(anthropic::Request<'a>),
    Gemini(gemini::Request<'a>),
}

impl<'a> Body<'a> {
    fn new(endpoint: &'a Endpoint, request: &'a ModelRequest, transcript: &'a Transcript<'a>) -> Self {
        match endpoint.format {
            Format::OpenAi => Self::OpenAi(openai::request(endpoint, request, transcript)),
            Format::Anthropic => Self::Anthropic(anthropic::request(endpoint, request, transcript)),
            Format::Gemini => Self::Gemini(gemini::request(endpoint, request, transcript)),
        }
    }
}

/// What must be an object; of anything else an empty one is made.
pub(crate) struct Object<'a>(pub(crate) &'a Value);

impl Serialize for Object<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Value::Object(object) => object.serialize(serializer),
            _ => Map::new().serialize(serializer),
        }
    }
}

/// The schema of a tool's arguments: the schema of an object.
pub(crate) struct Schema<'a>(pub(crate) &'a Value);

impl Serialize for Schema<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.0.get("type").is_some() {
            return self.0.serialize(serializer);
        }
        let mut schema = Map::from_iter([("type".to_owned(), "object".into())]);
        schema.extend(self.0.as_object().cloned().unwrap_or_default());
        schema.entry("properties").or_insert_with(|| Map::new().into());
        schema.serialize(serializer)
    }
}

/// The text of a failed call begins so where the format has no mark for failures.
pub(crate) fn marked_as_error(content: &str) -> std::borrow::Cow<'_, str> {
    if content.starts_with("Error:") { content.into() } else { format!("Error: {content}").into() }
}

#[cfg(test)]
mod tests;
