//! The contract between a model and who asks it.

use std::fmt;
use std::sync::Arc;

use chat::{Message, ModelError, Reply, ToolSpec};
use futures_util::stream::BoxStream;

/// A model that can be asked, over the network or in process.
pub trait ChatModel: Send + Sync {
    /// Which model it is.
    fn name(&self) -> &ModelName;

    /// How many tokens a request to it may hold, where that is known.
    fn window(&self) -> Option<u64> {
        None
    }

    /// Asks it once. Dropping the stream ends the request at once. The stream ends after [`ReplyEvent::Finished`] or
    /// [`ReplyEvent::Failed`], of which it has exactly one.
    fn ask(&self, request: ModelRequest) -> ReplyStream;
}

/// What a model makes of a request.
pub type ReplyStream = BoxStream<'static, ReplyEvent>;

/// A model's name, written `vendor/model`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ModelName {
    /// The vendor, as the vendor table calls it.
    pub vendor: String,
    /// The model, as the vendor calls it; it may hold slashes.
    pub model: String,
}

impl fmt::Display for ModelName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.model.is_empty() { f.write_str(&self.vendor) } else { write!(f, "{}/{}", self.vendor, self.model) }
    }
}

/// What a model is asked.
#[derive(Clone, Debug)]
pub struct ModelRequest {
    /// The system prompt.
    pub system: Arc<str>,
    /// The messages, oldest first, in an order that [`chat::History`] would take but for the last, which is a user's.
    pub messages: Vec<Arc<Message>>,
    /// The tools it may call; none when empty.
    pub tools: Arc<[ToolSpec]>,
    /// A text that follows the last message in this request alone.
    pub nudge: Option<String>,
}

/// A piece of a reply.
#[derive(Clone, Debug, PartialEq)]
pub enum ReplyEvent {
    /// A piece of the visible text; never empty.
    Text(String),
    /// A piece of what the model thinks; never empty.
    Reasoning(String),
    /// The whole reply. It may be empty ([`Reply::is_empty`]): what is to be done then is for who asked.
    Finished(Reply),
    /// There is no whole reply.
    Failed {
        /// Why.
        error: ModelError,
        /// The visible text that came before.
        partial: String,
    },
}
