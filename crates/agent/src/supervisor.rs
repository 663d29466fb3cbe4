//! Finds, loads or spawns the conversation of a key. Two actors for one key never exist.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use chat::{ConversationKey, InboxId};
use ractor::{Actor, ActorCell, ActorProcessingErr, ActorRef, SupervisionEvent};
use tokio::sync::oneshot;
use tracing::{error, info};

use crate::conversation::{Conversation, ConversationArguments, ConversationMessage};
use crate::delivery::DeliveryMessage;
use crate::incoming::Incoming;
use crate::models::ModelList;
use crate::recovery::{self, Loaded};
use crate::services::Services;

/// The actor that knows which conversations are in memory.
pub(crate) struct ConversationSupervisor;

/// What can happen to it.
pub(crate) enum SupervisorMessage {
    /// A message for a conversation.
    Incoming(Incoming),
    /// A channel can be spoken to about this conversation: what an earlier process left open is taken up.
    Wake(ConversationKey),
    /// A conversation is in memory, or cannot be.
    Loaded { key: ConversationKey, loaded: Result<Box<Loaded>, String> },
    /// A conversation has had nothing to do since this message.
    Idle { key: ConversationKey, last: u64 },
    /// All turns are to end; told when they have.
    ShutDown { cancel_waiting: bool, done: oneshot::Sender<()> },
    /// Told when everything that was taken in is done.
    Drain { done: oneshot::Sender<()> },
}

/// What it knows.
pub(crate) struct SupervisorState {
    pub(crate) services: Arc<Services>,
    pub(crate) models: ModelList,
    pub(crate) delivery: ActorRef<DeliveryMessage>,
    pub(crate) conversations: HashMap<ConversationKey, Entry>,
    pub(crate) going_down: Option<oneshot::Sender<()>>,
    /// Whether conversations leave as soon as they have nothing to do.
    pub(crate) drains: bool,
}

/// Where a conversation is.
pub(crate) enum Entry {
    /// It is being read; what came meanwhile.
    Loading(Vec<Incoming>),
    /// It is in memory.
    Active {
        actor: ActorRef<ConversationMessage>,
        forwarded: u64,
        /// What was found in the inbox when it was read and may still be on its way here from intake.
        found: HashSet<InboxId>,
    },
    /// It is being stopped; what came meanwhile.
    Stopping { actor: ActorCell, waiting: Vec<Incoming> },
}

impl Actor for ConversationSupervisor {
    type Msg = SupervisorMessage;
    type State = SupervisorState;
    type Arguments = SupervisorState;

    async fn pre_start(
        &self,
        _: ActorRef<Self::Msg>,
        state: SupervisorState,
    ) -> Result<Self::State, ActorProcessingErr> {
        Ok(state)
    }

    async fn handle(
        &self,
        myself: ActorRef<Self::Msg>,
        message: Self::Msg,
        state: &mut Self::State,
    ) -> Result<(), ActorProcessingErr> {
        match message {
            SupervisorMessage::Incoming(incoming) => state.forward(incoming, &myself),
            SupervisorMessage::Wake(key) => state.wake(key, &myself),
            SupervisorMessage::Loaded { key, loaded } => state.loaded(key, loaded, &myself).await,
            SupervisorMessage::Idle { key, last } => state.idle(&key, last),
            SupervisorMessage::ShutDown { cancel_waiting, done } => state.shut_down(cancel_waiting, done),
            SupervisorMessage::Drain { done } => state.drain(done),
        }
        Ok(())
    }

    async fn handle_supervisor_evt(
        &self,
        myself: ActorRef<Self::Msg>,
        event: SupervisionEvent,
        state: &mut Self::State,
    ) -> Result<(), ActorProcessingErr> {
        match event {
            SupervisionEvent::ActorFailed(cell, cause) => {
                error!(error = %cause, "a conversation failed; it is read again");
                state.ended(&cell, true, &myself);
            }
            SupervisionEvent::ActorTerminated(cell, ..) => state.ended(&cell, false, &myself),
            _ => {}
        }
        Ok(())
    }
}

impl SupervisorState {
    fn forward(&mut self, incoming: Incoming, myself: &ActorRef<SupervisorMessage>) {
        let key = incoming.inbound.key.clone();
        match self.conversations.get_mut(&key) {
            Some(Entry::Loading(waiting) | Entry::Stopping { waiting, .. }) => waiting.push(incoming),
            Some(Entry::Active { actor, forwarded, found }) => {
                if found.remove(&incoming.inbox) {
                    return;
                }
                *forwarded += 1;
                // A conversation that just failed is read again, and with it what is still open in the inbox.
                let _ = actor.cast(ConversationMessage::Incoming { incoming, number: *forwarded });
            }
            None => self.load(key, vec![incoming], myself),
        }
    }

    fn wake(&mut self, key: ConversationKey, myself: &ActorRef<SupervisorMessage>) {
        if !self.conversations.contains_key(&key) {
            self.load(key, Vec::new(), myself);
        }
    }

