//! Files as lines of text: how their lines end, the numbers that `read` puts in front of lines, whether their syntax holds.

mod gutter;
mod style;
mod syntax;

pub(crate) use gutter::{looks_numbered, without_numbers};
pub(crate) use style::Style;
pub(crate) use syntax::{Fault, fault};
