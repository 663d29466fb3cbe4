//! The wire formats. Each is a module of its own with the same functions; here they are told apart.

use axum::http::{HeaderMap, Method};
use chat::ErrorClass;
use serde_json::Value;

use super::received::{Line, Received};
use super::refusal::Refusal;
use super::rules::Rules;
use super::stream::Piece;
use super::{anthropic, gemini, openai};
use crate::step::{Failure, Reply};

/// A wire format that a [`crate::ScriptedModel`] speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// OpenAI chat completions.
    OpenAi,
    /// Anthropic messages.
    Anthropic,
    /// Gemini's `generateContent` and `streamGenerateContent`.
    Gemini,
}

/// The parts of a request that a format looks at.
pub(crate) struct Call<'a> {
    pub(crate) method: &'a Method,
    pub(crate) path: &'a str,
    pub(crate) headers: &'a HeaderMap,
    pub(crate) body: &'a [u8],
}

impl Format {
    /// The format that a request speaks, by its path and by how it shows its key; what is nobody's is answered as by OpenAI.
    pub(crate) fn of(path: &str, headers: &HeaderMap) -> Self {
        if path.starts_with("/v1beta/") {
            Self::Gemini
        } else if path.starts_with("/v1/messages") || headers.contains_key("x-api-key") {
            Self::Anthropic
        } else {
            Self::OpenAi
        }
    }

    /// Reads a request, or says which rule it breaks.
    pub(crate) fn check(self, call: &Call<'_>, rules: &Rules) -> Result<Value, Refusal> {
        match self {
            Self::OpenAi => openai::check(call, rules),
            Self::Anthropic => anthropic::check(call, rules),
            Self::Gemini => gemini::check(call, rules),
        }
    }

    /// The answer to a look at which models there are; `None` where the path asks for something else.
    pub(crate) fn models(self, call: &Call<'_>, rules: &Rules) -> Option<Result<Value, Refusal>> {
        match self {
            Self::OpenAi => openai::models(call, rules),
            Self::Anthropic => anthropic::models(call, rules),
            Self::Gemini => gemini::models(call, rules),
        }
    }

    /// Whether the answer is to be streamed.
    pub(crate) fn is_streamed(self, request: &Received) -> bool {
        match self {
            Self::OpenAi | Self::Anthropic => request.body["stream"] == Value::Bool(true),
            Self::Gemini => request.path.contains(":streamGenerateContent"),
        }
    }

    /// What the request says, message by message.
    pub(crate) fn lines(self, body: &Value) -> Vec<Line> {
        match self {
            Self::OpenAi => openai::lines(body),
            Self::Anthropic => anthropic::lines(body),
            Self::Gemini => gemini::lines(body),
        }
    }

    /// The names of the tools that the request offers.
    pub(crate) fn tool_names(self, body: &Value) -> Vec<String> {
        match self {
            Self::OpenAi => openai::tool_names(body),
            Self::Anthropic => anthropic::tool_names(body),
            Self::Gemini => gemini::tool_names(body),
        }
    }

    /// A reply as a stream of events.
    pub(crate) fn stream(self, reply: &Reply, request: &Received) -> Vec<Piece> {
        match self {
            Self::OpenAi => openai::stream(reply, request),
            Self::Anthropic => anthropic::stream(reply, request),
            Self::Gemini => gemini::stream(reply, request),
        }
    }

    /// A reply as one object.
    pub(crate) fn whole(self, reply: &Reply, request: &Received) -> Value {
        match self {
            Self::OpenAi => openai::whole(reply, request),
            Self::Anthropic => anthropic::whole(reply, request),
            Self::Gemini => gemini::whole(reply, request),
        }
    }

    /// The HTTP status of an error whose script does not say another.
    pub(crate) fn status(self, class: ErrorClass) -> u16 {
        match (self, class) {
            (_, ErrorClass::Auth) => 401,
            (Self::OpenAi | Self::Gemini, ErrorClass::Quota) | (_, ErrorClass::RateLimited) => 429,
            (Self::Anthropic, ErrorClass::Overloaded) => 529,
            (_, ErrorClass::Overloaded) => 503,
            (Self::Anthropic, ErrorClass::Quota)
            | (
                _,
                ErrorClass::Overflow
                | ErrorClass::MalformedHistory
                | ErrorClass::BadRequest
                | ErrorClass::ContentFilter,
            ) => 400,
            (
                _,
                ErrorClass::Network
                | ErrorClass::Timeout
                | ErrorClass::Truncated
                | ErrorClass::Empty
                | ErrorClass::Server
                | ErrorClass::Protocol,
            ) => 500,
        }
    }

    /// The body that comes with an error.
    pub(crate) fn error(self, failure: &Failure) -> Value {
        match self {
            Self::OpenAi => openai::error(failure),
            Self::Anthropic => anthropic::error(failure),
            Self::Gemini => gemini::error(failure),
        }
    }
}

/// What a model puts under a text so that it knows it again. Who sends the text back has to send this with it, unchanged.
pub(crate) fn signature(text: &str) -> String {
    // FNV-1a: any change of the text changes it, and it is the same in every run.
    let hash = text
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
    format!("signed-{hash:016x}")
}
