//! Keeps an adapter running: starts it, and starts it anew when it ends, alone, after pauses that grow and are never the same for two.

use std::time::Duration;

use chat::{Arrival, ChannelName, ChannelNews, Receipt, ToChannel};
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use ractor::{Actor, ActorCell, ActorProcessingErr, ActorRef, DerivedActorRef, SupervisionEvent};
use tokio::time::{Instant, sleep};
use tracing::warn;

/// The pause after a first end; each further one is twice as long.
const FIRST_PAUSE: Duration = Duration::from_secs(1);

/// No pause is longer, but for the part that is left to chance.
const LONGEST_PAUSE: Duration = Duration::from_secs(60);

/// An adapter that ran for so long was well; the pauses begin anew.
const WELL_AFTER: Duration = Duration::from_secs(60);

/// Where an adapter hands things in.
#[derive(Clone)]
pub struct Doors {
    /// What arrived.
    pub intake: DerivedActorRef<Arrival>,
    /// What became of deliveries.
    pub delivery: DerivedActorRef<Receipt>,
}

/// An adapter that was started.
pub struct Adapter {
    /// Where it is spoken to.
    pub actor: DerivedActorRef<ToChannel>,
    /// Lets it begin, once everybody knows where it is spoken to.
    pub begin: Box<dyn FnOnce() + Send>,
}

/// Starts an adapter as a child of the actor that it is given.
pub(crate) type Spawn = Box<dyn Fn(Doors, ActorCell) -> BoxFuture<'static, Result<Adapter, String>> + Send + Sync>;

/// Makes one way to start an adapter out of another.
pub(crate) fn boxed<F, S, E>(spawn: S) -> Spawn
where
    S: Fn(Doors, ActorCell) -> F + Send + Sync + 'static,
    F: Future<Output = Result<Adapter, E>> + Send + 'static,
    E: std::fmt::Display + 'static,
{
    Box::new(move |doors, parent| spawn(doors, parent).map(|started| started.map_err(|it| it.to_string())).boxed())
}

/// The parent of one adapter.
pub(crate) struct Keeper;

/// What can happen to it: it is time to start the adapter.
pub(crate) struct Due;

/// What it holds.
pub(crate) struct KeeperState {
    pub(crate) channel: ChannelName,
    pub(crate) doors: Doors,
    pub(crate) spawn: Spawn,
    /// Tells everybody where the adapter is spoken to.
    pub(crate) attach: Box<dyn Fn(DerivedActorRef<ToChannel>) + Send + Sync>,
    pub(crate) running: Option<(ActorCell, Instant)>,
    pub(crate) ends: u32,
}

impl Actor for Keeper {
    type Msg = Due;
    type State = KeeperState;
    type Arguments = KeeperState;

    async fn pre_start(&self, myself: ActorRef<Due>, state: KeeperState) -> Result<KeeperState, ActorProcessingErr> {
        myself.cast(Due)?;
        Ok(state)
    }

    async fn handle(&self, myself: ActorRef<Due>, Due: Due, state: &mut KeeperState) -> Result<(), ActorProcessingErr> {
        match (state.spawn)(state.doors.clone(), myself.get_cell()).await {
            Ok(Adapter { actor, begin }) => {
                state.running = Some((actor.get_cell(), Instant::now()));
                (state.attach)(actor);
                begin();
            }
            Err(error) => state.ended(format!("it cannot be started: {error}"), &myself),
        }
        Ok(())
    }

    async fn handle_supervisor_evt(
        &self,
        myself: ActorRef<Due>,
        event: SupervisionEvent,
        state: &mut KeeperState,
    ) -> Result<(), ActorProcessingErr> {
        let (cell, what) = match event {
            SupervisionEvent::ActorFailed(cell, error) => (cell, error.to_string()),
            SupervisionEvent::ActorTerminated(cell, _, reason) => {
                (cell, reason.unwrap_or_else(|| "it ended".to_owned()))
            }
            _ => return Ok(()),
        };
        // Adapters have children of their own only below themselves, and one that was replaced is of no interest.
        if let Some((_, since)) = state.running.take_if(|(running, _)| running.get_id() == cell.get_id()) {
            if since.elapsed() >= WELL_AFTER {
                state.ends = 0;
            }
            state.ended(what, &myself);
        }
        Ok(())
    }
}

impl KeeperState {
    fn ended(&mut self, what: String, myself: &ActorRef<Due>) {
        warn!(channel = %self.channel, what, "an adapter ended; it is started anew");
        let news = ChannelNews::Attempted { trouble: Some(what) };
        let _ = self.doors.intake.send_message(Arrival::Channel { channel: self.channel.clone(), news });
        let pause = FIRST_PAUSE.saturating_mul(1 << self.ends.min(10)).min(LONGEST_PAUSE);
        self.ends += 1;
        let myself = myself.clone();
        tokio::spawn(async move {
            sleep(pause.mul_f64(1.0 + fastrand::f64() / 2.0)).await;
            let _ = myself.cast(Due);
        });
    }
}
