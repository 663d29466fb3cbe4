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

const ALL: &str = "SELECT id, key FROM conversations";

const RENAME: &str = "UPDATE OR IGNORE conversations SET key = ?2 WHERE id = ?1";

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

/// The conversations of a chat.
pub(crate) fn of_chat(connection: &Connection, like: &ConversationKey) -> Result<Vec<(i64, ConversationKey)>> {
    let mut statement = connection.prepare_cached(ALL)?;
    let rows = statement.query_map([], |row| {
        let Text(key): Text<ConversationKey> = row.get(1)?;
        Ok((row.get(0)?, key))
    })?;
    let is_there =
        |key: &ConversationKey| (&key.channel, &key.bot, &key.chat) == (&like.channel, &like.bot, &like.chat);
    rows.filter(|row| row.as_ref().map_or(true, |(_, key)| is_there(key))).collect()
}

/// Gives a conversation another key, unless there is one with that key.
pub(crate) fn rename(connection: &Connection, conversation: i64, key: &ConversationKey) -> Result<()> {
    connection.prepare_cached(RENAME)?.execute((conversation, Text(key))).map(drop)
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
