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
