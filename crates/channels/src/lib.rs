//! Channel adapters: a chat service as an actor, between what the service speaks and the words of `chat`.
//!
//! # Layout
//!
//! - [`terminal`]: standard input and output
//! - [`telegram`]: the Bot API
//! - `markup`: Markdown as marked text, for services that have marks of their own
//! - `split`: marked text in parts that stand on their own
//! - `live`: what a chat shows of a running turn
//! - `pacing`: what goes out next, and how fast
//! - `markdown`: Markdown for a terminal, written as it comes
//! - `wording`: what the adapters themselves say
//!
//! # Never
//!
//! Sees a history, calls a model; no adapter imports another.

mod live;
mod markdown;
mod markup;
mod pacing;
mod split;
pub mod telegram;
pub mod terminal;
mod wording;
