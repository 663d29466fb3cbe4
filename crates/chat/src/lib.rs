//! Every word that crosses a crate of Cowhand: who speaks where, what is said, what a model replied, what a tool gave back,
//! how a turn went; and the rules of a conversation's history.
//!
//! # Layout
//!
//! - [`key`]: where a conversation takes place, and the ids of what happens in it
//! - [`message`]: messages of a history in content blocks
//! - [`reply`]: what one model call returned, what a tool gave back, what it cost
//! - [`error`]: the classes of model errors
//! - [`history`]: messages in an order that every model accepts
//! - [`repair`]: makes any messages into such an order
//! - [`estimate`]: how many tokens something is likely to be
//! - [`view`]: the part of a history that is sent to a model
//! - [`tool`]: what a model is told about a tool
//! - [`command`]: what a person types with a slash in front
//! - [`progress`]: what a running turn tells, and how it ended
//! - [`channel`]: what channel adapters and the actors of a conversation tell each other
//! - [`language`]: the languages in which the bot itself speaks
//!
//! # Never
//!
//! Does I/O, awaits, reads a clock.

pub mod channel;
pub mod command;
pub mod error;
pub mod estimate;
pub mod history;
pub mod key;
pub mod language;
pub mod message;
pub mod progress;
pub mod repair;
pub mod reply;
pub mod tool;
pub mod view;

pub use channel::{
    Arrival, Attachment, AttachmentContent, Button, ChannelNews, Inbound, Outbound, OutboundBody, PartState, Person,
    PersonRole, Place, Press, Receipt, RefusalReason, StoredPart, ToChannel, WhenBusy,
};
pub use command::Command;
pub use error::{ErrorClass, ModelError};
pub use history::{History, HistoryError};
pub use key::{ChannelName, ConversationKey, DeliveryId, InboxId, MessageId, Seq, TurnId};
pub use language::Language;
pub use message::{Block, Message, Provider, Role};
pub use progress::{Outcome, OutcomeKind, Progress, TurnError};
pub use reply::{Arguments, ArgumentsRefusal, Finish, OutgoingFile, Picture, Reply, ToolCall, ToolResult, Usage};
pub use tool::ToolSpec;
pub use view::{Budget, Caps, Summary, View};
