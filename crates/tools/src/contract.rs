//! What a tool is.

use std::path::PathBuf;
use std::pin::Pin;
use std::sync::Arc;

use chat::{ToolResult, ToolSpec};
use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;

/// Something that the agent can do.
///
/// Dropping the future of [`Tool::run`] ends all that it started, whole process trees among it.
pub trait Tool: Send + Sync {
    /// What a model is told of it.
    fn spec(&self) -> &ToolSpec;

    /// What running it twice would do.
    fn effect(&self) -> EffectClass;

    /// What of the machine it needs, by which [`crate::policy`] decides who may call it. A tool that does not say is the owner's alone.
    fn needs(&self) -> Access {
        Access::Shell
    }

    /// Whether several calls of it may run at once.
    fn parallel_safe(&self) -> bool {
        false
    }

    /// What a model is told when its arguments were cut off at the limit on output: how to send less at a time.
    fn advice_on_sending_less(&self) -> Option<&str> {
        None
    }

    /// Runs it. A failure is a result that the model can read.
    fn run(&self, arguments: Map<String, Value>, context: ToolContext) -> ToolFuture;
}

/// A running call.
pub type ToolFuture = Pin<Box<dyn Future<Output = ToolResult> + Send>>;

/// What of the machine a tool needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Access {
    /// Nothing.
    Nothing,
    /// Its files.
    Files,
    /// Whatever a command can do.
    Shell,
}

/// What running a call twice would do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EffectClass {
    /// Nothing: it only looks.
    Pure,
    /// No more than once: it leaves the same state.
    Idempotent,
    /// Something may happen again.
    Effect,
}

/// What a call runs in.
#[derive(Clone)]
pub struct ToolContext {
    /// The folder that relative paths start from.
    pub folder: PathBuf,
    /// Cancelled when the call is no longer wanted. Tools that block a thread look at it per file or block.
    pub cancelled: CancellationToken,
    /// Takes the last output of a long call, for people.
    pub progress: Arc<dyn Fn(String) + Send + Sync>,
}
