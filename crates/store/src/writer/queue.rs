//! What the writer is handed.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::Receiver;

use tokio::time::{Duration, Instant};

use crate::{Operation, WriteError, Written};

/// One thing for the writer to do.
pub(crate) enum Job {
    /// Write.
    Write(Box<Operation>, Reply<Written>),
    /// Tell when what was handed in before is done.
    Flush(Reply<()>),
    /// Finish what was handed in before, and end.
    Close(Reply<()>),
}

/// The most operations in one transaction.
const MOST: usize = 256;

/// What is written in one transaction, with its sync where it needs one.
#[derive(Default)]
pub(super) struct Group {
    pub(super) operations: Vec<Operation>,
    /// One for each operation.
    pub(super) replies: Vec<Reply<Written>>,
    pub(super) flushes: Vec<Reply<()>>,
    pub(super) closing: Option<Reply<()>>,
    /// Whether somebody waits for it.
    is_urgent: bool,
}

impl Group {
    /// Takes what has been handed in. Where nobody waits for any of it, it waits so long for what it can be written along with: each
    /// transaction costs more than what is in it.
    pub(super) fn gather(first: Job, jobs: &Receiver<Job>, longest_wait: Duration) -> Self {
        let leaves_at = Instant::now() + longest_wait;
        let mut group = Self::default();
        let mut next = Some(first);
        while let Some(job) = next {
            group.add(job);
            next = match () {
                () if group.closing.is_some() || group.operations.len() == MOST => None,
                () if group.is_urgent => jobs.try_recv().ok(),
                () => jobs.recv_timeout(leaves_at.saturating_duration_since(Instant::now())).ok(),
            };
        }
        group
    }

    fn add(&mut self, job: Job) {
        match job {
            Job::Write(operation, reply) => {
                // What a turn goes on from after a kill does not wait either, though nobody waits for it.
                self.is_urgent |= operation.needs_sync() || matches!(*operation, Operation::Record { .. });
                self.operations.push(*operation);
                self.replies.push(reply);
            }
            Job::Flush(reply) => {
                self.is_urgent = true;
                self.flushes.push(reply);
            }
            Job::Close(reply) => self.closing = Some(reply),
        }
    }
}

type Callback<T> = Box<dyn FnOnce(Result<T, WriteError>) + Send>;

/// Who waits for a result. They get exactly one: where a job is dropped undone, that it is closed.
pub(crate) struct Reply<T>(Option<Callback<T>>);

impl<T> Reply<T> {
    pub(crate) fn new(done: impl FnOnce(Result<T, WriteError>) + Send + 'static) -> Self {
        Self(Some(Box::new(done)))
    }

    pub(crate) fn send(mut self, result: Result<T, WriteError>) {
        self.call(result);
    }

    fn call(&mut self, result: Result<T, WriteError>) {
        let Some(done) = self.0.take() else { return };
        // The writer outlives whatever happens in there.
        if catch_unwind(AssertUnwindSafe(|| done(result))).is_err() {
            tracing::error!("a callback of the ledger panicked");
        }
    }
}

impl<T> Drop for Reply<T> {
    fn drop(&mut self) {
        self.call(Err(WriteError::Closed));
    }
}
