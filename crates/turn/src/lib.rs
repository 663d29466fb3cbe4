//! The agent loop as a pure state machine: an input comes in, effects come out.
//!
//! # Never
//!
//! Does I/O, awaits, reads a clock. Names a vendor, a tool, a person's role, a channel.

mod event;

pub use event::{Effect, Input, Limits, Shrink, Start, SteerMode, ToolFacts, VERSION};
