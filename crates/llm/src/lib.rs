//! One request to one model as a stream of reply events.
//!
//! # Never
//!
//! Remembers anything between calls, runs a tool, knows a channel.

mod model;

pub use model::{ChatModel, ModelName, ModelRequest, ReplyEvent, ReplyStream};
