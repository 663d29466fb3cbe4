//! The tables' versions, and the way from each to the next.

use std::fs;
use std::io;

use rusqlite::{Connection, OpenFlags, Result};

use crate::OpenError;
use crate::folder::Folder;
use crate::inspect::sqlite_failure;

/// Marks a database as ours: "Cowh".
pub(crate) const APPLICATION_ID: i64 = 0x436f_7768;

/// Each brings the schema from its place to the next. One that was released is never changed.
pub(crate) const MIGRATIONS: &[&str] = &[
    include_str!("../migrations/0001_message_path.sql"),
    include_str!("../migrations/0002_turn_events.sql"),
    include_str!("../migrations/0003_suspended_turns.sql"),
    include_str!("../migrations/0004_chat_services.sql"),
];

/// The version that this program reads and writes.
pub(crate) const VERSION: i64 = MIGRATIONS.len() as i64;

/// The tables of [`VERSION`].
pub(crate) const TABLES: [&str; 13] = [
    "meta",
    "conversations",
    "turns",
    "messages",
    "deliveries",
    "turn_events",
    "inbox",
    "parts",
    "placeholders",
    "access",
    "chat_access",
    "pairing",
    "tallies",
];

/// The version of a database's schema; 0 where it has none.
pub(crate) fn version(connection: &Connection) -> Result<i64> {
    connection.pragma_query_value(None, "user_version", |row| row.get(0))
}

/// Keeps a copy of a ledger of an older version beside it, before it is changed.
pub(crate) fn back_up(folder: &Folder, connection: &Connection) -> Result<(), OpenError> {
    let found = version(connection).map_err(|error| sqlite_failure(folder, error))?;
    if found == 0 || found >= VERSION {
        return Ok(());
    }
    let copy = folder.backup(found);
    let system = |source| OpenError::System { folder: folder.path().to_owned(), source };
    // SQLite copies into an empty file, which keeps its mode.
    let file = Folder::create_private(&copy).map_err(system)?;
    let name = copy.to_string_lossy();
    connection.execute("VACUUM INTO ?1", [&*name]).map_err(|error| sqlite_failure(folder, error))?;
    file.sync_all().and_then(|()| folder.sync()).map_err(system)?;
    tracing::info!(copy = %name, "the ledger is of an older version; a copy was kept before it is brought up to date");
    Ok(())
}

/// Applies what a database lacks of `migrations`, each in a transaction of its own.
pub(crate) fn migrate(connection: &mut Connection, migrations: &[&str]) -> Result<()> {
    let done = usize::try_from(version(connection)?).unwrap_or(0);
    for (number, sql) in (1_i64..).zip(migrations).skip(done) {
        let transaction = connection.transaction()?;
        transaction.execute_batch(sql)?;
        transaction.pragma_update(None, "user_version", number)?;
        transaction.commit()?;
    }
    Ok(())
}

/// Makes a ledger. It is complete and on disk before it gets its name: what is found under that name is never half a ledger.
pub(crate) fn create(folder: &Folder) -> Result<(), OpenError> {
    let unfinished = folder.unfinished();
    let system = |source: io::Error| match source.kind() {
        io::ErrorKind::StorageFull => OpenError::DiskFull { folder: folder.path().to_owned() },
        _ => OpenError::System { folder: folder.path().to_owned(), source },
    };
    let file = Folder::create_private(&unfinished).map_err(system)?;
    fill(folder).map_err(|error| sqlite_failure(folder, error))?;
    file.sync_all().map_err(system)?;
    fs::rename(&unfinished, folder.database()).map_err(system)?;
    folder.sync().map_err(system)
}

fn fill(folder: &Folder) -> Result<()> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut connection = Connection::open_with_flags(folder.unfinished(), flags)?;
    connection.pragma_update(None, "journal_mode", "memory")?;
    connection.pragma_update(None, "synchronous", "off")?;
    connection.pragma_update(None, "application_id", APPLICATION_ID)?;
    migrate(&mut connection, MIGRATIONS)?;
    connection.close().map_err(|(_, error)| error)
}

#[cfg(test)]
mod tests;
