//! The agent loop as a pure state machine: an input comes in, effects come out.
//!
//! ```
//! use std::sync::Arc;
//! use chat::{Language, Message, OutcomeKind, Reply, View};
//! use turn::{Effect, Input, Limits, Start, Turn, VERSION};
//!
//! let (mut turn, effects) = Turn::start(Start {
//!     version: VERSION,
//!     language: Language::English,
//!     limits: Limits::default(),
//!     tools: Vec::new(),
//!     view: View::default(),
//!     message: Arc::new(Message::user("hello")),
//!     may_be_silent: false,
//! });
//! assert!(matches!(effects.last(), Some(Effect::CallModel { step: 1, .. })));
//!
//! let effects = turn.on(Input::ReplyReceived(Reply { text: "Hello!".into(), ..Reply::default() }));
//! let Some(Effect::Finish(outcome)) = effects.last() else { panic!("a reply without calls ends a turn") };
//! assert_eq!((outcome.kind, outcome.text.as_str()), (OutcomeKind::Answered, "Hello!"));
//! ```
//!
//! # Layout
//!
//! - `event`: what goes in and what comes out
//! - `turn`: the machine. Its states are one enum; `turn/replies`, `turn/failures`, `turn/calls`, `turn/endings` and
//!   `turn/resuming` say what it does with each kind of news
//! - `request`: what is asked of the model at present, and how much smaller than usual
//! - `step`: a reply with calls and the results it waits for: the pair that enters the history whole or not at all
//! - `breaker`: when a call goes round in circles
//! - `retry`: how long to wait before a model is asked again
//! - `steering`: what a person adds while the turn runs
//! - `record`: messages as they are kept when the turn is over
//! - `journal`: recording a turn and running it again
//! - `fingerprint`: hashes that stay the same from build to build
//! - `wording`: everything the machine says, to people and to the model
//!
//! # Never
//!
//! Does I/O, awaits, reads a clock. Names a vendor, a tool, a person's role, a channel.

mod breaker;
mod event;
mod fingerprint;
mod journal;
mod record;
mod request;
mod retry;
mod steering;
mod step;
#[cfg(test)]
mod tests;
mod turn;
mod wording;

pub use event::{Effect, Input, Limits, Shrink, Start, SteerMode, ToolFacts, VERSION};
pub use fingerprint::effects_hash;
pub use journal::{Journal, Replay, replay};
pub use step::InFlight;
pub use turn::{Interrupted, Pending, Turn};
