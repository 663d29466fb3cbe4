//! Repairs broken JSON without inventing or losing content.
//!
//! What a text says without doubt is read, however it is spelled; what is cut off or has more than one reading is refused.
//!
//! # Layout
//!
//! - `repaired`, `error`, `limits`: what comes out, and what goes in beside the text
//! - `attempt`: strict JSON first, else one value and what stands around it
//! - `strict`, `integer`: valid JSON, as `serde_json` reads it, and what that would round
//! - `outside`: prose, tags and a fence around the value
//! - `document`, `frame`: structure, with a stack of its own
//! - `string`: where strings end, and what their backslashes mean
//! - `scalar`: numbers and words
//! - `trivia`, `punctuation`, `reader`: white space and comments, signs of structure, and the place in the text
//!
//! # Never
//!
//! Recurses, panics, guesses past a cut.

mod attempt;
mod document;
mod error;
mod frame;
mod integer;
mod limits;
mod outside;
mod punctuation;
mod reader;
mod repaired;
mod scalar;
mod strict;
mod string;
mod trivia;

#[cfg(test)]
mod tests;

pub use error::Error;
pub use integer::long_integer;
pub use limits::Limits;
pub use repaired::{Repair, RepairKind, Repaired};

/// Reads a text as JSON, repaired where there is exactly one way to, within the usual [`Limits`].
pub fn repair(text: &[u8]) -> Result<Repaired, Error> {
    repair_with(text, Limits::default())
}

/// Reads a text as JSON, repaired where there is exactly one way to.
pub fn repair_with(text: &[u8], limits: Limits) -> Result<Repaired, Error> {
    attempt::attempt(text, limits)
}

/// Holds the example of the README as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
