//! The two ends of a terminal or pipe, each on a thread of its own: reading and writing may block for as long as they like.

mod complete;
mod editor;
mod modes;
mod reader;
mod source;
mod streams;
mod writer;

pub(super) use modes::TerminalModes;
pub(super) use reader::Reading;
pub(super) use source::Source;
pub use streams::{Input, Streams};
pub(super) use writer::{Ends, Prompter, Told, Write, Writer};
