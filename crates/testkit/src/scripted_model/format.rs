//! The wire formats. Each is a module of its own with the same functions; here they are told apart.

use serde_json::Value;

use super::openai;
use super::received::{Line, Received};
use super::refusal::Refusal;
use super::rules::Rules;
use super::stream::Piece;
use crate::step::{Failure, Reply};

/// A wire format that a [`crate::ScriptedModel`] speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// OpenAI chat completions.
    OpenAi,
}

/// The parts of a request that a format looks at.
pub(crate) struct Call<'a> {
    pub(crate) method: &'a axum::http::Method,
    pub(crate) path: &'a str,
    pub(crate) headers: &'a axum::http::HeaderMap,
    pub(crate) body: &'a [u8],
}

impl Format {
    /// The format that is spoken at this path; what is nobody's is answered as by OpenAI.
    pub(crate) fn at(_path: &str) -> Self {
        Self::OpenAi
    }

    /// Reads a request, or says which rule it breaks.
    pub(crate) fn check(self, call: &Call<'_>, rules: &Rules) -> Result<Value, Refusal> {
        match self {
            Self::OpenAi => openai::check(call, rules),
        }
    }

    /// The answer to a look at which models there are; `None` where the path asks for something else.
    pub(crate) fn models(self, call: &Call<'_>, rules: &Rules) -> Option<Result<Value, Refusal>> {
        match self {
            Self::OpenAi => openai::models(call, rules),
        }
    }

    /// Whether the answer is to be streamed.
    pub(crate) fn is_streamed(self, request: &Received) -> bool {
        match self {
            Self::OpenAi => request.body["stream"] == Value::Bool(true),
        }
    }

    /// What the request says, message by message.
    pub(crate) fn lines(self, body: &Value) -> Vec<Line> {
        match self {
            Self::OpenAi => openai::lines(body),
        }
    }

    /// The names of the tools that the request offers.
    pub(crate) fn tool_names(self, body: &Value) -> Vec<String> {
        match self {
            Self::OpenAi => openai::tool_names(body),
        }
    }

    /// A reply as a stream of events.
    pub(crate) fn stream(self, reply: &Reply, request: &Received) -> Vec<Piece> {
        match self {
            Self::OpenAi => openai::stream(reply, request),
        }
    }

    /// A reply as one object.
    pub(crate) fn whole(self, reply: &Reply, request: &Received) -> Value {
        match self {
            Self::OpenAi => openai::whole(reply, request),
        }
    }

    /// The body that comes with an error.
    pub(crate) fn error(self, failure: &Failure) -> Value {
        match self {
            Self::OpenAi => openai::error(failure),
        }
    }
}
