//! The output of a running program: read as it comes, told about, kept in bounds.

use std::io;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use tokio::io::AsyncReadExt;
use tokio::net::unix::pipe;
use tokio::time::{Interval, MissedTickBehavior, interval, sleep};

use super::capture::Capture;
use super::spool::Spool;

/// How often people are told what a program writes.
const TELL: Duration = Duration::from_millis(500);

/// Bytes that are read at once: what a pipe holds.
const BLOCK: usize = 64 * 1024;

/// The output of a running program.
pub(super) struct Output {
    /// The end that is read; `None` once all was.
    pipe: Option<pipe::Receiver>,
    block: Vec<u8>,
    capture: Capture,
    spool: Option<Spool>,
    progress: Arc<dyn Fn(String) + Send + Sync>,
    ticks: Interval,
    told: u64,
}

impl Output {
    pub(super) fn new(pipe: pipe::Receiver, progress: Arc<dyn Fn(String) + Send + Sync>) -> Self {
        let mut ticks = interval(TELL);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let (capture, block) = (Capture::default(), vec![0; BLOCK]);
        Self { pipe: Some(pipe), block, capture, spool: None, progress, ticks, told: 0 }
    }

    /// Reads what comes, as long as something else takes.
    pub(super) async fn read_while<T>(&mut self, other: impl Future<Output = T>) -> T {
        let mut other = pin!(other);
        loop {
            tokio::select! {
                biased;
                value = &mut other => return value,
                _ = self.ticks.tick() => self.tell(),
                read = read(&mut self.pipe, &mut self.block) => self.take(read).await,
            }
        }
    }

    /// Reads until nobody is left who could write, for at most this long.
    pub(super) async fn read_to_end(&mut self, at_most: Duration) {
        let mut over = pin!(sleep(at_most));
        while self.pipe.is_some() {
            tokio::select! {
                biased;
                () = &mut over => return,
                read = read(&mut self.pipe, &mut self.block) => self.take(read).await,
            }
        }
    }

    /// What the model is shown of it.
    pub(super) async fn finish(self) -> String {
        let place = match self.spool {
            Some(spool) => Some(spool.finish().await),
            None => None,
        };
        self.capture.show(place.as_deref())
    }

    async fn take(&mut self, read: io::Result<usize>) {
        let Ok(length @ 1..) = read else {
            self.pipe = None;
            return;
        };
        let piece = &self.block[..length];
        if self.spool.is_none() && !self.capture.would_fit(piece) {
            let mut spool = Spool::new().await;
            spool.write(&self.capture.kept()).await;
            self.spool = Some(spool);
        }
        if let Some(spool) = &mut self.spool {
            spool.write(piece).await;
        }
        self.capture.push(piece);
    }

    fn tell(&mut self) {
        if self.told != self.capture.bytes() {
            self.told = self.capture.bytes();
            (self.progress)(self.capture.glimpse());
        }
    }
}

/// Reads a block; for ever, where all was read.
async fn read(pipe: &mut Option<pipe::Receiver>, block: &mut [u8]) -> io::Result<usize> {
    match pipe {
        Some(pipe) => pipe.read(block).await,
        None => std::future::pending().await,
    }
}
