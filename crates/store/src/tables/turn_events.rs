//! What happened to turns.

use chat::TurnId;
use rusqlite::{Connection, Result};

use crate::StoredEvent;

/// Of how many ended turns the events are kept. Then they are for bug reports alone; without an end they would double what a
/// conversation takes.
const KEPT_TURNS: i64 = 1_000;

const APPEND: &str = "INSERT INTO turn_events (turn, seq, payload, effects) VALUES (?1, ?2, ?3, ?4)";

const OF_TURN: &str = "SELECT payload, effects FROM turn_events WHERE turn = ?1 ORDER BY seq";

const FORGET: &str = "
    DELETE FROM turn_events WHERE turn <= ?1 AND turn NOT IN (SELECT id FROM turns INDEXED BY turns_open WHERE ended_at IS NULL)";

pub(crate) fn append(connection: &Connection, turn: TurnId, seq: u32, event: &StoredEvent) -> Result<()> {
    let row = (turn.0, seq, &event.payload, event.effects.cast_signed());
    connection.prepare_cached(APPEND)?.execute(row).map(drop)
}

/// The events of a turn, in order.
pub(crate) fn of_turn(connection: &Connection, turn: TurnId) -> Result<Vec<StoredEvent>> {
    let mut statement = connection.prepare_cached(OF_TURN)?;
    let rows = statement.query_map([turn.0], |row| {
        Ok(StoredEvent { payload: row.get(0)?, effects: row.get::<_, i64>(1)?.cast_unsigned() })
    })?;
    rows.collect()
}

/// Forgets the events of turns that are so much older than this one that nobody will report them any more.
pub(crate) fn forget_old(connection: &Connection, turn: TurnId) -> Result<()> {
    connection.prepare_cached(FORGET)?.execute([turn.0 - KEPT_TURNS]).map(drop)
}
