//! What deliveries were rendered to, and the messages that show turns at work.

use chat::{ConversationKey, DeliveryId, PartState, StoredPart, TurnId};
use rusqlite::{Connection, OptionalExtension, Result};

use super::Text;

const PLAN: &str = "
    INSERT INTO parts (delivery, n, payload, state, changed_at) VALUES (?1, ?2, ?3, 'planned', ?4)
    ON CONFLICT (delivery, n) DO UPDATE SET payload = excluded.payload, changed_at = excluded.changed_at
        WHERE state = 'planned'";

const FORGET: &str = "DELETE FROM parts WHERE delivery = ?1 AND n >= ?2 AND state = 'planned'";

const SENDING: &str = "
    UPDATE parts SET state = 'sending', attempts = attempts + 1, changed_at = ?3
    WHERE delivery = ?1 AND n = ?2 AND state <> 'sent'";

const SENT: &str = "
    UPDATE parts SET state = 'sent', platform_id = ?3, changed_at = ?4 WHERE delivery = ?1 AND n = ?2";

const STATE: &str = "SELECT state FROM parts WHERE delivery = ?1 AND n = ?2";

const UNSENT: &str = "SELECT n FROM parts WHERE delivery = ?1 AND state <> 'sent' ORDER BY n LIMIT 1";

const OF_DELIVERY: &str = "SELECT payload, state, coalesce(platform_id, '') FROM parts WHERE delivery = ?1 ORDER BY n";

const SHOW: &str = "
    INSERT INTO placeholders (turn, platform_id) VALUES (?1, ?2)
    ON CONFLICT (turn) DO UPDATE SET platform_id = excluded.platform_id";

const SHOWN: &str = "
    SELECT placeholders.platform_id FROM placeholders JOIN deliveries ON deliveries.turn = placeholders.turn
    WHERE deliveries.id = ?1";

const SHOWING: &str = "
    SELECT conversations.key, turns.id, placeholders.platform_id
    FROM turns INDEXED BY turns_open JOIN placeholders ON placeholders.turn = turns.id
    JOIN conversations ON conversations.id = turns.conversation
    WHERE turns.ended_at IS NULL ORDER BY turns.id";

/// Keeps what a delivery was rendered to. What is being sent or is out stays as it was.
pub(crate) fn plan(connection: &Connection, delivery: DeliveryId, parts: &[String], now: i64) -> Result<()> {
    let mut statement = connection.prepare_cached(PLAN)?;
    let mut next = 0_i64;
    for part in parts {
        statement.execute((delivery.0, next, part, now))?;
        next += 1;
    }
    connection.prepare_cached(FORGET)?.execute((delivery.0, next)).map(drop)
}

/// Notes that a part is being sent; false where it is out already or does not exist.
pub(crate) fn sending(connection: &Connection, delivery: DeliveryId, part: u32, now: i64) -> Result<bool> {
    Ok(connection.prepare_cached(SENDING)?.execute((delivery.0, part, now))? > 0)
}

/// Notes that a part is out; false where there is none.
pub(crate) fn sent(connection: &Connection, delivery: DeliveryId, part: u32, id: &str, now: i64) -> Result<bool> {
    Ok(connection.prepare_cached(SENT)?.execute((delivery.0, part, id, now))? > 0)
}

pub(crate) fn state(connection: &Connection, delivery: DeliveryId, part: u32) -> Result<Option<String>> {
    connection.prepare_cached(STATE)?.query_row((delivery.0, part), |row| row.get(0)).optional()
}

/// The first part that is not out.
pub(crate) fn first_unsent(connection: &Connection, delivery: DeliveryId) -> Result<Option<u32>> {
    connection.prepare_cached(UNSENT)?.query_row([delivery.0], |row| row.get(0)).optional()
}

/// The parts of a delivery, in order.
pub(crate) fn of_delivery(connection: &Connection, delivery: DeliveryId) -> Result<Vec<StoredPart>> {
    let mut statement = connection.prepare_cached(OF_DELIVERY)?;
    let rows = statement.query_map([delivery.0], |row| {
        let (state, platform_id): (String, String) = (row.get(1)?, row.get(2)?);
        let state = match state.as_str() {
            "sent" => PartState::Sent(platform_id),
            "sending" => PartState::Sending,
            _ => PartState::Planned,
        };
        Ok(StoredPart { payload: row.get(0)?, state })
    })?;
    rows.collect()
}

/// Keeps the message that shows a turn at work.
pub(crate) fn show(connection: &Connection, turn: TurnId, platform_id: &str) -> Result<()> {
    connection.prepare_cached(SHOW)?.execute((turn.0, platform_id)).map(drop)
}

/// The messages that show turns at work that have not ended.
pub(crate) fn showing(connection: &Connection) -> Result<Vec<(ConversationKey, TurnId, String)>> {
    let mut statement = connection.prepare_cached(SHOWING)?;
    let rows = statement.query_map([], |row| {
        let Text(key) = row.get(0)?;
        Ok((key, TurnId(row.get(1)?), row.get(2)?))
    })?;
    rows.collect()
}

/// The message that shows the turn of a delivery at work.
pub(crate) fn placeholder(connection: &Connection, delivery: DeliveryId) -> Result<Option<String>> {
    connection.prepare_cached(SHOWN)?.query_row([delivery.0], |row| row.get(0)).optional()
}
