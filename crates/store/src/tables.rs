//! Each table's statements, a file per table.

pub(crate) mod conversations;
pub(crate) mod deliveries;
pub(crate) mod inbox;
pub(crate) mod messages;
pub(crate) mod meta;
pub(crate) mod turns;

mod column;

pub(crate) use column::{Json, Text};
