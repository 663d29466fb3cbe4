//! An open connection that writes, and what has to be known of it.

use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use rusqlite::Connection;

use super::apply::apply;
use crate::folder::Folder;
use crate::tables::meta;
use crate::{Operation, Settings, WriteError, Written, connection};

/// A result for each operation of a group, in their order.
pub(super) type Results = Vec<Result<Written, WriteError>>;

/// Why a transaction failed; each of its operations may have to be told.
pub(super) type Failure = Arc<rusqlite::Error>;

/// Pages in the log from which on they are moved into the database.
const LONG_LOG: i64 = 1_000;

/// An open connection that writes.
pub(super) struct Session {
    pub(super) connection: Connection,
    /// The ledger's count of committed groups.
    pub(super) groups: i64,
    /// Whether commits wait for the disk.
    syncs: bool,
}

impl Session {
    pub(super) fn open(folder: &Folder, settings: &Settings) -> rusqlite::Result<Self> {
        Self::new(connection::writer(&folder.database(), settings)?)
    }

    pub(super) fn new(connection: Connection) -> rusqlite::Result<Self> {
        let groups = meta::groups(&connection)?;
        Ok(Self { connection, groups, syncs: true })
    }

    /// Writes operations in one transaction. Where it fails the results mean nothing, unless the transaction turns out to be on disk.
    pub(super) fn write(&mut self, operations: &[Operation], results: &mut Results) -> Result<(), Failure> {
        let syncs = operations.iter().any(Operation::needs_sync);
        if self.syncs != syncs {
            connection::sync_commits(&self.connection, syncs)?;
            self.syncs = syncs;
        }
        run(&self.connection, "BEGIN IMMEDIATE")?;
        let written = self.fill(operations, results);
        if written.is_err() && !self.connection.is_autocommit() {
            // If this fails too, the next begin does.
            let _ = run(&self.connection, "ROLLBACK");
        }
        written?;
        self.groups += 1;
        Ok(())
    }

    fn fill(&self, operations: &[Operation], results: &mut Results) -> Result<(), Failure> {
        let now = unix_millis();
        for operation in operations {
            results.push(in_savepoint(&self.connection, operation, now)?);
        }
        meta::set_groups(&self.connection, self.groups + 1)?;
        Ok(run(&self.connection, "COMMIT")?)
    }

    /// Moves the log into the database where it has become long.
    pub(super) fn shorten_log(&self) -> rusqlite::Result<()> {
        if checkpoint(&self.connection, "NOOP")? >= LONG_LOG {
            checkpoint(&self.connection, "PASSIVE")?;
        }
        Ok(())
    }

    /// Moves all of the log into the database, so that no log is left.
    pub(super) fn close(self) -> rusqlite::Result<()> {
        checkpoint(&self.connection, "TRUNCATE")?;
        self.connection.close().map_err(|(_, error)| error)
    }
}

/// Does one operation, or nothing of it. An error is what concerns the whole transaction.
fn in_savepoint(
    connection: &Connection,
    operation: &Operation,
    now: i64,
) -> Result<Result<Written, WriteError>, Failure> {
    run(connection, "SAVEPOINT operation")?;
    let result = apply(connection, operation, now);
    match &result {
        Ok(_) => {}
        Err(WriteError::Storage(failure)) => return Err(Arc::clone(failure)),
        Err(_) => run(connection, "ROLLBACK TO operation")?,
    }
    run(connection, "RELEASE operation")?;
    Ok(result)
}

fn run(connection: &Connection, statement: &str) -> rusqlite::Result<()> {
    connection.prepare_cached(statement)?.execute([]).map(drop)
}

/// Runs a checkpoint, or as `NOOP` none; tells how many pages the log has.
fn checkpoint(connection: &Connection, mode: &str) -> rusqlite::Result<i64> {
    connection.prepare_cached(&format!("PRAGMA wal_checkpoint({mode})"))?.query_row([], |row| row.get("log"))
}

fn unix_millis() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}
