//! The ledger on disk: every message that was accepted, the turns that answered them, the histories, and what is to be delivered.
//!
//! One thread writes, in groups that share a transaction and a sync; reads go beside it. What an operation's callback or future
//! reports as done survives a killed process and a power cut.
//!
//! # Layout
//!
//! - [`ledger`]: the handle
//! - [`operation`]: what can be written
//! - [`access`]: who may talk to the bot
//! - [`end`]: how an accepted message ends
//! - [`stored`]: what is read back
//! - [`reader`]: reading, beside the writer or without one
//! - [`verify`]: a recount in plain SQL
//! - `writer`: the thread that writes: groups, failed commits, checkpoints
//! - `tables`: each table's statements
//! - `schema`: the tables' versions
//! - `inspect`: what a ledger's file is, found out before it is touched
//! - `folder`: the data folder and its lock
//! - `connection`: how connections are set up
//! - [`test_point`](mod@test_point): named points at which a test lets the process die
//! - [`settings`], [`error`]
//!
//! # Never
//!
//! Edits what it was given.

pub mod access;
pub mod end;
pub mod error;
pub mod ledger;
pub mod operation;
pub mod reader;
pub mod settings;
pub mod stored;
pub mod test_point;
pub mod verify;

mod connection;
mod folder;
mod inspect;
mod schema;
mod tables;
mod writer;

#[cfg(test)]
mod tests;

pub use access::{AccessChange, ChatAccess, Grant, Invitation, StoredAccess};
pub use end::{Answered, Cancelled, InboxEnd, Refused};
pub use error::{OpenError, ReadError, WriteError};
pub use folder::FILES;
pub use ledger::{Ledger, WriterMode};
pub use operation::{DeliveryState, FinishedTurn, Operation, SuspendedFor, Written};
pub use reader::Reader;
pub use settings::Settings;
pub use stored::{
    FoundMessage, KnownConversation, OpenDelivery, Recovered, RecoveredTurn, StoredConversation, StoredEvent,
    StoredInbound, Suspended, ToldMessage, UnsentDelivery,
};
pub use test_point::test_point;
pub use verify::{Finding, Report, RowCount, StateCount};
