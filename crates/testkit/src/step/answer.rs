//! What a [`crate::Step`] is made of.

use std::time::Duration;

use chat::{ErrorClass, Usage};

use crate::Gate;

/// In which way a request is answered.
#[derive(Clone, Debug)]
pub(crate) enum Answer {
    Reply(Reply),
    Failure(Failure),
    /// A body as it stands, each piece written on its own.
    Raw {
        status: u16,
        content_type: String,
        body: Vec<Vec<u8>>,
    },
    /// The request is taken and nothing ever comes.
    Silence,
    /// The connection is closed in place of an answer.
    Disconnect,
    /// The model's own code fails; a server closes the connection.
    Panic(String),
}

/// A reply, whole or in the course of coming apart.
#[derive(Clone, Debug)]
pub(crate) struct Reply {
    pub(crate) parts: Vec<Part>,
    /// OpenAI's word for the end, or any other; `None` for what fits the parts.
    pub(crate) finish: Option<String>,
    pub(crate) usage: Option<Usage>,
    /// Whether the stream ends with the marks of a whole reply.
    pub(crate) whole: bool,
    pub(crate) chars_per_event: usize,
    pub(crate) bytes_per_write: usize,
}

/// A piece of a reply.
#[derive(Clone, Debug)]
pub(crate) enum Part {
    Text(String),
    Reasoning(String),
    Call {
        /// `None` for an id that is unique in the server.
        id: Option<String>,
        name: String,
        /// As the model wrote them: mostly JSON.
        arguments: String,
    },
    Gate(Gate),
    Pause(Duration),
    /// An error in the midst of the stream, in the vendor's form.
    Error(Failure),
    /// The connection breaks.
    Cut,
    /// Nothing more comes, and the connection stays.
    Stall,
}

/// A refusal or failure, in the words of the vendor whose format is asked.
#[derive(Clone, Debug)]
pub(crate) struct Failure {
    pub(crate) class: ErrorClass,
    /// `None` for the status that the vendor gives to the class.
    pub(crate) status: Option<u16>,
    pub(crate) retry_after_s: Option<u64>,
    pub(crate) message: Option<String>,
}

impl Reply {
    /// Whether it asks for tools.
    pub(crate) fn has_calls(&self) -> bool {
        self.parts.iter().any(|part| matches!(part, Part::Call { .. }))
    }
}

/// The class that a bare HTTP status stands for.
pub(super) fn class_of(status: u16) -> ErrorClass {
    match status {
        401 | 403 => ErrorClass::Auth,
        402 => ErrorClass::Quota,
        408 => ErrorClass::Timeout,
        413 => ErrorClass::Overflow,
        429 => ErrorClass::RateLimited,
        503 | 529 => ErrorClass::Overloaded,
        500..=599 => ErrorClass::Server,
        _ => ErrorClass::BadRequest,
    }
}
