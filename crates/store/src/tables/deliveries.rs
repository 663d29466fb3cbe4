//! What is to be delivered, and how far it is.

use chat::{DeliveryId, Outbound, OutboundBody, TurnId};
use rusqlite::{Connection, OptionalExtension, Result};

use super::Json;
use crate::{DeliveryState, UnsentDelivery};

const LAST: &str = "SELECT coalesce(max(id), 0) FROM deliveries";

const PLAN: &str = "
    INSERT INTO deliveries (id, conversation, turn, class, payload, state, planned_at, changed_at)
    VALUES (?1, ?2, ?3, ?4, ?5, 'planned', ?6, ?6)";

const SET_STATE: &str = "
    UPDATE deliveries SET state = ?2, reason = ?3, platform_id = ?4, attempts = attempts + ?5, changed_at = ?6
    WHERE id = ?1 AND state <> 'sent' AND state <> 'failed'";

const STATE: &str = "SELECT state FROM deliveries WHERE id = ?1";

const UNSENT: &str = "
    SELECT payload, state = 'sending', attempts FROM deliveries INDEXED BY deliveries_unsent
    WHERE conversation = ?1 AND (state = 'planned' OR state = 'sending') ORDER BY id";

const ALL_UNSENT: &str = "
    SELECT payload FROM deliveries INDEXED BY deliveries_unsent
    WHERE state = 'planned' OR state = 'sending' ORDER BY id";

const BEGIN: &str = "
    UPDATE deliveries SET state = 'sending', attempts = attempts + 1, changed_at = ?2 WHERE id = ?1 AND state = 'planned'";

const MOVE: &str = "
    UPDATE deliveries INDEXED BY deliveries_unsent SET payload = json_set(payload, '$.key.chat', ?2)
    WHERE conversation = ?1 AND (state = 'planned' OR state = 'sending')";

/// The latest delivery's id; 0 where there is none.
pub(crate) fn last(connection: &Connection) -> Result<i64> {
    connection.query_row(LAST, [], |row| row.get(0))
}

pub(crate) fn plan(
    connection: &Connection,
    conversation: i64,
    turn: Option<TurnId>,
    outbound: &Outbound,
    now: i64,
) -> Result<()> {
    let row = (outbound.id.0, conversation, turn.map(|turn| turn.0), class(&outbound.body), Json(outbound), now);
    connection.prepare_cached(PLAN)?.execute(row).map(drop)
}

/// Notes how far a delivery is; false where it is out, has failed, or does not exist.
pub(crate) fn set_state(connection: &Connection, id: DeliveryId, state: &DeliveryState, now: i64) -> Result<bool> {
    let attempt = i64::from(*state == DeliveryState::Sending);
    let row = (id.0, state.name(), state.reason(), state.platform_id(), attempt, now);
    Ok(connection.prepare_cached(SET_STATE)?.execute(row)? > 0)
}

pub(crate) fn state(connection: &Connection, id: DeliveryId) -> Result<Option<String>> {
    connection.prepare_cached(STATE)?.query_row([id.0], |row| row.get(0)).optional()
}

/// A conversation's deliveries of which it is not known that they are out.
pub(crate) fn unsent(connection: &Connection, conversation: i64) -> Result<Vec<UnsentDelivery>> {
    let mut statement = connection.prepare_cached(UNSENT)?;
    let rows = statement.query_map([conversation], |row| {
        let Json(outbound) = row.get(0)?;
        Ok(UnsentDelivery { outbound, was_sending: row.get(1)?, attempts: row.get(2)?, answers: None })
    })?;
    rows.collect()
}

/// All deliveries of which it is not known that they are out.
pub(crate) fn all_unsent(connection: &Connection) -> Result<Vec<Outbound>> {
    let mut statement = connection.prepare_cached(ALL_UNSENT)?;
    let rows = statement.query_map([], |row| row.get(0).map(|Json(outbound)| outbound))?;
    rows.collect()
}

/// Notes that the first part of a delivery is being sent.
pub(crate) fn begin(connection: &Connection, id: DeliveryId, now: i64) -> Result<()> {
    connection.prepare_cached(BEGIN)?.execute((id.0, now)).map(drop)
}

/// Lets a conversation's open deliveries go to a chat with another id.
pub(crate) fn move_to(connection: &Connection, conversation: i64, chat: &str) -> Result<()> {
    connection.prepare_cached(MOVE)?.execute((conversation, chat)).map(drop)
}

/// Its place among what waits for one chat.
fn class(body: &OutboundBody) -> &'static str {
    match body {
        OutboundBody::TurnFinished { .. } => "final",
        OutboundBody::Notice { .. } => "status",
        OutboundBody::Question { .. } => "question",
    }
}
