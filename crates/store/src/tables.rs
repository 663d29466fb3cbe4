//! Each table's statements, a file per table. `INDEXED BY` stands where a start would otherwise read a whole table: SQLite refuses
//! such a statement when the index does not serve it.

pub(crate) mod access;
pub(crate) mod conversations;
pub(crate) mod deliveries;
pub(crate) mod inbox;
pub(crate) mod messages;
pub(crate) mod meta;
pub(crate) mod overview;
pub(crate) mod parts;
pub(crate) mod turn_events;
pub(crate) mod turns;

mod column;

pub(crate) use column::{Json, Text};
