//! How connections are set up.

use std::ffi::OsString;
use std::fmt::Write;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, Error, OpenFlags, Result, ffi};

use crate::Settings;

/// More statements than there are, so that each is prepared once.
const STATEMENTS: usize = 128;

/// Pages in the log at which SQLite itself runs a checkpoint inside a commit. The writer runs them long before that, between commits.
const LAST_RESORT_CHECKPOINT: u32 = 16_000;

/// What of a large log is kept as a file after its checkpoint, in bytes.
const KEPT_LOG: u32 = 16 << 20;

/// What a reader keeps of the file in memory, in KiB: the operating system keeps it too.
const READER_CACHE_KIB: i32 = 256;

/// Opens the connection that writes.
pub(crate) fn writer(database: &Path, settings: &Settings) -> Result<Connection> {
    let connection =
        Connection::open_with_flags(database, OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
    connection.busy_timeout(settings.busy())?;
    keep_statements(&connection)?;
    let mode: String = connection.pragma_update_and_check(None, "journal_mode", "wal", |row| row.get(0))?;
    if mode != "wal" {
        let detail = format!("the file system offers no write-ahead log, only {mode}");
        return Err(Error::SqliteFailure(ffi::Error::new(ffi::SQLITE_PROTOCOL), Some(detail)));
    }
    sync_commits(&connection, true)?;
    connection.pragma_update(None, "foreign_keys", true)?;
    connection.pragma_update(None, "wal_autocheckpoint", LAST_RESORT_CHECKPOINT)?;
    connection.pragma_update(None, "journal_size_limit", KEPT_LOG)?;
    Ok(connection)
}

/// Sets whether a commit waits until it is safe from a power cut, and not only from the end of the process.
pub(crate) fn sync_commits(connection: &Connection, sync: bool) -> Result<()> {
    connection.pragma_update(None, "synchronous", if sync { "full" } else { "normal" })
}

/// Opens a connection that only reads, beside whoever writes.
pub(crate) fn reader(database: &Path, busy: Duration) -> Result<Connection> {
    let connection =
        Connection::open_with_flags(database, OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
    connection.busy_timeout(busy)?;
    keep_statements(&connection)?;
    connection.pragma_update(None, "cache_size", -READER_CACHE_KIB)?;
    Ok(connection)
}

/// Sees to it that each statement is prepared once. Without the second setting SQLite would plan some of them anew for each value that
/// they are given, at more than the price of running them; as all find their rows by an index, that would gain nothing.
fn keep_statements(connection: &Connection) -> Result<()> {
    connection.set_prepared_statement_cache_capacity(STATEMENTS);
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true).map(drop)
}

/// Opens a file that nobody writes, without a lock, a log or any other trace beside it. It does not see what is only in the log.
pub(crate) fn unwritten(database: &Path) -> Result<Connection> {
    let mut uri = String::from("file:");
    for byte in database.as_os_str().as_bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'-' | b'_' => uri.push(char::from(*byte)),
            _ => write!(uri, "%{byte:02X}").expect("writing to a string does not fail"),
        }
    }
    uri.push_str("?immutable=1");
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_URI;
    Connection::open_with_flags(OsString::from(uri), flags)
}
