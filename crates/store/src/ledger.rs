//! The handle of a ledger.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::mpsc;
use std::thread::{self, JoinHandle};

use chat::{ChannelName, ConversationKey, DeliveryId, TurnId};
use tokio::sync::oneshot;

use crate::folder::Folder;
use crate::inspect::{self, Found, sqlite_failure};
use crate::tables::{deliveries, turns};
use crate::writer::{Job, Reply, Status, Writer};
use crate::{
    OpenDelivery, OpenError, Operation, ReadError, Reader, Recovered, Report, Settings, StoredAccess,
    StoredConversation, StoredEvent, WriteError, Written, connection, schema,
};

/// A ledger that is open for writing: a handle, cheap to clone. The ledger is this process's own until it is closed, or until the
/// last handle is dropped, which waits for what was handed in.
#[derive(Clone, Debug)]
pub struct Ledger(Arc<Inner>);

/// Who waits for a write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WriterMode {
    /// Nobody: results come from the writer's thread.
    Thread,
    /// The caller, until it is on disk: for tests under paused time, which would otherwise run ahead.
    Inline,
}

#[derive(Debug)]
struct Inner {
    mode: WriterMode,
    reader: Reader,
    status: Arc<Status>,
    next_turn: AtomicI64,
    next_delivery: AtomicI64,
    /// `None` only while it is dropped.
    jobs: Option<mpsc::Sender<Job>>,
    /// `None` only while it is dropped.
    thread: Option<JoinHandle<()>>,
}

impl Ledger {
    /// Opens the ledger in a folder, for this process alone; makes both where they do not exist. Blocks.
    ///
    /// # Errors
    ///
    /// When it cannot be used: each [`OpenError`] says why and what to do. What is there then stays as it was.
    pub fn open(folder: &Path, mode: WriterMode, settings: &Settings) -> Result<Self, OpenError> {
        let folder = Folder::create(folder)?;
        let lock = folder.lock()?;
        if inspect::for_writing(&folder, settings)? == Found::Nothing {
            schema::create(&folder)?;
        }
        let failure = |error| sqlite_failure(&folder, error);
        let mut connection = connection::writer(&folder.database(), settings).map_err(failure)?;
        schema::back_up(&folder, &connection)?;
        schema::migrate(&mut connection, schema::MIGRATIONS).map_err(failure)?;
        let next_turn = AtomicI64::new(turns::last(&connection).map_err(failure)? + 1);
        let next_delivery = AtomicI64::new(deliveries::last(&connection).map_err(failure)? + 1);
        let writer = Writer::new(folder.clone(), settings.clone(), connection, lock, mode).map_err(failure)?;
        let status = writer.status();
        let (jobs, queue) = mpsc::channel();
        let thread = thread::Builder::new()
            .name("ledger".to_owned())
            .spawn(move || writer.run(&queue))
            .map_err(|source| OpenError::System { folder: folder.path().to_owned(), source })?;
        let reader = Reader::new(folder, settings.clone());
        let (jobs, thread) = (Some(jobs), Some(thread));
        Ok(Self(Arc::new(Inner { mode, reader, status, next_turn, next_delivery, jobs, thread })))
    }

    /// Opens the ledger in a folder to look at it, also while another process writes. Blocks. A process that also writes opens for
    /// that first: opening for writing takes SQLite's locks away from a reader of the same process.
    ///
    /// # Errors
    ///
    /// As for [`Ledger::open`], and where there is none yet.
    pub fn open_read_only(folder: &Path) -> Result<Reader, OpenError> {
        Reader::open(folder)
    }

    /// An id that no turn has had.
    #[must_use]
    pub fn next_turn_id(&self) -> TurnId {
        TurnId(self.0.next_turn.fetch_add(1, Ordering::Relaxed))
    }

    /// An id that no delivery has had.
    #[must_use]
    pub fn next_delivery_id(&self) -> DeliveryId {
        DeliveryId(self.0.next_delivery.fetch_add(1, Ordering::Relaxed))
    }

    /// Hands in an operation. Operations are done in the order in which they are handed in; one that survives a power cut only with the
    /// next may wait a moment for that one. `done` is called once, when the operation
    /// is on disk ([`Operation`] says how safely) or known not to be: on the writer's thread, which it must not hold up; in [`WriterMode::Inline`] on the caller's,
    /// before this returns.
    pub fn write(&self, operation: Operation, done: impl FnOnce(Result<Written, WriteError>) + Send + 'static) {
        let status = Arc::clone(&self.0.status);
        status.queued.fetch_add(1, Ordering::Relaxed);
        let done = move |result| {
            status.queued.fetch_sub(1, Ordering::Relaxed);
            done(result);
        };
        self.submit(|reply| Job::Write(Box::new(operation), reply), done);
    }

    /// Writes an operation: as [`Ledger::write`], to be awaited. Dropping the future does not take the operation back.
    ///
    /// # Errors
    ///
    /// When it was not done: each [`WriteError`] says why.
    pub async fn written(&self, operation: Operation) -> Result<Written, WriteError> {
        let (sender, receiver) = oneshot::channel();
        self.write(operation, move |result| {
            // Whoever asked may have gone.
            let _ = sender.send(result);
        });
        // It is waited for, so it waits for nothing else.
        self.submit(Job::Flush, |_| {});
        receiver.await.unwrap_or(Err(WriteError::Closed))
    }

