//! The tool contract, the registry, policy, built-in tools and the process runner.
//!
//! # Never
//!
//! Calls a model, sends to a channel. A tool's failure is a result, not an error of the turn.

mod contract;
mod registry;

pub use contract::{EffectClass, Tool, ToolContext, ToolFuture};
pub use registry::Registry;
