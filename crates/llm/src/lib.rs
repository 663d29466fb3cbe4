//! One request to one model as a stream of reply events.
//!
//! # Layout
//!
//! - `model`: the contract between a model and who asks it
//! - `endpoint`, `quirks`: where a model is asked, and where its server departs from its format
//!
//! # Never
//!
//! Remembers anything between calls, runs a tool, knows a channel.

mod endpoint;
mod model;
mod quirks;

pub use endpoint::{Effort, Endpoint, Format, Key};
pub use model::{ChatModel, ModelName, ModelRequest, ReplyEvent, ReplyStream};
pub use quirks::{Auth, EffortStyle, EmptyContent, OutputLimit, Quirks, ReasoningField, SystemPlace};
