//! The thread that writes. Whatever has been handed in meanwhile shares a transaction and its sync; each operation has a savepoint of
//! its own, so that a bad one does not harm its neighbours.
//!
//! After a failed commit the file is opened anew and asked whether the group is there all the same; if not, its operations are
//! written once more, each alone, so that one that is too large for the disk does not take the others with it.

use std::slice;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::Receiver;
use std::time::{SystemTime, UNIX_EPOCH};

use rusqlite::{Connection, TransactionBehavior};
use tracing::{error, warn};

use crate::folder::{Folder, Lock};
use crate::tables::meta;
use crate::{Operation, Settings, WriteError, Written, connection};

mod apply;
mod queue;
#[cfg(test)]
mod tests;

pub(crate) use queue::{Job, Reply};

/// The most operations in one transaction.
const GROUP: usize = 256;

/// After how many groups the length of the log is looked at.
const LOOK_AT_LOG: u32 = 16;

/// Pages in the log from which on they are moved into the database.
const LONG_LOG: i64 = 1_000;

type Results = Vec<Result<Written, WriteError>>;

/// Why a transaction failed; each of its operations may have to be told.
type Failure = Arc<rusqlite::Error>;

/// What others may know of the writer.
pub(crate) struct Status {
    /// Operations that were handed in and have no result yet.
    pub(crate) queued: AtomicUsize,
    /// Whether the last attempts to write succeeded.
    pub(crate) healthy: AtomicBool,
}

/// The one that writes, with all it needs for it.
pub(crate) struct Writer {
    folder: Folder,
    settings: Settings,
    /// `None` where the last attempt to open the file failed.
    connection: Option<Connection>,
    /// The ledger's count of committed groups.
    groups: i64,
    since_look: u32,
    status: Arc<Status>,
    lock: Lock,
}

impl Writer {
    pub(crate) fn new(
        folder: Folder,
        settings: Settings,
        connection: Connection,
        lock: Lock,
    ) -> rusqlite::Result<Self> {
        let groups = meta::groups(&connection)?;
        let status = Arc::new(Status { queued: AtomicUsize::new(0), healthy: AtomicBool::new(true) });
        Ok(Self { folder, settings, connection: Some(connection), groups, since_look: 0, status, lock })
    }

    pub(crate) fn status(&self) -> Arc<Status> {
        Arc::clone(&self.status)
    }

    /// Writes what is handed in until it is told to close or nobody is left to hand something in.
    pub(crate) fn run(mut self, jobs: &Receiver<Job>) {
        while let Ok(first) = jobs.recv() {
            let mut operations = Vec::new();
            let mut replies = Vec::new();
            let mut closing = None;
            for job in std::iter::once(first).chain(jobs.try_iter()).take(GROUP) {
                match job {
                    Job::Write(operation, reply) => {
                        operations.push(*operation);
                        replies.push(reply);
                    }
                    Job::Close(reply) => {
                        closing = Some(reply);
                        break;
                    }
                }
            }
            if !operations.is_empty() {
                self.answer(replies, &operations);
            }
            if let Some(reply) = closing {
                self.close();
                return reply.send(Ok(()));
            }
        }
        self.close();
    }

    fn answer(&mut self, replies: Vec<Reply<Written>>, operations: &[Operation]) {
        let results = self.write(operations);
        for (reply, result) in replies.into_iter().zip(results) {
            reply.send(result);
        }
        self.shorten_log();
    }

    /// Writes a group: a result for each operation, in their order.
    fn write(&mut self, operations: &[Operation]) -> Results {
        let mut results = Vec::with_capacity(operations.len());
        match self.try_write(operations, &mut results) {
            Ok(()) => {
                self.status.healthy.store(true, Ordering::Relaxed);
                results
            }
            Err(failure) => {
                warn!(error = %failure, operations = operations.len(), "the ledger was not written, trying again");
                self.write_again(operations, results)
            }
        }
    }

    /// Reads back whether a group that failed, with these results, is there all the same; writes it again if not.
    fn write_again(&mut self, operations: &[Operation], attempted: Results) -> Results {
        let committed = self.groups + 1;
        // Closed first: it may hold a lock, and what it believes about the log may be wrong.
        self.connection = None;
        if self.open().is_ok() && self.groups == committed && attempted.len() == operations.len() {
            return attempted;
        }
        let mut results = Vec::with_capacity(operations.len());
        for (at, operation) in operations.iter().enumerate() {
            if let Err(failure) = self.try_write(slice::from_ref(operation), &mut results) {
                error!(error = %failure, "the ledger cannot be written");
                self.status.healthy.store(false, Ordering::Relaxed);
                results.truncate(at);
                results.push(Err(WriteError::Storage(failure)));
            }
        }
        results
    }

    /// Tries to write operations in one transaction.
    fn try_write(&mut self, operations: &[Operation], results: &mut Results) -> Result<(), Failure> {
        if self.connection.is_none() {
            self.open()?;
        }
        let Some(connection) = &mut self.connection else { return Ok(()) };
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let now = unix_millis();
        for operation in operations {
            results.push(in_savepoint(&transaction, operation, now)?);
        }
        meta::set_groups(&transaction, self.groups + 1)?;
        transaction.commit()?;
        self.groups += 1;
        Ok(())
    }

    fn open(&mut self) -> rusqlite::Result<()> {
        let connection = connection::writer(&self.folder.database(), &self.settings)?;
        self.groups = meta::groups(&connection)?;
        self.connection = Some(connection);
        Ok(())
    }

    /// Moves a long log into the database. This is done between groups, when nobody waits for a sync.
    fn shorten_log(&mut self) {
        self.since_look += 1;
        let Some(connection) = self.connection.as_ref().filter(|_| self.since_look >= LOOK_AT_LOG) else { return };
        self.since_look = 0;
        let shortened = checkpoint(connection, "NOOP")
            .and_then(|pages| if pages >= LONG_LOG { checkpoint(connection, "PASSIVE").map(drop) } else { Ok(()) });
        if let Err(error) = shortened {
            warn!(%error, "the ledger's log was not moved into the database");
        }
    }

    /// Folds the log into the database, and lets the folder go last.
    fn close(self) {
        let Self { connection, lock, status, .. } = self;
        status.healthy.store(false, Ordering::Relaxed);
        if let Some(connection) = connection {
            let folded = checkpoint(&connection, "TRUNCATE");
            let closed = folded.and_then(|_| connection.close().map_err(|(_, error)| error));
            if let Err(error) = closed {
                warn!(%error, "the ledger's log stays beside it until the next start");
            }
        }
        drop(lock);
    }
}

/// Runs or, as `NOOP`, only plans a checkpoint; tells how many pages the log has.
fn checkpoint(connection: &Connection, mode: &str) -> rusqlite::Result<i64> {
    connection.prepare_cached(&format!("PRAGMA wal_checkpoint({mode})"))?.query_row([], |row| row.get("log"))
}

/// Does one operation, or nothing of it. An error is what concerns the whole transaction.
fn in_savepoint(
    connection: &Connection,
    operation: &Operation,
    now: i64,
) -> Result<Result<Written, WriteError>, Failure> {
    connection.prepare_cached("SAVEPOINT operation")?.execute([])?;
    let result = apply::apply(connection, operation, now);
    match &result {
        Ok(_) => {}
        Err(WriteError::Storage(failure)) => return Err(Arc::clone(failure)),
        Err(_) => connection.prepare_cached("ROLLBACK TO operation")?.execute([]).map(drop)?,
    }
    connection.prepare_cached("RELEASE operation")?.execute([])?;
    Ok(result)
}

fn unix_millis() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}
