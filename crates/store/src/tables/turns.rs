//! Turns.

use chat::{Outcome, TurnId};
use rusqlite::{Connection, OptionalExtension, Result};

use super::Json;

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
    SELECT id, attempts FROM turns INDEXED BY turns_open
    WHERE conversation = ?1 AND ended_at IS NULL ORDER BY id";

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

/// A conversation's turns that have not ended, with their attempts.
pub(crate) fn unfinished(connection: &Connection, conversation: i64) -> Result<Vec<(TurnId, u32)>> {
    let mut statement = connection.prepare_cached(UNFINISHED)?;
    statement.query_map([conversation], |row| Ok((TurnId(row.get(0)?), row.get(1)?)))?.collect()
}
