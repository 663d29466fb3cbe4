//! The classes of model errors.

use serde::{Deserialize, Serialize};

/// A model call that gave no whole reply.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, thiserror::Error)]
#[error("{message}")]
pub struct ModelError {
    /// What is to be done about it.
    pub class: ErrorClass,
    /// What went wrong, for people: one line, secrets masked.
    pub message: String,
    /// How long the server asked to be left alone, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_after_ms: Option<u64>,
}

impl ModelError {
    /// An error without a wish for a pause.
    #[must_use]
    pub fn new(class: ErrorClass, message: impl Into<String>) -> Self {
        Self { class, message: message.into(), retry_after_ms: None }
    }
}

/// What a model error is, decided where its status, code and type are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ErrorClass {
    /// No connection, or one that broke.
    Network,
    /// A deadline passed: connect, first byte, or between bytes.
    Timeout,
    /// The reply ended without a sign that it was whole.
    Truncated,
    /// A whole reply with neither text nor calls.
    Empty,
    /// Too many requests.
    RateLimited,
    /// The vendor has no capacity now.
    Overloaded,
    /// The vendor failed.
    Server,
    /// The answer is not of the format.
    Protocol,
    /// The key is missing, wrong, or not allowed to do this.
    Auth,
    /// The account has no money or quota left.
    Quota,
    /// The request is larger than the model's window.
    Overflow,
    /// The history was refused as malformed.
    MalformedHistory,
    /// Refused for another reason; the same request will be refused again.
    BadRequest,
    /// The vendor's filter held the request or the reply back.
    ContentFilter,
}

impl ErrorClass {
    /// Whether the same request may well succeed a little later.
    #[must_use]
    pub fn is_transient(self) -> bool {
        matches!(
            self,
            Self::Network
                | Self::Timeout
                | Self::Truncated
                | Self::RateLimited
                | Self::Overloaded
                | Self::Server
                | Self::Protocol
        )
    }

    /// Its stable name, as scripts see it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Network => "network",
            Self::Timeout => "timeout",
            Self::Truncated => "truncated",
            Self::Empty => "empty",
            Self::RateLimited => "rate_limited",
            Self::Overloaded => "overloaded",
            Self::Server => "server",
            Self::Protocol => "protocol",
            Self::Auth => "auth",
            Self::Quota => "quota",
            Self::Overflow => "overflow",
            Self::MalformedHistory => "malformed_history",
            Self::BadRequest => "bad_request",
            Self::ContentFilter => "content_filter",
        }
    }
}
