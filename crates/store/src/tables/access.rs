//! Who may talk to the bot.

use chat::{ChannelName, PersonRole};
use rusqlite::types::FromSqlError;
use rusqlite::{Connection, Error, Result, Row};

use super::Text;
use crate::access::{ChatAccess, Grant, Invitation, StoredAccess};

const GRANT: &str = "
    INSERT INTO access (channel, person, role, name, private, since) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
    ON CONFLICT (channel, person) DO UPDATE SET role = excluded.role, name = excluded.name,
        private = coalesce(excluded.private, private), since = excluded.since";

const REVOKE: &str = "DELETE FROM access WHERE channel = ?1 AND person = ?2";

const USE_UP: &str = "DELETE FROM pairing WHERE channel = ?1 AND person = ?2";

const SET_CHAT: &str = "
    INSERT INTO chat_access (channel, chat, enabled, cap, since) VALUES (?1, ?2, ?3, ?4, ?5)
    ON CONFLICT (channel, chat) DO UPDATE SET enabled = excluded.enabled, cap = excluded.cap, since = excluded.since";

const MOVE_CHAT: &str = "UPDATE OR REPLACE chat_access SET chat = ?3 WHERE channel = ?1 AND chat = ?2";

const INVITE: &str = "
    INSERT OR REPLACE INTO pairing (code, channel, person, name, private, expires) VALUES (?1, ?2, ?3, ?4, ?5, ?6)";

const FORGET: &str = "DELETE FROM pairing WHERE expires <= ?1";

const WITHDRAW: &str = "DELETE FROM pairing WHERE code = ?1";

const TALLY: &str = "
    INSERT INTO tallies (channel, person, day, count) VALUES (?1, ?2, ?3, 1)
    ON CONFLICT (channel, person, day) DO UPDATE SET count = count + 1";

const GRANTS: &str = "SELECT channel, person, role, name, private FROM access ORDER BY since, person";

const CHATS: &str = "SELECT channel, chat, enabled, cap FROM chat_access ORDER BY since, chat";

const INVITATIONS: &str = "SELECT code, person, name, private, expires FROM pairing ORDER BY expires, code";

const TALLIED: &str = "SELECT coalesce(sum(count), 0) FROM tallies WHERE channel = ?1";

/// A day in milliseconds.
const DAY: i64 = 86_400_000;

pub(crate) fn grant(connection: &Connection, grant: &Grant, now: i64) -> Result<()> {
    let Grant { channel, person, role, name, private } = grant;
    connection.prepare_cached(USE_UP)?.execute((&channel.0, person))?;
    if *role == PersonRole::Stranger {
        return connection.prepare_cached(REVOKE)?.execute((&channel.0, person)).map(drop);
    }
    let row = (&channel.0, person, role_name(*role), name, private.as_ref().map(Text), now);
    connection.prepare_cached(GRANT)?.execute(row).map(drop)
}

pub(crate) fn set_chat(connection: &Connection, access: &ChatAccess, now: i64) -> Result<()> {
    let ChatAccess { channel, chat, enabled, cap } = access;
    connection.prepare_cached(SET_CHAT)?.execute((&channel.0, chat, enabled, role_name(*cap), now)).map(drop)
}

/// Goes on with what was decided on a chat under its new id.
pub(crate) fn move_chat(connection: &Connection, channel: &ChannelName, from: &str, to: &str) -> Result<()> {
    connection.prepare_cached(MOVE_CHAT)?.execute((&channel.0, from, to)).map(drop)
}

pub(crate) fn invite(connection: &Connection, invitation: &Invitation, now: i64) -> Result<()> {
    let Invitation { code, person, name, private, expires } = invitation;
    connection.prepare_cached(FORGET)?.execute([now])?;
    let row = (code, &private.channel.0, person, name, Text(private), expires);
    connection.prepare_cached(INVITE)?.execute(row).map(drop)
}

pub(crate) fn withdraw(connection: &Connection, code: &str) -> Result<()> {
    connection.prepare_cached(WITHDRAW)?.execute([code]).map(drop)
}

pub(crate) fn tally(connection: &Connection, channel: &ChannelName, person: &str, now: i64) -> Result<()> {
    connection.prepare_cached(TALLY)?.execute((&channel.0, person, now / DAY)).map(drop)
}

/// How often strangers wrote on a channel, ever.
pub(crate) fn tallied(connection: &Connection, channel: &ChannelName) -> Result<i64> {
    connection.prepare_cached(TALLIED)?.query_row([&channel.0], |row| row.get(0))
}

/// All that is decided.
pub(crate) fn all(connection: &Connection) -> Result<StoredAccess> {
    Ok(StoredAccess {
        grants: read(connection, GRANTS, |row| {
            let private: Option<Text<_>> = row.get(4)?;
            Ok(Grant {
                channel: ChannelName(row.get(0)?),
                person: row.get(1)?,
                role: role(row, 2)?,
                name: row.get(3)?,
                private: private.map(|Text(key)| key),
            })
        })?,
        chats: read(connection, CHATS, |row| {
            let channel = ChannelName(row.get(0)?);
            Ok(ChatAccess { channel, chat: row.get(1)?, enabled: row.get(2)?, cap: role(row, 3)? })
        })?,
        invitations: read(connection, INVITATIONS, |row| {
            let Text(private) = row.get(3)?;
            Ok(Invitation { code: row.get(0)?, person: row.get(1)?, name: row.get(2)?, private, expires: row.get(4)? })
        })?,
    })
}

fn read<T>(connection: &Connection, sql: &str, of: impl FnMut(&Row<'_>) -> Result<T>) -> Result<Vec<T>> {
    connection.prepare_cached(sql)?.query_map([], of)?.collect()
}

/// A role's name in a column.
pub(crate) fn role_name(role: PersonRole) -> &'static str {
    match role {
        PersonRole::Stranger => "stranger",
        PersonRole::Guest => "guest",
        PersonRole::Trusted => "trusted",
        PersonRole::Owner => "owner",
    }
}

fn role(row: &Row<'_>, column: usize) -> Result<PersonRole> {
    let name: String = row.get(column)?;
    let known = [PersonRole::Guest, PersonRole::Trusted, PersonRole::Owner].into_iter();
    let unknown =
        || Error::FromSqlConversionFailure(column, rusqlite::types::Type::Text, FromSqlError::InvalidType.into());
    known.into_iter().find(|role| role_name(*role) == name).ok_or_else(unknown)
}
