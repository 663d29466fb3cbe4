//! Facts of the ledger itself.

use rusqlite::{Connection, Result};

const GROUPS: &str = "SELECT value FROM meta WHERE name = 'groups'";

const SET_GROUPS: &str = "UPDATE meta SET value = ?1 WHERE name = 'groups'";

/// How many groups were committed, ever.
pub(crate) fn groups(connection: &Connection) -> Result<i64> {
    connection.prepare_cached(GROUPS)?.query_row([], |row| row.get(0))
}

pub(crate) fn set_groups(connection: &Connection, groups: i64) -> Result<()> {
    connection.prepare_cached(SET_GROUPS)?.execute([groups]).map(drop)
}
