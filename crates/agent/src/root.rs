//! Starts the actors, and watches those that must not end.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use chat::{Arrival, ChannelName, ConversationKey, Receipt, ToChannel};
use ractor::{Actor, ActorCell, ActorProcessingErr, ActorRef, DerivedActorRef, SpawnErr, SupervisionEvent};
use tokio::sync::oneshot;
use tokio::time::{Duration, timeout};
use tracing::{error, warn};

use crate::control::Control;
use crate::delivery::{ChannelKind, Delivery, DeliveryMessage};
use crate::intake::{Intake, IntakeArguments, IntakeMessage};
use crate::keeper::{self, Adapter, Doors, Keeper, KeeperState};
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
    keepers: Vec<ActorCell>,
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
            Ok((delivery, supervisor, intake)) => {
                Ok(Self { intake, delivery, supervisor, root, failed: Some(failed), keepers: Vec::new() })
            }
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
        let settings = services.settings.clone();
        let state = SupervisorState {
            services,
            models,
            delivery: delivery.clone(),
            conversations: HashMap::new(),
            to_wake: Some(VecDeque::new()),
            going_down: None,
            drains: false,
            left_open: HashMap::new(),
        };
        let (supervisor, _) = Actor::spawn_linked(None, ConversationSupervisor, state, root.get_cell()).await?;
        let (to_supervisor, to_delivery) = (supervisor.clone(), delivery.clone());
        let arguments = IntakeArguments { ledger, supervisor: to_supervisor, delivery: to_delivery, settings };
        let (intake, _) = Actor::spawn_linked(None, Intake, arguments, root.get_cell()).await?;
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
        let _ = self.delivery.cast(DeliveryMessage::Attach {
            channel,
            adapter,
            kind: ChannelKind::Plain,
            then: Box::new(|| {}),
        });
    }

    /// From now on this adapter is spoken to about its chat service; it takes the place of an earlier one. What was left open there
    /// is taken up.
    pub fn attach_service(&self, channel: ChannelName, adapter: DerivedActorRef<ToChannel>) {
        self.attachment(channel)(adapter);
    }

    /// Runs an adapter of a chat service until the agent goes down. `spawn` starts one as a child of the actor that it is given; it
    /// is called again when one has ended.
    ///
    /// # Errors
    ///
    /// When the actor that keeps it running cannot be spawned.
    pub async fn keep<F, S, E>(&mut self, channel: ChannelName, spawn: S) -> Result<(), StartError>
    where
        S: Fn(Doors, ActorCell) -> F + Send + Sync + 'static,
        F: Future<Output = Result<Adapter, E>> + Send + 'static,
        E: std::fmt::Display + 'static,
    {
        let state = KeeperState {
            doors: Doors { intake: self.intake(), delivery: self.delivery() },
            attach: Box::new(self.attachment(channel.clone())),
            channel,
            spawn: keeper::boxed(spawn),
            running: None,
            ends: 0,
        };
        let (keeper, _) = Actor::spawn_linked(None, Keeper, state, self.root.get_cell()).await?;
        self.keepers.push(keeper.get_cell());
        Ok(())
    }

    /// What attaches an adapter to its channel, whenever there is one.
    fn attachment(&self, channel: ChannelName) -> impl Fn(DerivedActorRef<ToChannel>) + Send + Sync + use<> {
        let (delivery, supervisor) = (self.delivery.clone(), self.supervisor.clone());
        let _ = self.intake.cast(IntakeMessage::Expect(channel.clone()));
        move |adapter| {
            let (channel, kind) = (channel.clone(), ChannelKind::Service);
            let (supervisor, left) = (supervisor.clone(), channel.clone());
            // The adapter is to know of a turn's message before it hears of the turn again.
            let then = Box::new(move || _ = supervisor.cast(SupervisorMessage::WakeChannel(left)));
            let _ = delivery.cast(DeliveryMessage::Attach { channel, adapter, kind, then });
        }
    }

    /// A hand on it for whoever runs it.
    #[must_use]
    pub fn control(&self) -> Control {
        Control { intake: self.intake.clone(), supervisor: self.supervisor.clone() }
    }

    /// Takes up what an earlier process left open in this conversation.
    pub fn wake(&self, key: ConversationKey) {
        let _ = self.supervisor.cast(SupervisorMessage::Wake(key));
    }

    /// Takes up what an earlier process left open in any conversation, a few at a time. Their channels are to be attached before.
    pub fn wake_all(&self) {
        let _ = self.supervisor.cast(SupervisorMessage::WakeAll);
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

    /// Takes in no more messages: each is refused, and its person told.
    pub fn close(&self) {
        let _ = self.intake.cast(IntakeMessage::Close);
    }

    /// Ends all turns, waits until that is on disk, and stops the actors. With `cancel_waiting` a person asked for it: what
    /// waits is not wanted either; otherwise it stays in the inbox for the next start.
    pub async fn shut_down(self, cancel_waiting: bool) {
        self.close();
        let (done, all_done) = oneshot::channel();
        let _ = self.supervisor.cast(SupervisorMessage::ShutDown { cancel_waiting, done });
        if timeout(LONGEST_SHUTDOWN, all_done).await.is_err() {
            warn!("turns did not end in time; they are taken up at the next start");
        }
        // What was said last is still on its way out, and whether it arrived has to be known: else it is said again.
        let (settled, all_settled) = oneshot::channel();
        let _ = self.delivery.cast(DeliveryMessage::TellWhenSettled(settled));
        let _ = timeout(LONGEST_DELIVERY, all_settled).await;
        // Adapters go when nothing is left to be said.
        self.keepers.iter().for_each(|keeper| keeper.stop(None));
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
