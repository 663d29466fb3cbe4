//! The actors of a conversation: what happens between a message that arrived and an answer that goes out.
//!
//! # Layout
//!
//! - [`Agent`]: starts the actors and watches them
//! - `access`: who may talk, and as what
//! - `intake`: the door in: access, size, commands, the inbox row
//! - `supervisor`: finds, loads or spawns the conversation of a key
//! - `recovery`: what an earlier process left open
//! - `conversation`: serialises what comes in; its decisions are the pure `conversation::dialogue`
//! - `keeper`: starts an adapter anew when it ends
//! - `control`: what is asked and told from outside a conversation
//! - `models`: which model is asked: an ordered list, a breaker each
//! - `executor`: runs one turn: performs the effects of the `turn` machine
//! - `recording`: what happened to a turn: from there it goes on after a crash, and bug reports quote it
//! - `delivery`: the door out: everything that a channel is told, in order, and what became of it
//! - [`Services`]: what all of them share
//! - `wording`: what the bot itself says
//!
//! # Never
//!
//! Names a channel or a vendor, holds a lock.

mod access;
mod control;
mod conversation;
mod delivery;
mod executor;
mod incoming;
mod intake;
mod keeper;
mod models;
mod recording;
mod recovery;
mod root;
mod services;
mod settings;
mod supervisor;
mod wording;

pub use access::{ChannelAccess, PersonId};
pub use control::Control;
pub use intake::{ChannelLine, ChannelStatus};
pub use keeper::{Adapter, Doors};
pub use recording::{RecordError, journal_of};
pub use root::{Agent, StartError};
pub use services::{Prompt, Services};
pub use settings::Settings;
