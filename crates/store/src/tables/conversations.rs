//! Conversations: key, settings, view.

use chat::{ConversationKey, View};
use rusqlite::{Connection, OptionalExtension, Result};

use super::{Json, Text};

const ID: &str = "SELECT id FROM conversations WHERE key = ?1";

const INSERT: &str = "INSERT INTO conversations (key, last_active) VALUES (?1, ?2)";

const SET_VIEW: &str = "
    INSERT INTO conversations (key, view, last_active) VALUES (?1, ?2, ?3)
    ON CONFLICT (key) DO UPDATE SET view = excluded.view, last_active = excluded.last_active
    RETURNING id";

const FIND: &str = "SELECT id, view, last_active FROM conversations WHERE key = ?1";

const WITH_OPEN_WORK: &str = "
    SELECT id, key FROM conversations WHERE id IN (
        SELECT conversation FROM inbox INDEXED BY inbox_open WHERE ended_at IS NULL
        UNION SELECT conversation FROM turns INDEXED BY turns_open WHERE ended_at IS NULL
        UNION SELECT conversation FROM deliveries INDEXED BY deliveries_unsent
            WHERE state = 'planned' OR state = 'sending')
    ORDER BY id";

/// A conversation's own row.
pub(crate) struct Row {
    pub(crate) id: i64,
    pub(crate) view: View,
    pub(crate) last_active: i64,
}

/// Finds a conversation or makes one.
pub(crate) fn id(connection: &Connection, key: &ConversationKey, now: i64) -> Result<i64> {
    let known = connection.prepare_cached(ID)?.query_row([Text(key)], |row| row.get(0)).optional()?;
    if let Some(id) = known {
        return Ok(id);
    }
    connection.prepare_cached(INSERT)?.execute((Text(key), now))?;
    Ok(connection.last_insert_rowid())
}

/// Finds a conversation or makes one, and changes its view.
pub(crate) fn set_view(connection: &Connection, key: &ConversationKey, view: &View, now: i64) -> Result<i64> {
    connection.prepare_cached(SET_VIEW)?.query_row((Text(key), Json(view), now), |row| row.get(0))
}

pub(crate) fn find(connection: &Connection, key: &ConversationKey) -> Result<Option<Row>> {
    let row = connection.prepare_cached(FIND)?.query_row([Text(key)], |row| {
        let view: Option<Json<View>> = row.get(1)?;
        Ok(Row { id: row.get(0)?, view: view.map(|Json(view)| view).unwrap_or_default(), last_active: row.get(2)? })
    });
    row.optional()
}

/// The conversations in which a message, a turn or a delivery is open.
pub(crate) fn with_open_work(connection: &Connection) -> Result<Vec<(i64, ConversationKey)>> {
    let mut statement = connection.prepare_cached(WITH_OPEN_WORK)?;
    let rows = statement.query_map([], |row| {
        let Text(key) = row.get(1)?;
        Ok((row.get(0)?, key))
    })?;
    rows.collect()
}
