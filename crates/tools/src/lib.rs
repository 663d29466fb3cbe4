//! The tool contract, the registry, policy, built-in tools and the process runner.
//!
//! # Layout
//!
//! - `contract`: what a tool is
//! - `registry`: the tools that exist
//! - `policy`: who may call which tool; `guard`: that, and what nobody is shown
//! - `sandbox`: what a command may reach of the machine
//! - `redact`: secrets taken out of what is shown, sent and logged
//! - `settings`: what of the tools can be set
//! - `schema`, `arguments`: from a Rust type to what a model is told, and from what a model sends back to the type
//! - `credentials`, `protected`, `files`: where secrets usually are, what no tool touches, and from the path in a call to a file that
//!   may be touched
//! - `builtin`: `ls`, `read`, `search`, `write`, `edit`, `send` and `bash`
//! - `textual`: files as lines of text: line ends, the numbers in front of lines, syntax
//! - `process`: runs a program under a runner so that nothing of it outlives the call
//! - `jobs`: commands that run in the background of a conversation
//! - `cap`, `text`, `blocking`: what one result may add to a conversation, cutting text, work that blocks a thread
//!
//! # Never
//!
//! Calls a model, sends to a channel. A tool's failure is a result, not an error of the turn.

mod arguments;
mod blocking;
mod builtin;
mod cap;
mod contract;
mod credentials;
mod files;
mod guard;
mod jobs;
pub mod policy;
mod process;
mod protected;
pub mod redact;
mod registry;
pub mod sandbox;
mod schema;
mod settings;
mod text;
mod textual;

pub use arguments::check_arguments;
pub use builtin::{builtin, builtin_with};
pub use cap::cap_result;
pub use contract::{Access, EffectClass, Stage, Tool, ToolContext, ToolFuture};
pub use guard::Guard;
pub use jobs::{Jobs, RunningJob};
pub use process::{RunnerProgram, serve_runner};
pub use protected::Protected;
pub use registry::Registry;
pub use schema::spec_of;
pub use settings::Settings;
