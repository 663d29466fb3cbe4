//! Turns.

use chat::{ConversationKey, Outcome, TurnId};
use rusqlite::{Connection, OptionalExtension, Result};

use super::{Json, Text};

const LAST: &str = "SELECT coalesce(max(id), 0) FROM turns";

const OPEN: &str = "
    INSERT INTO turns (id, conversation, attempts, state, version, opened_at) VALUES (?1, ?2, 1, 'running', ?3, ?4)
    ON CONFLICT (id) DO UPDATE SET attempts = attempts + 1, state = 'running', version = excluded.version
        WHERE conversation = excluded.conversation AND ended_at IS NULL
    RETURNING attempts";

const FIND: &str = "SELECT conversation, state FROM turns WHERE id = ?1";

const FINISH: &str = "
    UPDATE turns SET state = 'ended', outcome = ?3, steps = ?4, usage = ?5, ended_at = ?6
    WHERE id = ?1 AND conversation = ?2 AND ended_at IS NULL";

const UNFINISHED: &str = "
    SELECT turns.id, key, attempts
    FROM turns INDEXED BY turns_open JOIN conversations ON conversations.id = conversation
    WHERE ended_at IS NULL ORDER BY turns.id";

/// The latest turn's id; 0 where there is none.
pub(crate) fn last(connection: &Connection) -> Result<i64> {
    connection.query_row(LAST, [], |row| row.get(0))
}

/// Opens a turn that does not exist, or once more one that does; tells how often it was opened by now. `None` where it has ended or
/// belongs to another conversation.
pub(crate) fn open(connection: &Connection, turn: TurnId, conversation: i64, now: i64) -> Result<Option<u32>> {
    let row = (turn.0, conversation, env!("CARGO_PKG_VERSION"), now);
    connection.prepare_cached(OPEN)?.query_row(row, |row| row.get(0)).optional()
}

/// A turn's conversation and state.
pub(crate) fn find(connection: &Connection, turn: TurnId) -> Result<Option<(i64, String)>> {
    let found = connection.prepare_cached(FIND)?.query_row([turn.0], |row| Ok((row.get(0)?, row.get(1)?)));
    found.optional()
}

/// Ends a turn; false where it has ended, belongs to another conversation, or does not exist.
pub(crate) fn finish(
    connection: &Connection,
    turn: TurnId,
    conversation: i64,
    outcome: &Outcome,
    now: i64,
) -> Result<bool> {
    let row = (turn.0, conversation, Json(outcome), outcome.steps, outcome.usage.map(Json), now);
    Ok(connection.prepare_cached(FINISH)?.execute(row)? > 0)
}

/// Turns that have not ended, with their conversations and attempts.
pub(crate) fn unfinished(connection: &Connection) -> Result<Vec<(TurnId, ConversationKey, u32)>> {
    let mut statement = connection.prepare_cached(UNFINISHED)?;
    let rows = statement.query_map([], |row| {
        let Text(key) = row.get(1)?;
        Ok((TurnId(row.get(0)?), key, row.get(2)?))
    })?;
    rows.collect()
}
