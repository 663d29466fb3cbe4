//! From the path in a call to a file that may be touched.

mod below;
mod hard_link;
mod kind;
mod nearest;
mod places;
mod real_path;
mod replace;
mod seen;
mod spot;
mod way;

#[cfg(test)]
mod tests;

use std::io;

pub(crate) use below::open_below;
pub(crate) use hard_link::OtherNames;
pub(crate) use kind::{binary_kind, is_image, is_pdf};
pub(crate) use places::Places;
pub(crate) use real_path::real_path;
pub(crate) use seen::Seen;
pub(crate) use spot::Spot;
pub(crate) use way::{Identity, identity};

/// What is told of a failure of the system.
pub(crate) fn failed(verb: &str, path: &str, error: &io::Error) -> String {
    format!("cannot {verb} `{path}`: {error}")
}
