//! What a ledger's file is, found out before it is touched: a file that is not opened stays as it was, byte for byte.

use std::fs::{self, OpenOptions};
use std::io;
use std::path::Path;

use rusqlite::{Connection, ErrorCode};

use crate::folder::Folder;
use crate::schema::{APPLICATION_ID, TABLES, VERSION, version};
use crate::{OpenError, Settings, connection};

/// What is there.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Found {
    /// Nothing.
    Nothing,
    /// A ledger, of this version or an older one.
    Ledger,
}

/// Looks at a ledger that is about to be written; the caller has the lock.
pub(crate) fn for_writing(folder: &Folder, settings: &Settings) -> Result<Found, OpenError> {
    let database = folder.database();
    let Some(bytes) = size(folder)? else { return Ok(Found::Nothing) };
    // Closing this drops SQLite's locks on the file in this process; the lock on the folder says that it has none for writing.
    OpenOptions::new()
        .read(true)
        .write(true)
        .open(&database)
        .map_err(|source| OpenError::NotWritable { path: database.clone(), source })?;
    // A log that holds something was left by a crash, and is part of the ledger. Without one nothing is written to look at the file.
    let log = fs::metadata(folder.log()).map_or(0, |metadata| metadata.len());
    let connection =
        if log > 0 { connection::reader(&database, settings.busy()) } else { connection::unwritten(&database) };
    let connection = connection.map_err(|error| sqlite_failure(folder, error))?;
    let found = identify(&connection, folder)?;
    if found == VERSION {
        has_tables(&connection, folder)?;
    }
    if settings.checks(bytes + log, log == 0) {
        is_whole(&connection, folder)?;
    }
    Ok(Found::Ledger)
}

/// Looks at a ledger that others may be writing.
pub(crate) fn for_reading(folder: &Folder, settings: &Settings) -> Result<(), OpenError> {
    let database = folder.database();
    if size(folder)?.is_none() {
        return Err(OpenError::Missing { file: database });
    }
    let connection = connection::reader(&database, settings.busy()).map_err(|error| sqlite_failure(folder, error))?;
    let found = identify(&connection, folder)?;
    if found < VERSION {
        return Err(OpenError::Older { file: database, found, known: VERSION });
    }
    has_tables(&connection, folder)
}

/// The size of the ledger's file, where there is one.
fn size(folder: &Folder) -> Result<Option<u64>, OpenError> {
    match fs::metadata(folder.database()) {
        Ok(metadata) if !metadata.is_file() => Err(damaged(folder, "it is not a file")),
        // A ledger gets its name when it is complete, so an empty one has lost what it held.
        Ok(metadata) if metadata.len() == 0 => Err(damaged(folder, "it is empty")),
        Ok(metadata) => Ok(Some(metadata.len())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            // A new ledger beside an old log would swallow the log.
            if is_filled(&folder.log()) {
                Err(damaged(folder, "only its log ledger.db-wal is there"))
            } else {
                Ok(None)
            }
        }
        Err(source) => Err(OpenError::System { folder: folder.path().to_owned(), source }),
    }
}

fn is_filled(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|metadata| metadata.len() > 0)
}

/// Whose it is, and of which version.
fn identify(connection: &Connection, folder: &Folder) -> Result<i64, OpenError> {
    let failure = |error| sqlite_failure(folder, error);
    let file = folder.database();
    let application_id: i64 =
        connection.pragma_query_value(None, "application_id", |row| row.get(0)).map_err(failure)?;
    if application_id != APPLICATION_ID {
        return Err(OpenError::Foreign { file, application_id });
    }
    let found = version(connection).map_err(failure)?;
    if found > VERSION { Err(OpenError::Newer { file, found, known: VERSION }) } else { Ok(found) }
}

fn has_tables(connection: &Connection, folder: &Folder) -> Result<(), OpenError> {
    let names: Vec<String> = connection
        .prepare("SELECT name FROM sqlite_schema WHERE type = 'table'")
        .and_then(|mut statement| statement.query_map([], |row| row.get(0))?.collect())
        .map_err(|error| sqlite_failure(folder, error))?;
    match TABLES.iter().find(|table| !names.iter().any(|name| name == *table)) {
        Some(table) => Err(damaged(folder, format!("its table {table} is missing"))),
        None => Ok(()),
    }
}

fn is_whole(connection: &Connection, folder: &Folder) -> Result<(), OpenError> {
    let answer: String = connection
        .query_row("PRAGMA quick_check(1)", [], |row| row.get(0))
        .map_err(|error| sqlite_failure(folder, error))?;
    if answer == "ok" { Ok(()) } else { Err(damaged(folder, answer)) }
}

fn damaged(folder: &Folder, detail: impl Into<String>) -> OpenError {
    OpenError::Damaged { file: folder.database(), detail: detail.into() }
}

/// Tells from an error of SQLite what is to be done about the file.
pub(crate) fn sqlite_failure(folder: &Folder, error: rusqlite::Error) -> OpenError {
    match error.sqlite_error_code() {
        Some(ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt) => damaged(folder, error.to_string()),
        Some(ErrorCode::DiskFull) => OpenError::DiskFull { folder: folder.path().to_owned() },
        _ => OpenError::Storage { file: folder.database(), source: error },
    }
}