    /// Waits until every operation that was handed in before has its result, so that a read sees it.
    ///
    /// # Errors
    ///
    /// [`WriteError::Closed`].
    pub async fn flushed(&self) -> Result<(), WriteError> {
        let (sender, receiver) = oneshot::channel();
        self.submit(Job::Flush, move |result| {
            let _ = sender.send(result);
        });
        receiver.await.unwrap_or(Err(WriteError::Closed))
    }

    /// How many operations were handed in and have no result yet.
    #[must_use]
    pub fn queued(&self) -> usize {
        self.0.status.queued.load(Ordering::Relaxed)
    }

    /// Whether the disk takes what is written. False after two failures in a row, until a write succeeds.
    #[must_use]
    pub fn is_healthy(&self) -> bool {
        let running = self.0.thread.as_ref().is_some_and(|thread| !thread.is_finished());
        running && self.0.status.healthy.load(Ordering::Relaxed)
    }

    /// As [`Reader::load`]. Blocks.
    ///
    /// # Errors
    ///
    /// As for [`Reader::load`].
    pub fn load(&self, key: &ConversationKey) -> Result<Option<StoredConversation>, ReadError> {
        self.0.reader.load(key)
    }

    /// As [`Reader::left_open`]. Blocks.
    ///
    /// # Errors
    ///
    /// As for [`Reader::left_open`].
    pub fn left_open(&self, key: &ConversationKey) -> Result<Recovered, ReadError> {
        self.0.reader.left_open(key)
    }

    /// As [`Reader::recover`]. Blocks.
    ///
    /// # Errors
    ///
    /// As for [`Reader::recover`].
    pub fn recover(&self) -> Result<Recovered, ReadError> {
        self.0.reader.recover()
    }

    /// As [`Reader::with_open_work`]. Blocks.
    ///
    /// # Errors
    ///
    /// As for [`Reader::load`].
    pub fn with_open_work(&self) -> Result<Vec<ConversationKey>, ReadError> {
        self.0.reader.with_open_work()
    }

    /// As [`Reader::turn_events`]. Blocks.
    ///
    /// # Errors
    ///
    /// As for [`Reader::load`].
    pub fn turn_events(&self, turn: TurnId) -> Result<Vec<StoredEvent>, ReadError> {
        self.0.reader.turn_events(turn)
    }

    /// As [`Reader::open_deliveries`]. Blocks.
    ///
    /// # Errors
    ///
    /// As for [`Reader::load`].
    pub fn open_deliveries(&self, channel: &ChannelName) -> Result<Vec<OpenDelivery>, ReadError> {
        self.0.reader.open_deliveries(channel)
    }

    /// As [`Reader::placeholders`]. Blocks.
    ///
    /// # Errors
    ///
    /// As for [`Reader::load`].
    pub fn placeholders(&self, channel: &ChannelName) -> Result<Vec<(ConversationKey, TurnId, String)>, ReadError> {
        self.0.reader.placeholders(channel)
    }

    /// As [`Reader::access`]. Blocks.
    ///
    /// # Errors
    ///
    /// As for [`Reader::load`].
    pub fn access(&self) -> Result<StoredAccess, ReadError> {
        self.0.reader.access()
    }

    /// As [`Reader::tallied`]. Blocks.
    ///
    /// # Errors
    ///
    /// As for [`Reader::load`].
    pub fn tallied(&self, channel: &ChannelName) -> Result<i64, ReadError> {
        self.0.reader.tallied(channel)
    }

    /// As [`Reader::verify`]. Blocks.
    ///
    /// # Errors
    ///
    /// As for [`Reader::verify`].
    pub fn verify(&self) -> Result<Report, ReadError> {
        self.0.reader.verify()
    }

    /// Waits for what was handed in, folds the log into the database and lets the folder go. Whatever is handed in later, by any
    /// handle, is answered with [`WriteError::Closed`].
    pub async fn close(self) {
        self.0.reader.release();
        let (sender, receiver) = oneshot::channel();
        self.submit(Job::Close, move |_| {
            let _ = sender.send(());
        });
        // An error means that it was closed before.
        let _ = receiver.await;
    }

    /// Sends a job to the writer; in [`WriterMode::Inline`] waits for its result.
    fn submit<T: Send + 'static>(
        &self,
        job: impl FnOnce(Reply<T>) -> Job,
        done: impl FnOnce(Result<T, WriteError>) + Send + 'static,
    ) {
        let Some(jobs) = &self.0.jobs else { return done(Err(WriteError::Closed)) };
        // A job that cannot be sent is dropped, and with it goes the answer that it is closed.
        match self.0.mode {
            WriterMode::Thread => drop(jobs.send(job(Reply::new(done)))),
            WriterMode::Inline => {
                let (sender, receiver) = mpsc::channel();
                drop(jobs.send(job(Reply::new(move |result| drop(sender.send(result))))));
                done(receiver.recv().unwrap_or(Err(WriteError::Closed)));
            }
        }
    }
}

impl Drop for Inner {
    /// Waits until everything is on disk and the folder is free. The last handle may be dropped by a callback, on the writer's own
    /// thread: then the writer ends when that callback has returned.
    fn drop(&mut self) {
        self.reader.release();
        self.jobs = None;
        let Some(thread) = self.thread.take() else { return };
        if thread.thread().id() != thread::current().id() && thread.join().is_err() {
            tracing::error!("the ledger's writer panicked");
        }
    }
}
