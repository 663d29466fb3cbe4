//! Waiting for an event, with a limit that no healthy test reaches.

use std::sync::mpsc;
use std::time::Duration;

use futures_util::future::{self, Either};
use tokio::sync::oneshot;

/// How long a test waits for something that has to happen.
pub const LIMIT: Duration = Duration::from_secs(10);

/// Waits for an event, and fails the test if it does not come within [`LIMIT`] of real time, paused or not.
///
/// # Panics
///
/// When the limit is reached; `what` says what did not happen.
pub async fn within_limit<T>(what: &str, event: impl Future<Output = T>) -> T {
    let (_stop_watching, expired) = watch();
    match future::select(std::pin::pin!(event), expired).await {
        Either::Left((value, _)) => value,
        Either::Right(_) => panic!("{what}: nothing within {} s", LIMIT.as_secs()),
    }
}

/// Starts a thread that reports when the limit is over, unless the sender is dropped before. A timer of tokio would not do:
/// under paused time it fires as soon as all tasks wait.
fn watch() -> (mpsc::Sender<()>, oneshot::Receiver<()>) {
    let (stop, stopped) = mpsc::channel::<()>();
    let (expire, expired) = oneshot::channel();
    std::thread::spawn(move || {
        if stopped.recv_timeout(LIMIT) == Err(mpsc::RecvTimeoutError::Timeout) {
            let _ = expire.send(());
        }
    });
    (stop, expired)
}
