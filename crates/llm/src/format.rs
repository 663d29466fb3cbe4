//! The wire formats behind one face: each format is a module with the same functions.

use chat::{ErrorClass, ModelError};
use serde_json::Value;

use crate::draft::{Draft, truncated};
use crate::error::{self, mask, one_line, protocol};
use crate::sse::Event;
use crate::wire::lenient_value;
use crate::{Format, anthropic, gemini, openai};

/// What a format has to remember between the events of one reply.
#[derive(Debug)]
pub(crate) enum Assembly {
    OpenAi(openai::Assembly),
    Anthropic(anthropic::Assembly),
    Gemini(gemini::Assembly),
}

/// Why an event was not taken.
pub(crate) enum Refusal {
    /// It cannot be read.
    Unreadable(serde_json::Error),
    /// It tells of an error.
    Error(ModelError),
}

impl From<serde_json::Error> for Refusal {
    fn from(error: serde_json::Error) -> Self {
        Self::Unreadable(error)
    }
}

impl Assembly {
    /// Begins a reply to a request that offered these tools.
    pub(crate) fn new(format: Format, tools: Vec<String>) -> Self {
        match format {
            Format::OpenAi => Self::OpenAi(openai::Assembly::new(tools)),
            Format::Anthropic => Self::Anthropic(anthropic::Assembly::default()),
            Format::Gemini => Self::Gemini(gemini::Assembly),
        }
    }

    /// Takes an event of a stream.
    pub(crate) fn read_event(&mut self, event: &Event<'_>, draft: &mut Draft) {
        if let Some(error) = self.take_event(event, draft) {
            draft.fail(unreadable(&error));
        }
    }

    /// Takes the event that stood at the end of the stream, where it may be cut off.
    pub(crate) fn read_last_event(&mut self, event: &Event<'_>, draft: &mut Draft) {
        if let Some(error) = self.take_event(event, draft).filter(|error| !error.is_eof()) {
            draft.fail(unreadable(&error));
        }
    }

    fn take_event(&mut self, event: &Event<'_>, draft: &mut Draft) -> Option<serde_json::Error> {
        if draft.is_closed() {
            return None;
        }
        let data = event.data.trim();
        if data == "[DONE]" {
            draft.end(None);
            draft.close(truncated);
            return None;
        }
        if !data.starts_with(['{', '[']) {
            if event.name == "error" {
                draft.fail(ModelError::new(ErrorClass::Server, one_line(&mask(data, &[]))));
            }
            // Anything else is a gateway's way to keep the connection open.
            return None;
        }
        let result = match self {
            Self::OpenAi(assembly) => assembly.read_event(data, draft),
            Self::Anthropic(assembly) => assembly.read_event(data, draft),
            Self::Gemini(assembly) => assembly.read_event(data, draft),
        };
        match result {
            Ok(()) => None,
            // A reply that is whole stays whole, whatever a gateway sends behind it.
            Err(_) if draft.is_whole() => None,
            Err(Refusal::Unreadable(error)) => Some(error),
            Err(Refusal::Error(error)) => {
                draft.fail(error);
                None
            }
        }
    }

    /// Takes a body that is one JSON document: an error or a whole reply.
    pub(crate) fn read_document(&mut self, bytes: &[u8], draft: &mut Draft) {
        let text = String::from_utf8_lossy(bytes);
        let value = match lenient_value(&text) {
            Ok(value) => value,
            // The document is cut off: the draft is not whole, and that is all there is to say.
            Err(error) if error.is_eof() => return,
            Err(_) => return draft.fail(protocol("the answer is neither an event stream nor JSON")),
        };
        if let Some(error) = error::from_value(&value) {
            return draft.fail(error);
        }
        let result = match self {
            Self::OpenAi(assembly) => assembly.read_document(&text, draft),
            Self::Anthropic(assembly) => assembly.read_document(&text, draft),
            Self::Gemini(assembly) => assembly.read_document(&text, draft),
        };
        match result {
            Ok(()) if draft.is_whole() => {}
            Ok(()) | Err(Refusal::Unreadable(_)) => {
                draft.fail(protocol("the answer is JSON, but neither a reply nor an error"));
            }
            Err(Refusal::Error(error)) => draft.fail(error),
        }
    }
}

fn unreadable(error: &serde_json::Error) -> ModelError {
    protocol(&format!("an event of the answer cannot be read: {error}"))
}

/// Reads an event a second time, now for the error in it.
pub(crate) fn error_in(data: &str, pointer: &str) -> Refusal {
    let value = match lenient_value(data) {
        Ok(value) => value,
        Err(error) => return error.into(),
    };
    let place = value.pointer(pointer).unwrap_or(&Value::Null);
    let unknown = || ModelError::new(ErrorClass::Server, "the server reports an error without saying which");
    Refusal::Error(error::from_value(place).unwrap_or_else(unknown))
}
