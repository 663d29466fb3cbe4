//! Messages that were accepted.

use chat::{ConversationKey, Inbound, InboxId, MessageId, TurnId};
use rusqlite::{Connection, OptionalExtension, Result, Row};

use super::Json;
use super::access::role_name;
use crate::{InboxEnd, StoredInbound};

const FIND: &str = "SELECT id FROM inbox WHERE channel = ?1 AND bot = ?2 AND chat = ?3 AND message = ?4 AND stamp = ?5";

const MESSAGE: &str = "SELECT payload FROM inbox WHERE channel = ?1 AND bot = ?2 AND chat = ?3 AND message = ?4";

const INSERT: &str = "
    INSERT INTO inbox (channel, bot, chat, message, stamp, conversation, person, role, payload, state, arrived_at)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, 'waiting', ?10)";

const REPLACE: &str = "UPDATE inbox SET payload = ?2 WHERE id = ?1 AND state = 'waiting'";

const JOIN: &str = "
    UPDATE inbox SET state = 'answered', reason = 'joined', joined_to = ?2, ended_at = ?3
    WHERE id = ?1 AND state = 'waiting'";

const MOVE: &str = "
    UPDATE inbox INDEXED BY inbox_open SET payload = json_set(payload, '$.key.chat', ?2)
    WHERE conversation = ?1 AND ended_at IS NULL";

const START: &str = "
    UPDATE inbox SET state = 'running', turn = ?2, started_at = coalesce(started_at, ?4)
    WHERE id = ?1 AND conversation = ?3 AND ended_at IS NULL AND (state = 'waiting' OR turn = ?2)";

const SUSPEND: &str = "
    UPDATE inbox INDEXED BY inbox_open SET state = 'suspended' WHERE conversation = ?1 AND turn = ?2 AND ended_at IS NULL";

const RESUME: &str = "
    UPDATE inbox INDEXED BY inbox_open SET state = 'running'
    WHERE conversation = ?1 AND turn = ?2 AND ended_at IS NULL AND state = 'suspended'";

const END: &str = "
    UPDATE inbox SET state = ?2, reason = ?3, turn = coalesce(?4, turn, ?5), joined_to = ?6, ended_at = ?7
    WHERE id = ?1 AND conversation = coalesce(?8, conversation) AND ended_at IS NULL";

const STATE: &str = "SELECT state, reason, turn, joined_to, conversation FROM inbox WHERE id = ?1";

const LEFT_OPEN: &str = "
    SELECT id FROM inbox INDEXED BY inbox_open WHERE conversation = ?1 AND turn = ?2 AND ended_at IS NULL ORDER BY id LIMIT 1";

const OF_TURN: &str = "
    SELECT id, payload FROM inbox INDEXED BY inbox_open
    WHERE conversation = ?1 AND turn = ?2 AND ended_at IS NULL
    ORDER BY id";

const WAITING: &str = "
    SELECT id, payload FROM inbox INDEXED BY inbox_open
    WHERE conversation = ?1 AND ended_at IS NULL
        AND NOT EXISTS (SELECT * FROM turns WHERE turns.id = inbox.turn AND turns.ended_at IS NULL)
    ORDER BY id";

/// Where a message stands.
pub(crate) struct State {
    pub(crate) state: String,
    pub(crate) reason: Option<String>,
    pub(crate) turn: Option<i64>,
    pub(crate) joined_to: Option<i64>,
    pub(crate) conversation: i64,
}

/// The end that a message is given.
pub(crate) struct Ending<'a> {
    pub(crate) inbox: InboxId,
    pub(crate) end: &'a InboxEnd,
    /// The turn that gives it.
    pub(crate) turn: Option<TurnId>,
    /// The conversation that it has to be in.
    pub(crate) conversation: Option<i64>,
}

impl State {
    /// Whether it is just this end.
    pub(crate) fn is(&self, Ending { end, conversation, .. }: &Ending<'_>) -> bool {
        conversation.is_none_or(|conversation| self.conversation == conversation)
            && self.state == end.state()
            && self.reason.as_deref() == Some(end.reason())
            && self.joined_to == end.joined_to().map(|inbox| inbox.0)
            && end.steered_into().is_none_or(|turn| self.turn == Some(turn.0))
    }
}

/// Finds a message by the platform's id of it.
pub(crate) fn find(connection: &Connection, inbound: &Inbound) -> Result<Option<InboxId>> {
    let key = &inbound.key;
    let id = (&key.channel.0, &key.bot, &key.chat, &inbound.id.0, stamp(inbound));
    connection.prepare_cached(FIND)?.query_row(id, |row| row.get(0).map(InboxId)).optional()
}

