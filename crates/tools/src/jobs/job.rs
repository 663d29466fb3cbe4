//! The task that holds one job.

use std::pin::pin;
use std::time::Duration;

use chat::ConversationKey;
use ractor::ActorRef;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::sync::oneshot;
use tokio::task::yield_now;
use tokio::time::{Instant, timeout};

use super::registry::JobsMessage;
use super::ring::Ring;
use crate::process::{Ending, LAST_WORDS, Order, Running, Stream};

/// A job to be held.
pub(super) struct Job {
    pub(super) id: String,
    pub(super) conversation: ConversationKey,
    pub(super) order: Order,
    /// Bytes of new output that are kept.
    pub(super) output: usize,
}

/// Somebody wants to know what is new.
pub(super) struct Ask {
    /// Whether it is to be ended first.
    pub(super) end: bool,
    pub(super) answer: oneshot::Sender<Result<Look, String>>,
}

/// What is new of a job.
#[derive(Debug)]
pub(crate) struct Look {
    /// What it has written since the last look, as it is to be shown.
    pub(crate) output: String,
    /// How it came to its end, where it has.
    pub(crate) ending: Option<Ending>,
    /// How long it ran.
    pub(crate) ran: Duration,
    /// How long it may run.
    pub(crate) time: Duration,
}

/// What the task holds.
struct Held {
    stream: Stream,
    ring: Ring,
    began: Instant,
    time: Duration,
    end: Option<(Ending, Duration)>,
}

/// Starts a job. The task tells its id, or why it could not be started, and holds it until nobody can ask any more.
pub(super) fn spawn(
    job: Job,
    registry: ActorRef<JobsMessage>,
    answer: oneshot::Sender<Result<String, String>>,
) -> UnboundedSender<Ask> {
    let (task, asks) = unbounded_channel();
    tokio::spawn(async move {
        let Job { id, conversation, order, output } = job;
        let ended = |is_kept| JobsMessage::Ended { conversation, id: id.clone(), is_kept };
        let started = begin(&order, output).await;
        // Who asked may have gone; the job stays.
        let told =
            started.as_ref().map(|_| id.clone()).map_err(|error| format!("the shell could not be started: {error}"));
        let _ = answer.send(told);
        match started {
            Ok((running, held)) => hold(running, held, asks, || drop(registry.cast(ended(true)))).await,
            Err(_) => drop(registry.cast(ended(false))),
        }
    });
    task
}

async fn begin(order: &Order, output: usize) -> std::io::Result<(Running, Held)> {
    let (stream, writer) = Stream::new()?;
    let mut running = Running::start(order, writer).await?;
    running.starts().await?;
    let held = Held { stream, ring: Ring::new(output), began: Instant::now(), time: order.time, end: None };
    Ok((running, held))
}

async fn hold(mut running: Running, mut held: Held, mut asks: UnboundedReceiver<Ask>, ended: impl FnOnce()) {
    let (ending, asker) = held.until_end(&mut running, &mut asks).await;
    let ran = held.began.elapsed();
    if matches!(ending, Ending::Exited(_)) {
        let _ = timeout(LAST_WORDS, held.read_to_end()).await;
    }
    held.read_while(running.end()).await;
    let _ = timeout(LAST_WORDS, held.read_to_end()).await;
    held.end = Some((ending, ran));
    ended();
    if let Some(asker) = asker {
        held.answer(asker);
    }
    while let Some(ask) = asks.recv().await {
        held.answer(ask);
    }
}

impl Held {
    /// Reads and answers until the job has ended, or is to end.
    async fn until_end(&mut self, running: &mut Running, asks: &mut UnboundedReceiver<Ask>) -> (Ending, Option<Ask>) {
        loop {
            tokio::select! {
                biased;
                ask = asks.recv() => match ask {
                    Some(ask) if !ask.end => self.answer(ask),
                    // To be ended, or forgotten by all.
                    other => return (Ending::Cancelled, other),
                },
                ending = running.happens() => return (ending, None),
                text = self.stream.next() => self.take(&text).await,
            }
        }
    }

    async fn take(&mut self, text: &str) {
        self.ring.push(text);
        yield_now().await;
    }

    async fn read_while<T>(&mut self, other: impl Future<Output = T>) -> T {
        let mut other = pin!(other);
        loop {
            tokio::select! {
                biased;
                value = &mut other => return value,
                text = self.stream.next() => self.take(&text).await,
            }
        }
    }

    async fn read_to_end(&mut self) {
        while !self.stream.is_at_end() {
            let text = self.stream.next().await;
            self.take(&text).await;
        }
    }

    fn answer(&mut self, ask: Ask) {
        let open_line = self.stream.close_line();
        self.ring.push(&open_line);
        let (ending, ran) = match &self.end {
            Some((ending, ran)) => (Some(ending.clone()), *ran),
            None => (None, self.began.elapsed()),
        };
        let look = Look { output: self.ring.take(), ending, ran, time: self.time };
        // Who asked may have gone; then this is lost to it as its own answer is.
        let _ = ask.answer.send(Ok(look));
    }
}
