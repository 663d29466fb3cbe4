//! Channel adapters: a chat service as an actor, between what the service speaks and the words of `chat`.
//!
//! # Layout
//!
//! - [`terminal`]: standard input and output
//! - `markdown`: Markdown for a terminal, written as it comes
//! - `wording`: what the adapters themselves say
//!
//! # Never
//!
//! Sees a history, calls a model; no adapter imports another.

mod markdown;
pub mod terminal;
mod wording;
