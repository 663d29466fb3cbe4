//! The wire formats behind one face: each format is a module with the same functions.

use chat::{ErrorClass, ModelError};
use json_repair_rs::long_integer;
use serde_json::Value;

use crate::draft::{Draft, truncated};
use crate::error::{self, mask, one_line, protocol};
use crate::sse::Event;
use crate::wire::lenient_value;
use crate::{Auth, Endpoint, Format, anthropic, gemini, openai};

/// Where a request to an endpoint goes.
pub(crate) fn url(endpoint: &Endpoint) -> String {
    let (base, query) = endpoint.base_url.split_once('?').unwrap_or((&endpoint.base_url, ""));
    let base = base.trim_end_matches('/');
    let model = &endpoint.name.model;
    let mut url = match endpoint.format {
        Format::OpenAi => openai::url(base),
        Format::Anthropic => anthropic::url(base),
        Format::Gemini => gemini::url(base, model),
    };
    if !query.is_empty() {
        url.push(if url.contains('?') { '&' } else { '?' });
        url.push_str(query);
    }
    url
}

/// Where the models of an endpoint are listed: beside the place where one of them is asked.
pub(crate) fn models_url(endpoint: &Endpoint) -> String {
    let asked = url(endpoint);
    let asked = asked.split('?').next().unwrap_or_default();
    let base = match endpoint.format {
        Format::OpenAi => asked.strip_suffix("/chat/completions"),
        Format::Anthropic => asked.strip_suffix("/messages"),
        Format::Gemini => asked.rfind("/models/").map(|end| &asked[..end]),
    };
    format!("{}/models", base.unwrap_or(asked))
}

/// How a format wants the key to be shown.
pub(crate) fn auth(format: Format) -> Auth {
    match format {
        Format::OpenAi => Auth::Bearer,
        Format::Anthropic => Auth::ApiKey,
        Format::Gemini => Auth::GoogleApiKey,
    }
}

/// The headers that a format wants besides the key.
pub(crate) fn headers(format: Format) -> &'static [(&'static str, &'static str)] {
    match format {
        Format::Anthropic => &[("anthropic-version", "2023-06-01")],
        Format::OpenAi | Format::Gemini => &[],
    }
}

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
        if data.eq_ignore_ascii_case("[DONE]") {
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
        draft.has_long_integer |= long_integer(data).is_some();
        let data = &*draft.halves.join(data);
        let result = match self {
            Self::OpenAi(assembly) => assembly.read_event(data, draft),
            Self::Anthropic(assembly) => assembly.read_event(data, draft),
            Self::Gemini(assembly) => assembly.read_event(data, draft),
        };
        match result {
            Ok(()) => None,
            // A reply that is whole stays whole, whatever a gateway sends behind it.
            Err(_) if draft.is_whole() => None,
            // A server that leaves the blank lines out makes one event of many.
            Err(Refusal::Unreadable(_)) if data.contains('\n') => data.lines().find_map(|line| {
                self.take_event(&Event { name: event.name.as_ref().into(), data: line.into() }, draft)
            }),
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
        draft.has_long_integer |= long_integer(&text).is_some();
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

/// Reads an event a second time, now for the error in it; some servers write an empty one into every chunk.
pub(crate) fn error_in(data: &str, pointer: &str) -> Result<(), Refusal> {
    let value = lenient_value(data)?;
    let place = value.pointer(pointer).unwrap_or(&Value::Null);
    error::from_value(place).map_or(Ok(()), |error| Err(Refusal::Error(error)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::endpoint;

    #[test]
    fn models_are_listed_beside_the_place_where_one_is_asked() {
        let listed = |format| {
            let base_url = "https://host/base".to_owned();
            models_url(&Endpoint { base_url, ..crate::samples::endpoint(format) })
        };

        assert_eq!(listed(Format::OpenAi), "https://host/base/models");
        assert_eq!(listed(Format::Anthropic), "https://host/base/v1/models");
        assert_eq!(listed(Format::Gemini), "https://host/base/v1beta/models");
    }

    fn url_of(format: Format, base_url: &str) -> String {
        url(&Endpoint { base_url: base_url.into(), ..endpoint(format) })
    }

    #[test]
    fn a_base_url_may_end_where_people_end_it() {
        let urls = [
            (Format::OpenAi, "https://h/v1", "https://h/v1/chat/completions"),
            (Format::OpenAi, "https://h/v1/", "https://h/v1/chat/completions"),
            (Format::OpenAi, "https://h/v1/chat/completions", "https://h/v1/chat/completions"),
            (Format::OpenAi, "https://h/x?api-version=1", "https://h/x/chat/completions?api-version=1"),
            (Format::Anthropic, "https://h", "https://h/v1/messages"),
            (Format::Anthropic, "https://h/anthropic/v1/", "https://h/anthropic/v1/messages"),
            (Format::Gemini, "https://h", "https://h/v1beta/models/m:streamGenerateContent?alt=sse"),
            (Format::Gemini, "https://h/v1", "https://h/v1/models/m:streamGenerateContent?alt=sse"),
            (Format::Gemini, "https://h/v1beta?x=1", "https://h/v1beta/models/m:streamGenerateContent?alt=sse&x=1"),
        ];
        for (format, base, url) in urls {
            assert_eq!(url_of(format, base), url);
        }
    }
}