    fn load(&mut self, key: ConversationKey, waiting: Vec<Incoming>, myself: &ActorRef<SupervisorMessage>) {
        self.conversations.insert(key.clone(), Entry::Loading(waiting));
        let ledger = self.services.ledger.clone();
        let myself = myself.clone();
        tokio::spawn(async move {
            let loaded = recovery::load(ledger, key.clone()).await;
            let _ = myself.cast(SupervisorMessage::Loaded { key, loaded });
        });
    }

    async fn loaded(
        &mut self,
        key: ConversationKey,
        loaded: Result<Box<Loaded>, String>,
        myself: &ActorRef<SupervisorMessage>,
    ) {
        let Some(Entry::Loading(came)) = self.conversations.remove(&key) else { return };
        let started = match loaded {
            Ok(loaded) => self.start(&key, *loaded, came, myself).await,
            Err(error) => Err(error),
        };
        if let Err(error) = started {
            // What waits is safe in the inbox; the next message for the key tries again.
            error!(%key, error, "a conversation cannot be read");
        }
        self.tell_if_down();
    }

    async fn start(
        &mut self,
        key: &ConversationKey,
        loaded: Loaded,
        came: Vec<Incoming>,
        myself: &ActorRef<SupervisorMessage>,
    ) -> Result<(), String> {
        let Loaded { history, view, waiting, undelivered } = loaded;
        let arguments = ConversationArguments {
            key: key.clone(),
            services: Arc::clone(&self.services),
            models: self.models.clone(),
            supervisor: myself.clone(),
            delivery: self.delivery.clone(),
            history,
            view,
        };
        let spawned = Actor::spawn_linked(None, Conversation, arguments, myself.get_cell()).await;
        let (actor, _) = spawned.map_err(|error| error.to_string())?;
        let _ = self.delivery.cast(DeliveryMessage::Resend(undelivered));
        let mut found: HashSet<InboxId> = waiting.iter().map(|incoming| incoming.inbox).collect();
        let came: Vec<Incoming> = came.into_iter().filter(|incoming| !found.remove(&incoming.inbox)).collect();
        let mut forwarded = 0;
        for incoming in waiting.into_iter().chain(came) {
            forwarded += 1;
            let _ = actor.cast(ConversationMessage::Incoming { incoming, number: forwarded });
        }
        if self.drains {
            let _ = actor.cast(ConversationMessage::Drain);
        }
        self.conversations.insert(key.clone(), Entry::Active { actor, forwarded, found });
        Ok(())
    }

    fn idle(&mut self, key: &ConversationKey, last: u64) {
        let Some(entry) = self.conversations.get_mut(key) else { return };
        let Entry::Active { actor, forwarded, .. } = entry else { return };
        if *forwarded != last {
            return;
        }
        actor.stop(None);
        *entry = Entry::Stopping { actor: actor.get_cell(), waiting: Vec::new() };
    }

    fn ended(&mut self, cell: &ActorCell, failed: bool, myself: &ActorRef<SupervisorMessage>) {
        let is_it = |entry: &Entry| match entry {
            Entry::Active { actor, .. } => actor.get_id() == cell.get_id(),
            Entry::Stopping { actor, .. } => actor.get_id() == cell.get_id(),
            Entry::Loading(_) => false,
        };
        let Some(key) = self.conversations.iter().find(|(_, entry)| is_it(entry)).map(|(key, _)| key.clone()) else {
            return;
        };
        let waiting = match self.conversations.remove(&key) {
            Some(Entry::Stopping { waiting, .. }) => waiting,
            _ => Vec::new(),
        };
        if (self.going_down.is_none() || self.drains) && (failed || !waiting.is_empty()) {
            self.load(key, waiting, myself);
        }
        self.tell_if_down();
    }

    fn shut_down(&mut self, cancel_waiting: bool, done: oneshot::Sender<()>) {
        info!(conversations = self.conversations.len(), "going down");
        self.going_down = Some(done);
        self.drains = false;
        self.conversations.retain(|_, entry| !matches!(entry, Entry::Loading(_)));
        for entry in self.conversations.values() {
            if let Entry::Active { actor, .. } = entry {
                let _ = actor.cast(ConversationMessage::ShutDown { cancel_waiting });
            }
        }
        self.tell_if_down();
    }

    fn drain(&mut self, done: oneshot::Sender<()>) {
        self.going_down = Some(done);
        self.drains = true;
        for entry in self.conversations.values() {
            if let Entry::Active { actor, .. } = entry {
                let _ = actor.cast(ConversationMessage::Drain);
            }
        }
        self.tell_if_down();
    }

    fn tell_if_down(&mut self) {
        if self.conversations.is_empty()
            && let Some(done) = self.going_down.take()
        {
            // Who asked may have stopped waiting.
            let _ = done.send(());
        }
    }
}
