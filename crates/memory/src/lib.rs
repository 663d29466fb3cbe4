//! Workspace files and the system prompt.

mod message;

pub use message::prepare_message;