pub(crate) fn insert(connection: &Connection, conversation: i64, inbound: &Inbound, now: i64) -> Result<InboxId> {
    let key = &inbound.key;
    connection.prepare_cached(INSERT)?.execute((
        &key.channel.0,
        &key.bot,
        &key.chat,
        &inbound.id.0,
        stamp(inbound),
        conversation,
        &inbound.person.id,
        role_name(inbound.person.role),
        Json(inbound),
        now,
    ))?;
    Ok(InboxId(connection.last_insert_rowid()))
}

/// Says something else in a message's place; false where it does not wait.
pub(crate) fn say_instead(connection: &Connection, inbox: InboxId, inbound: &Inbound) -> Result<bool> {
    Ok(connection.prepare_cached(REPLACE)?.execute((inbox.0, Json(inbound)))? > 0)
}

/// Ends a message together with another one; false where it does not wait.
pub(crate) fn join(connection: &Connection, inbox: InboxId, to: InboxId, now: i64) -> Result<bool> {
    Ok(connection.prepare_cached(JOIN)?.execute((inbox.0, to.0, now))? > 0)
}

/// Lets a conversation's open messages be of a chat with another id.
pub(crate) fn move_to(connection: &Connection, conversation: i64, chat: &str) -> Result<()> {
    connection.prepare_cached(MOVE)?.execute((conversation, chat)).map(drop)
}

/// Lets a message of a conversation run in a turn; false where it has ended or runs in another one.
pub(crate) fn start(
    connection: &Connection,
    inbox: InboxId,
    turn: TurnId,
    conversation: i64,
    now: i64,
) -> Result<bool> {
    let changed = connection.prepare_cached(START)?.execute((inbox.0, turn.0, conversation, now))?;
    Ok(changed > 0)
}

/// Puts off the open messages of a turn.
pub(crate) fn suspend(connection: &Connection, conversation: i64, turn: TurnId) -> Result<()> {
    connection.prepare_cached(SUSPEND)?.execute((conversation, turn.0)).map(drop)
}

/// Lets the messages of a turn run again that were put off with it.
pub(crate) fn resume(connection: &Connection, conversation: i64, turn: TurnId) -> Result<()> {
    connection.prepare_cached(RESUME)?.execute((conversation, turn.0)).map(drop)
}

/// Ends a message; false where it is not open, or not in that conversation.
pub(crate) fn end(connection: &Connection, ending: &Ending<'_>, now: i64) -> Result<bool> {
    let Ending { inbox, end, turn, conversation } = ending;
    let steered = end.steered_into().map(|turn| turn.0);
    let joined = end.joined_to().map(|inbox| inbox.0);
    let row = (inbox.0, end.state(), end.reason(), steered, turn.map(|turn| turn.0), joined, now, conversation);
    Ok(connection.prepare_cached(END)?.execute(row)? > 0)
}

pub(crate) fn state(connection: &Connection, inbox: InboxId) -> Result<Option<State>> {
    let state = connection.prepare_cached(STATE)?.query_row([inbox.0], |row| {
        Ok(State {
            state: row.get(0)?,
            reason: row.get(1)?,
            turn: row.get(2)?,
            joined_to: row.get(3)?,
            conversation: row.get(4)?,
        })
    });
    state.optional()
}

/// A message that a turn has and that is still open.
pub(crate) fn left_open(connection: &Connection, conversation: i64, turn: TurnId) -> Result<Option<InboxId>> {
    let left = connection.prepare_cached(LEFT_OPEN)?.query_row([conversation, turn.0], |row| row.get(0).map(InboxId));
    left.optional()
}

/// The message of this id in a chat.
pub(crate) fn message(connection: &Connection, key: &ConversationKey, id: &MessageId) -> Result<Option<Inbound>> {
    let id = (&key.channel.0, &key.bot, &key.chat, &id.0);
    let payload = connection.prepare_cached(MESSAGE)?.query_row(id, |row| row.get(0)).optional()?;
    Ok(payload.map(|Json(inbound)| inbound))
}

/// The open messages of a turn.
pub(crate) fn of_turn(connection: &Connection, conversation: i64, turn: TurnId) -> Result<Vec<StoredInbound>> {
    connection.prepare_cached(OF_TURN)?.query_map([conversation, turn.0], stored)?.collect()
}

/// A conversation's open messages that no open turn has.
pub(crate) fn waiting(connection: &Connection, conversation: i64) -> Result<Vec<StoredInbound>> {
    connection.prepare_cached(WAITING)?.query_map([conversation], stored)?.collect()
}

fn stored(row: &Row<'_>) -> Result<StoredInbound> {
    let Json(inbound) = row.get(1)?;
    Ok(StoredInbound { inbox: InboxId(row.get(0)?), inbound })
}

/// What tells an edit from its message and from other edits.
fn stamp(inbound: &Inbound) -> String {
    inbound.edit.map(|stamp| stamp.to_string()).unwrap_or_default()
}
