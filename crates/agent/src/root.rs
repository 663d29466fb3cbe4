//! Starts the actors, and watches those that must not end.

use std::collections::HashMap;
use std::sync::Arc;

use chat::{Arrival, ChannelName, ConversationKey, Receipt, ToChannel};
use ractor::{Actor, ActorProcessingErr, ActorRef, DerivedActorRef, SpawnErr, SupervisionEvent};
use tokio::sync::oneshot;
use tokio::time::{Duration, timeout};
use tracing::{error, warn};

use crate::delivery::{Delivery, DeliveryMessage};
use crate::intake::{Intake, IntakeMessage, IntakeState};
use crate::models::ModelList;
use crate::services::Services;
use crate::supervisor::{ConversationSupervisor, SupervisorMessage, SupervisorState};

/// How long turns may take to end when the bot goes down.
const LONGEST_SHUTDOWN: Duration = Duration::from_secs(8);

/// How long a channel may take to acknowledge what was said last.
const LONGEST_DELIVERY: Duration = Duration::from_secs(2);

/// The actors of all conversations of one process.
pub struct Agent {
    intake: ActorRef<IntakeMessage>,
    delivery: ActorRef<DeliveryMessage>,
    supervisor: ActorRef<SupervisorMessage>,
    root: ActorRef<()>,
    failed: Option<oneshot::Receiver<String>>,
}

/// The actors cannot be started.
#[derive(Debug, thiserror::Error)]
#[error("the actors of the agent cannot be started")]
pub struct StartError(#[from] SpawnErr);

impl Agent {
    /// Starts the actors.
    ///
    /// # Errors
    ///
    /// When an actor cannot be spawned; none is left then.
    pub async fn start(services: Services) -> Result<Self, StartError> {
        let (tell_failed, failed) = oneshot::channel();
        let (root, _) = Actor::spawn(None, Root, tell_failed).await?;
        let started = Self::start_under(&root, Arc::new(services)).await;
        match started {
            Ok((delivery, supervisor, intake)) => Ok(Self { intake, delivery, supervisor, root, failed: Some(failed) }),
            Err(error) => {
                root.stop(None);
                Err(error.into())
            }
        }
    }

    async fn start_under(
        root: &ActorRef<()>,
        services: Arc<Services>,
    ) -> Result<(ActorRef<DeliveryMessage>, ActorRef<SupervisorMessage>, ActorRef<IntakeMessage>), SpawnErr> {
        let ledger = services.ledger.clone();
        let (delivery, _) = Actor::spawn_linked(None, Delivery, ledger.clone(), root.get_cell()).await?;
        let models = ModelList::spawn(services.models.clone(), root.get_cell()).await?;
        let state = SupervisorState {
            services,
            models,
            delivery: delivery.clone(),
            conversations: HashMap::new(),
            going_down: None,
            drains: false,
        };
        let (supervisor, _) = Actor::spawn_linked(None, ConversationSupervisor, state, root.get_cell()).await?;
        let state = IntakeState { ledger, supervisor: supervisor.clone(), delivery: delivery.clone(), closed: false };
        let (intake, _) = Actor::spawn_linked(None, Intake, state, root.get_cell()).await?;
        Ok((delivery, supervisor, intake))
    }

    /// Where an adapter hands in what arrived.
    #[must_use]
    pub fn intake(&self) -> DerivedActorRef<Arrival> {
        self.intake.get_derived()
    }

    /// Where an adapter tells what became of a delivery.
    #[must_use]
    pub fn delivery(&self) -> DerivedActorRef<Receipt> {
        self.delivery.get_derived()
    }

    /// From now on this adapter is spoken to about its channel; it takes the place of an earlier one.
    pub fn attach(&self, channel: ChannelName, adapter: DerivedActorRef<ToChannel>) {
        let _ = self.delivery.cast(DeliveryMessage::Attach { channel, adapter });
    }

    /// Takes up what an earlier process left open in this conversation.
    pub fn wake(&self, key: ConversationKey) {
        let _ = self.supervisor.cast(SupervisorMessage::Wake(key));
    }

    /// Resolves when an actor ended that must not; the process cannot go on then. Never resolves a second time.
    pub async fn failed(&mut self) -> String {
        let Some(failed) = self.failed.take() else { return std::future::pending().await };
        failed.await.unwrap_or_else(|_| "the root of the actors is gone".to_owned())
    }

    /// Waits until everything that was taken in is done, what an earlier process left among it.
    pub async fn drain(&self) {
        let (done, all_done) = oneshot::channel();
        let _ = self.supervisor.cast(SupervisorMessage::Drain { done });
        // An error means that the actors are gone: then there is nothing to wait for.
        let _ = all_done.await;
    }

    /// Ends all turns, waits until that is on disk, and stops the actors. With `cancel_waiting` a person asked for it: what
    /// waits is not wanted either; otherwise it stays in the inbox for the next start.
    pub async fn shut_down(self, cancel_waiting: bool) {
        let _ = self.intake.cast(IntakeMessage::Close);
        let (done, all_done) = oneshot::channel();
        let _ = self.supervisor.cast(SupervisorMessage::ShutDown { cancel_waiting, done });
        if timeout(LONGEST_SHUTDOWN, all_done).await.is_err() {
            warn!("turns did not end in time; they are taken up at the next start");
        }
        // What was said last is still on its way out, and whether it arrived has to be known: else it is said again.
        let (settled, all_settled) = oneshot::channel();
        let _ = self.delivery.cast(DeliveryMessage::TellWhenSettled(settled));
        let _ = timeout(LONGEST_DELIVERY, all_settled).await;
        let _ = self.delivery.drain_and_wait(Some(LONGEST_SHUTDOWN)).await;
        let _ = self.root.stop_and_wait(None, Some(LONGEST_SHUTDOWN)).await;
    }
}

struct Root;

impl Actor for Root {
    type Msg = ();
    type State = Option<oneshot::Sender<String>>;
    type Arguments = oneshot::Sender<String>;

    async fn pre_start(
        &self,
        _: ActorRef<()>,
        failed: oneshot::Sender<String>,
    ) -> Result<Self::State, ActorProcessingErr> {
        Ok(Some(failed))
    }

    async fn handle_supervisor_evt(
        &self,
        _: ActorRef<()>,
        event: SupervisionEvent,
        state: &mut Self::State,
    ) -> Result<(), ActorProcessingErr> {
        if let SupervisionEvent::ActorFailed(_, cause) = event {
            error!(error = %cause, "an actor failed that all others need");
            if let Some(failed) = state.take() {
                let _ = failed.send(cause.to_string());
            }
        }
        Ok(())
    }
}
