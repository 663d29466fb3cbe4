//! The thread that writes. Whatever has been handed in meanwhile shares a transaction and its sync; each operation has a savepoint of
//! its own, so that a bad one does not harm its neighbours. What needs no sync of its own waits a moment for what does.
//!
//! After a failed commit the file is opened anew and asked whether the group is there all the same; if not, its operations are
//! written once more, each alone, so that one that is too large for the disk does not take the others with it.

use std::slice;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::Receiver;

use rusqlite::Connection;
use tokio::time::Duration;
use tracing::{error, warn};

use crate::folder::{Folder, Lock};
use crate::{Operation, Settings, WriteError, WriterMode, Written};

mod apply;
mod queue;
mod session;
#[cfg(test)]
mod tests;

use queue::Group;
pub(crate) use queue::{Job, Reply};
use session::{Failure, Results, Session};

/// How long what nobody waits for may wait for what it can be written along with.
const LONGEST_WAIT: Duration = Duration::from_millis(20);

/// After how many groups the length of the log is looked at.
const LOOK_AT_LOG: u32 = 16;

/// What others may know of the writer.
#[derive(Debug)]
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
    session: Option<Session>,
    since_look: u32,
    longest_wait: Duration,
    status: Arc<Status>,
    lock: Lock,
}

impl Writer {
    pub(crate) fn new(
        folder: Folder,
        settings: Settings,
        connection: Connection,
        lock: Lock,
        mode: WriterMode,
    ) -> rusqlite::Result<Self> {
        let session = Some(Session::new(connection)?);
        let status = Arc::new(Status { queued: AtomicUsize::new(0), healthy: AtomicBool::new(true) });
        let longest_wait = match mode {
            WriterMode::Thread => LONGEST_WAIT,
            // The caller waits for everything.
            WriterMode::Inline => Duration::ZERO,
        };
        Ok(Self { folder, settings, session, since_look: 0, longest_wait, status, lock })
    }

    pub(crate) fn status(&self) -> Arc<Status> {
        Arc::clone(&self.status)
    }

    /// Writes what is handed in until it is told to close or nobody is left to hand something in.
    pub(crate) fn run(mut self, jobs: &Receiver<Job>) {
        while let Ok(first) = jobs.recv() {
            let Group { operations, replies, flushes, closing, .. } = Group::gather(first, jobs, self.longest_wait);
            self.answer(replies, &operations);
            flushes.into_iter().for_each(|reply| reply.send(Ok(())));
            if let Some(reply) = closing {
                self.close();
                return reply.send(Ok(()));
            }
            self.shorten_log();
        }
        self.close();
    }

    fn answer(&mut self, replies: Vec<Reply<Written>>, operations: &[Operation]) {
        if operations.is_empty() {
            return;
        }
        for (reply, result) in replies.into_iter().zip(self.write(operations)) {
            reply.send(result);
        }
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
        // Closed before the file is opened anew: it may hold a lock, and what it believes about the log may be wrong.
        let group = self.session.take().map(|session| session.groups + 1);
        self.session = Session::open(&self.folder, &self.settings).ok();
        if group.is_some() && self.session.as_ref().map(|session| session.groups) == group {
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

    /// Writes operations in one transaction.
    fn try_write(&mut self, operations: &[Operation], results: &mut Results) -> Result<(), Failure> {
        let session = match &mut self.session {
            Some(session) => session,
            closed => closed.insert(Session::open(&self.folder, &self.settings)?),
        };
        session.write(operations, results)
    }

    /// Keeps the log short. This is done between groups, when nobody waits for a sync.
    fn shorten_log(&mut self) {
        self.since_look += 1;
        let Some(session) = self.session.as_ref().filter(|_| self.since_look >= LOOK_AT_LOG) else { return };
        self.since_look = 0;
        if let Err(error) = session.shorten_log() {
            warn!(%error, "the ledger's log was not moved into the database");
        }
    }

    /// Folds the log into the database, and lets the folder go last.
    fn close(self) {
        let Self { session, lock, status, .. } = self;
        status.healthy.store(false, Ordering::Relaxed);
        if let Some(Err(error)) = session.map(Session::close) {
            warn!(%error, "the ledger's log stays beside it until the next start");
        }
        drop(lock);
    }
}
