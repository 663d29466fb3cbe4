//! Messages of histories.

use std::sync::Arc;

use chat::{Block, Message, Role, Seq, TurnId};
use rusqlite::{Connection, Result};

use super::Json;

const NEXT_SEQ: &str = "SELECT coalesce(max(seq) + 1, 0) FROM messages WHERE conversation = ?1";

const APPEND: &str = "
    INSERT INTO messages (conversation, seq, turn, role, blocks, text) VALUES (?1, ?2, ?3, ?4, ?5, ?6)";

const OF_CONVERSATION: &str = "SELECT seq, role, blocks FROM messages WHERE conversation = ?1 ORDER BY seq";

/// The place that the next message will have.
pub(crate) fn next_seq(connection: &Connection, conversation: i64) -> Result<Seq> {
    connection.prepare_cached(NEXT_SEQ)?.query_row([conversation], |row| row.get(0).map(Seq))
}

pub(crate) fn append(
    connection: &Connection,
    conversation: i64,
    seq: i64,
    turn: TurnId,
    message: &Message,
) -> Result<()> {
    let text = message.visible_text();
    let text = (!text.is_empty()).then_some(text);
    let row = (conversation, seq, turn.0, role_name(message.role), Json(&message.blocks), text);
    connection.prepare_cached(APPEND)?.execute(row).map(drop)
}

/// A conversation's messages with their places, oldest first.
pub(crate) fn of_conversation(connection: &Connection, conversation: i64) -> Result<Vec<(Seq, Arc<Message>)>> {
    let mut statement = connection.prepare_cached(OF_CONVERSATION)?;
    let rows = statement.query_map([conversation], |row| {
        let Json(blocks): Json<Vec<Block>> = row.get(2)?;
        let role = if row.get_ref(1)?.as_str()? == role_name(Role::User) { Role::User } else { Role::Assistant };
        Ok((Seq(row.get(0)?), Arc::new(Message { role, blocks })))
    })?;
    rows.collect()
}

fn role_name(role: Role) -> &'static str {
    match role {
        Role::User => "user",
        Role::Assistant => "assistant",
    }
}
