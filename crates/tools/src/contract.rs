//! What a tool is.

use std::path::PathBuf;
use std::pin::Pin;
use std::sync::Arc;

use chat::{ChannelName, ConversationKey, PersonRole, ToolResult, ToolSpec, TurnId};
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

    /// When it runs.
    fn stage(&self) -> Stage {
        Stage::InTurn
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

/// When a tool runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// When a model calls it.
    InTurn,
    /// By itself, without arguments, once a turn is on disk as answered; no model is offered it. It has 30 seconds, what it gives
    /// back is for the log, and it is not made up for after a crash.
    AfterTurn,
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
    /// The conversation it belongs to.
    pub conversation: ConversationKey,
    /// The turn it belongs to.
    pub turn: TurnId,
    /// The call's id, which no other call of the turn has. With the turn it is the key under which an [`EffectClass::Idempotent`]
    /// tool that runs again finds what it did the first time.
    pub call: String,
    /// What the person it works for may do.
    pub role: PersonRole,
    /// The folder that relative paths start from.
    pub folder: PathBuf,
    /// Cancelled when the call is no longer wanted. Tools that block a thread look at it per file or block.
    pub cancelled: CancellationToken,
    /// Takes the last output of a long call, for people.
    pub progress: Arc<dyn Fn(String) + Send + Sync>,
}

impl ToolContext {
    /// A call of the owner's in this folder, which belongs to no conversation and tells nobody of its progress.
    #[must_use]
    pub fn in_folder(folder: impl Into<PathBuf>) -> Self {
        let channel = ChannelName("none".to_owned());
        Self {
            conversation: ConversationKey {
                channel,
                bot: String::new(),
                chat: String::new(),
                thread: None,
                person: None,
            },
            turn: TurnId(0),
            call: "call".to_owned(),
            role: PersonRole::Owner,
            folder: folder.into(),
            cancelled: CancellationToken::new(),
            progress: Arc::new(|_| ()),
        }
    }
}
