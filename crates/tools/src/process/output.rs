//! The output of a running program: read as it comes, told about, kept in bounds.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use tokio::task::yield_now;
use tokio::time::{Interval, MissedTickBehavior, interval, sleep};

use super::capture::Capture;
use super::spool::Spool;
use super::stream::Stream;

/// How often people are told what a program writes.
const TELL: Duration = Duration::from_millis(500);

/// The output of a running program.
pub(super) struct Output {
    stream: Stream,
    capture: Capture,
    spool: Option<Spool>,
    progress: Arc<dyn Fn(String) + Send + Sync>,
    ticks: Interval,
    told: String,
}

impl Output {
    pub(super) fn new(stream: Stream, progress: Arc<dyn Fn(String) + Send + Sync>) -> Self {
        let mut ticks = interval(TELL);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        Self { stream, capture: Capture::default(), spool: None, progress, ticks, told: String::new() }
    }

    /// Reads what comes, as long as something else takes.
    pub(super) async fn read_while<T>(&mut self, other: impl Future<Output = T>) -> T {
        let mut other = pin!(other);
        loop {
            tokio::select! {
                biased;
                value = &mut other => return value,
                _ = self.ticks.tick() => self.tell(),
                text = self.stream.next() => self.take(text).await,
            }
        }
    }

    /// Reads until nobody is left who could write, for at most this long.
    pub(super) async fn read_to_end(&mut self, at_most: Duration) {
        let mut over = pin!(sleep(at_most));
        while !self.stream.is_at_end() {
            tokio::select! {
                biased;
                () = &mut over => return,
                text = self.stream.next() => self.take(text).await,
            }
        }
    }

    /// What the model is shown of it.
    pub(super) async fn finish(mut self) -> String {
        let last = self.stream.close_line();
        self.take(last).await;
        let place = match self.spool {
            Some(spool) => Some(spool.finish().await),
            None => None,
        };
        self.capture.show(place.as_deref())
    }

    async fn take(&mut self, text: String) {
        let piece = text.as_bytes();
        if self.spool.is_none() && !self.capture.would_fit(piece) {
            let mut spool = Spool::new().await;
            spool.write(&self.capture.kept()).await;
            self.spool = Some(spool);
        }
        if let Some(spool) = &mut self.spool {
            spool.write(piece).await;
        }
        self.capture.push(piece);
        // Where there is always more to read this would go on for long, and whom it has woken would wait.
        yield_now().await;
    }

    fn tell(&mut self) {
        let now = self.capture.glimpse(&self.stream.open_line());
        if self.told != now {
            self.told.clone_from(&now);
            (self.progress)(now);
        }
    }
}
