//! What goes out to a chat service, in an order and at a speed that it bears. One actor per account.
//!
//! Layout: `queue` (what goes next), `bucket` (how fast), and here the actor that lets calls go.

mod bucket;
mod queue;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use ractor::{Actor, ActorProcessingErr, ActorRef, SpawnErr, SupervisionEvent};
use tokio::time::{Duration, Instant};

pub(crate) use bucket::Rate;
pub(crate) use queue::{Class, Job, Lane, Limits, Ticket};

use queue::Queue;

/// Makes the calls of one chat service.
pub(crate) trait Courier: Send + Sync + 'static {
    /// A call; it may be made more than once.
    type Call: Clone + Send + Sync + 'static;
    /// What became of it.
    type Done: Send + 'static;
    /// Makes a call.
    fn carry(&self, call: Self::Call) -> impl Future<Output = Self::Done> + Send;
    /// How long the service wants the chat to be left alone; the call is made again after that.
    fn pause(done: &Self::Done) -> Option<Duration>;
    /// Stands for what became of a call that broke down.
    fn lost() -> Self::Done;
    /// Stands for what became of a call that was given up before it was made.
    fn cancelled() -> Self::Done;
    /// Tells who asked.
    fn report(&self, ticket: Ticket, done: Self::Done);
}

/// What can happen to the actor.
pub(crate) enum PacingMessage<C: Courier> {
    /// A call is to be made.
    Submit(Job<C::Call>),
    /// A call is not wanted any more, unless it is being made.
    Cancel(Ticket),
    /// A call was made.
    Carried(Job<C::Call>, C::Done),
    /// Something may go now.
    Wake,
}

impl<C: Courier> std::fmt::Debug for PacingMessage<C> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("PacingMessage")
    }
}

struct Pacing<C>(std::marker::PhantomData<fn() -> C>);

pub(crate) struct PacingState<C: Courier> {
    queue: Queue<C::Call>,
    courier: Arc<C>,
    /// When it will be woken.
    wake: Option<Instant>,
}

/// Starts the actor.
pub(crate) async fn spawn<C: Courier>(
    courier: C,
    limits: Limits,
    parent: ractor::ActorCell,
) -> Result<ActorRef<PacingMessage<C>>, SpawnErr> {
    let pacing = Pacing(std::marker::PhantomData);
    let (actor, _) = Actor::spawn_linked(None, pacing, (courier, limits), parent).await?;
    Ok(actor)
}

impl<C: Courier> Actor for Pacing<C> {
    type Msg = PacingMessage<C>;
    type State = PacingState<C>;
    type Arguments = (C, Limits);

    async fn pre_start(
        &self,
        _: ActorRef<Self::Msg>,
        (courier, limits): Self::Arguments,
    ) -> Result<Self::State, ActorProcessingErr> {
        Ok(PacingState { queue: Queue::new(limits, Instant::now()), courier: Arc::new(courier), wake: None })
    }

    async fn handle(
        &self,
        myself: ActorRef<Self::Msg>,
        message: Self::Msg,
        state: &mut Self::State,
    ) -> Result<(), ActorProcessingErr> {
        match message {
            PacingMessage::Submit(job) => state.queue.push(job),
            PacingMessage::Cancel(ticket) => state.cancel(ticket),
            PacingMessage::Carried(job, done) => state.carried(job, done),
            PacingMessage::Wake => state.wake = None,
        }
        state.go_on(&myself);
        Ok(())
    }

    async fn handle_supervisor_evt(
        &self,
        _: ActorRef<Self::Msg>,
        _: SupervisionEvent,
        _: &mut Self::State,
    ) -> Result<(), ActorProcessingErr> {
        Ok(())
    }
}

impl<C: Courier> PacingState<C> {
    fn carried(&mut self, job: Job<C::Call>, done: C::Done) {
        match C::pause(&done) {
            Some(pause) => self.queue.postpone(job, Instant::now() + pause),
            None => {
                self.queue.finished(&job.lane);
                self.courier.report(job.ticket, done);
            }
        }
    }

    fn cancel(&mut self, ticket: Ticket) {
        if self.queue.cancel(ticket) {
            self.courier.report(ticket, C::cancelled());
        }
    }

    fn go_on(&mut self, myself: &ActorRef<PacingMessage<C>>) {
        let now = Instant::now();
        while let Some(job) = self.queue.next(now) {
            self.let_go(job, myself.clone());
        }
        let Some(at) = self.queue.next_at(now) else { return };
        if self.wake.is_none_or(|wake| at < wake) {
            self.wake = Some(at);
            myself.send_after(at.saturating_duration_since(now), || PacingMessage::Wake);
        }
    }

    fn let_go(&self, job: Job<C::Call>, myself: ActorRef<PacingMessage<C>>) {
        let (courier, call) = (self.courier.clone(), job.call.clone());
        // Two tasks, so that a call that breaks down does not keep its chat shut for ever.
        let carrying = tokio::spawn(async move { courier.carry(call).await });
        tokio::spawn(async move {
            let done = carrying.await.unwrap_or_else(|_| C::lost());
            // A closed mailbox means that the channel goes down.
            let _ = myself.cast(PacingMessage::Carried(job, done));
        });
    }
}
