//! Turns.

use chat::{Outcome, TurnId};
use rusqlite::{Connection, OptionalExtension, Result, Row};

use super::Json;
use crate::{Suspended, SuspendedFor};

const LAST: &str = "SELECT coalesce(max(id), 0) FROM turns";

const OPEN: &str = "
    INSERT INTO turns (id, conversation, attempts, state, version, opened_at) VALUES (?1, ?2, 1, 'running', ?3, ?4)
    ON CONFLICT (id) DO UPDATE SET
        attempts = attempts + iif(suspended_for = 'wait', 0, 1), state = 'running', version = excluded.version,
        suspended_for = NULL, suspended_at = NULL, wakes_at = NULL
        WHERE conversation = excluded.conversation AND ended_at IS NULL
    RETURNING attempts";

const FIND: &str = "SELECT conversation, state FROM turns WHERE id = ?1";

const FINISH: &str = "
    UPDATE turns SET state = 'ended', outcome = ?3, steps = ?4, usage = ?5, ended_at = ?6,
        suspended_for = NULL, suspended_at = NULL, wakes_at = NULL
    WHERE id = ?1 AND conversation = ?2 AND ended_at IS NULL";

const SUSPEND: &str = "
    UPDATE turns SET state = 'suspended', suspended_for = ?2, suspended_at = coalesce(suspended_at, ?3), wakes_at = ?4
    WHERE id = ?1 AND ended_at IS NULL RETURNING conversation";

const ASK_TO_STOP: &str = "UPDATE turns SET stop_asked = 1 WHERE id = ?1 AND ended_at IS NULL";

const UNFINISHED: &str = "
    SELECT id, attempts, stop_asked, suspended_for = 'wait', suspended_at, wakes_at,
        (SELECT coalesce(max(seq) + 1, 0) FROM turn_events WHERE turn_events.turn = turns.id)
    FROM turns INDEXED BY turns_open WHERE conversation = ?1 AND ended_at IS NULL ORDER BY id";

/// A turn's own row, while it is open.
pub(crate) struct Open {
    pub(crate) turn: TurnId,
    pub(crate) attempts: u32,
    pub(crate) stop_asked: bool,
    pub(crate) suspended: Option<Suspended>,
    pub(crate) next_event: u32,
}

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

/// Puts a turn off; tells its conversation, or nothing where it has ended or does not exist.
pub(crate) fn suspend(
    connection: &Connection,
    turn: TurnId,
    wakes_at: i64,
    reason: SuspendedFor,
    now: i64,
) -> Result<Option<i64>> {
    let row = (turn.0, reason.name(), now, wakes_at);
    connection.prepare_cached(SUSPEND)?.query_row(row, |row| row.get(0)).optional()
}

/// Notes that a person wants a turn to end, if it is open.
pub(crate) fn ask_to_stop(connection: &Connection, turn: TurnId) -> Result<()> {
    connection.prepare_cached(ASK_TO_STOP)?.execute([turn.0]).map(drop)
}

/// A conversation's turns that have not ended.
pub(crate) fn unfinished(connection: &Connection, conversation: i64) -> Result<Vec<Open>> {
    let mut statement = connection.prepare_cached(UNFINISHED)?;
    statement.query_map([conversation], open_row)?.collect()
}

fn open_row(row: &Row<'_>) -> Result<Open> {
    let (is_wait, since, wakes_at): (Option<bool>, Option<i64>, Option<i64>) = (row.get(3)?, row.get(4)?, row.get(5)?);
    let suspended = is_wait.zip(since).zip(wakes_at).map(|((is_wait, since), wakes_at)| {
        let reason = if is_wait { SuspendedFor::Wait } else { SuspendedFor::Resumption };
        Suspended { reason, since, wakes_at }
    });
    Ok(Open {
        turn: TurnId(row.get(0)?),
        attempts: row.get(1)?,
        stop_asked: row.get(2)?,
        suspended,
        next_event: row.get(6)?,
    })
}
