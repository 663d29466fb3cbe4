//! What the writer is handed.

use std::panic::{AssertUnwindSafe, catch_unwind};

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
