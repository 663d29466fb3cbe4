//! What people look up: which conversations there are, what was said in them.

use std::sync::Arc;

use chat::{Block, Message, Role, Seq, TurnId};
use rusqlite::{Connection, Result, Row};

use super::{Json, Text};
use crate::{FoundMessage, KnownConversation, ToldMessage};

const CONVERSATIONS: &str = "
    SELECT key, last_active, coalesce(turns.number, 0), coalesce(messages.number, 0) FROM conversations
    LEFT JOIN (SELECT conversation, count(*) AS number FROM turns GROUP BY conversation) AS turns
        ON turns.conversation = conversations.id
    LEFT JOIN (SELECT conversation, count(*) AS number FROM messages GROUP BY conversation) AS messages
        ON messages.conversation = conversations.id
    ORDER BY last_active DESC, conversations.id DESC";

const TOLD: &str = "
    SELECT seq, messages.turn, opened_at, role, blocks FROM messages JOIN turns ON turns.id = messages.turn
    WHERE messages.conversation = ?1 ORDER BY seq";

const SEARCH: &str = "
    SELECT key, seq, messages.turn, opened_at, role, text FROM messages
    JOIN conversations ON conversations.id = messages.conversation JOIN turns ON turns.id = messages.turn
    WHERE instr(lower(text), lower(?1)) > 0 ORDER BY messages.id DESC LIMIT ?2";

/// All conversations, the one last active first.
pub(crate) fn conversations(connection: &Connection) -> Result<Vec<KnownConversation>> {
    let mut statement = connection.prepare_cached(CONVERSATIONS)?;
    let rows = statement.query_map([], |row| {
        let Text(key) = row.get(0)?;
        Ok(KnownConversation { key, last_active: row.get(1)?, turns: row.get(2)?, messages: row.get(3)? })
    })?;
    rows.collect()
}

/// A conversation's messages with where they come from, oldest first.
pub(crate) fn told(connection: &Connection, conversation: i64) -> Result<Vec<ToldMessage>> {
    let mut statement = connection.prepare_cached(TOLD)?;
    let rows = statement.query_map([conversation], |row| {
        let Json(blocks): Json<Vec<Block>> = row.get(4)?;
        let message = Arc::new(Message { role: role(row, 3)?, blocks });
        Ok(ToldMessage { seq: Seq(row.get(0)?), turn: TurnId(row.get(1)?), at: row.get(2)?, message })
    })?;
    rows.collect()
}

/// The messages that hold a text, whatever the case of its ASCII letters, newest first.
pub(crate) fn search(connection: &Connection, text: &str, most: u32) -> Result<Vec<FoundMessage>> {
    let mut statement = connection.prepare_cached(SEARCH)?;
    let rows = statement.query_map((text, most), |row| {
        let Text(key) = row.get(0)?;
        let (seq, turn) = (Seq(row.get(1)?), TurnId(row.get(2)?));
        Ok(FoundMessage { key, seq, turn, at: row.get(3)?, role: role(row, 4)?, text: row.get(5)? })
    })?;
    rows.collect()
}

fn role(row: &Row<'_>, at: usize) -> Result<Role> {
    Ok(if row.get_ref(at)?.as_str()? == "user" { Role::User } else { Role::Assistant })
}
