//! Finds, loads or spawns the conversation of a key. Two actors for one key never exist.

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Arc;

use chat::{ChannelName, ConversationKey, InboxId, MessageId, Press, ToChannel, TurnId};
use ractor::{Actor, ActorCell, ActorProcessingErr, ActorRef, SupervisionEvent};
use tokio::sync::oneshot;
use tokio::time::{Duration, sleep};
use tracing::{error, info};

use crate::conversation::{Conversation, ConversationArguments, ConversationMessage};
use crate::delivery::DeliveryMessage;
use crate::incoming::Incoming;
use crate::models::ModelList;
use crate::recovery::{self, Loaded};
use crate::services::Services;
use crate::wording;

/// How long a word waits for a conversation that is being read.
const PAUSE: Duration = Duration::from_millis(20);

/// How many conversations are read at once after a start.
const WOKEN_AT_ONCE: usize = 8;

/// The actor that knows which conversations are in memory.
pub(crate) struct ConversationSupervisor;

/// What can happen to it.
#[expect(clippy::large_enum_variant, reason = "a mailbox boxes its messages")]
pub(crate) enum SupervisorMessage {
    /// A message for a conversation.
    Incoming(Incoming),
    /// A channel can be spoken to about this conversation: what an earlier process left open is taken up.
    Wake(ConversationKey),
    /// Something that only matters to a conversation in memory.
    Tell { key: ConversationKey, word: Word },
    /// A chat goes on under another id.
    ChatMoved { from: ConversationKey, chat: String },
    /// Somebody wants to know which conversations are in memory.
    Known(oneshot::Sender<Vec<ConversationKey>>),
    /// A chat service is there, perhaps anew: what an earlier process left open on it is taken up.
    WakeChannel(ChannelName),
    /// All channels can be spoken to: the same for all conversations.
    WakeAll,
    /// These conversations have something open.
    HaveOpenWork(Result<Vec<ConversationKey>, String>),
    /// A conversation is in memory, or cannot be.
    Loaded { key: ConversationKey, loaded: Result<Box<Loaded>, String> },
    /// A conversation has had nothing to do since this message.
    Idle { key: ConversationKey, last: u64 },
    /// All turns are to end; told when they have.
    ShutDown { cancel_waiting: bool, done: oneshot::Sender<()> },
    /// Told when everything that was taken in is done.
    Drain { done: oneshot::Sender<()> },
}

/// What is said about a message or a turn from outside the order of messages.
#[derive(Debug)]
pub(crate) enum Word {
    /// A message was taken back.
    Deleted(MessageId),
    /// The Stop button of a turn was pressed.
    Pressed { turn: TurnId, press: Box<Press> },
    /// Whoever runs the bot wants what runs to end; told whether something ran.
    Stop(oneshot::Sender<bool>),
}

/// What it knows.
pub(crate) struct SupervisorState {
    pub(crate) services: Arc<Services>,
    pub(crate) models: ModelList,
    pub(crate) delivery: ActorRef<DeliveryMessage>,
    pub(crate) conversations: HashMap<ConversationKey, Entry>,
    /// Conversations that are to be read when those before them have been; nothing until it is known which.
    pub(crate) to_wake: Option<VecDeque<ConversationKey>>,
    pub(crate) going_down: Option<oneshot::Sender<()>>,
    /// Whether conversations leave as soon as they have nothing to do.
    pub(crate) drains: bool,
    /// What an earlier process left open, by the channel that is waited for. It is found out before anything new comes in.
    pub(crate) left_open: HashMap<ChannelName, Vec<ConversationKey>>,
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
        mut state: SupervisorState,
    ) -> Result<Self::State, ActorProcessingErr> {
        for key in recovery::with_open_work(&state.services.ledger).await? {
            state.left_open.entry(key.channel.clone()).or_default().push(key);
        }
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
            SupervisorMessage::Tell { key, word } => state.tell(key, word, &myself),
            SupervisorMessage::ChatMoved { from, chat } => state.chat_moved(&from, &chat, &myself),
            SupervisorMessage::Known(tell) => _ = tell.send(state.conversations.keys().cloned().collect()),
            SupervisorMessage::WakeChannel(channel) => state.wake_channel(&channel, &myself),
            SupervisorMessage::WakeAll => state.wake_all(&myself),
            SupervisorMessage::HaveOpenWork(found) => state.have_open_work(found, &myself),
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

    fn tell(&mut self, key: ConversationKey, word: Word, myself: &ActorRef<SupervisorMessage>) {
        match (self.conversations.get(&key), word) {
            (Some(Entry::Active { actor, .. }), word) => _ = actor.cast(ConversationMessage::Word(word)),
            (Some(Entry::Loading(_)), word) => {
                let myself = myself.clone();
                tokio::spawn(async move {
                    sleep(PAUSE).await;
                    let _ = myself.cast(SupervisorMessage::Tell { key, word });
                });
            }
            // Nothing runs or waits in a conversation that is not in memory.
            (_, Word::Pressed { press, .. }) => {
                let text = Some(wording::already_finished(press.person.language));
                let told = ToChannel::PressAnswered { key: press.key, id: press.id, text };
                let _ = self.delivery.cast(DeliveryMessage::Say(told));
            }
            (_, Word::Stop(tell)) => _ = tell.send(false),
            (_, Word::Deleted(_)) => {}
        }
    }

    /// The conversations of a chat go on under its new id; those in memory stay the same actors.
    fn chat_moved(&mut self, from: &ConversationKey, chat: &str, myself: &ActorRef<SupervisorMessage>) {
        let is_there =
            |key: &&ConversationKey| (&key.channel, &key.bot, &key.chat) == (&from.channel, &from.bot, &from.chat);
        let old: Vec<ConversationKey> = self.conversations.keys().filter(is_there).cloned().collect();
        for old in old {
            let key = ConversationKey { chat: chat.to_owned(), ..old.clone() };
            let Some(mut entry) = self.conversations.remove(&old) else { continue };
            let waiting = match &mut entry {
                Entry::Loading(waiting) | Entry::Stopping { waiting, .. } => waiting.as_mut_slice(),
                Entry::Active { actor, .. } => {
                    let _ = actor.cast(ConversationMessage::Renamed(key.clone()));
                    &mut []
                }
            };
            waiting.iter_mut().for_each(|incoming| incoming.inbound.key = key.clone());
            match entry {
                Entry::Loading(waiting) => self.load(key, waiting, myself),
                entry => _ = self.conversations.insert(key, entry),
            }
        }
    }

    /// Takes up what an earlier process left open on a channel, a few conversations at a time.
    fn wake_channel(&mut self, channel: &ChannelName, myself: &ActorRef<SupervisorMessage>) {
        let left = self.left_open.remove(channel).unwrap_or_default();
        self.to_wake.get_or_insert_default().extend(left);
        for _ in 0..WOKEN_AT_ONCE {
            self.wake_next(myself);
        }
    }

    fn wake_all(&mut self, myself: &ActorRef<SupervisorMessage>) {
        self.to_wake = None;
        let (services, myself) = (Arc::clone(&self.services), myself.clone());
        tokio::spawn(async move {
            let found = recovery::with_open_work(&services.ledger).await;
            let _ = myself.cast(SupervisorMessage::HaveOpenWork(found));
        });
    }

    fn have_open_work(&mut self, found: Result<Vec<ConversationKey>, String>, myself: &ActorRef<SupervisorMessage>) {
        match found {
            _ if self.going_down.is_some() && !self.drains => self.to_wake = Some(VecDeque::new()),
            Ok(keys) => self.to_wake = Some(keys.into()),
            Err(error) => {
                error!(
                    error,
                    "what an earlier process left open cannot be read; it is taken up with the next messages"
                );
                self.to_wake = Some(VecDeque::new());
            }
        }
        for _ in 0..WOKEN_AT_ONCE {
            self.wake_next(myself);
        }
        self.tell_if_down();
    }

    /// Reads the next conversation that is to be woken, if it is not in memory anyway.
    fn wake_next(&mut self, myself: &ActorRef<SupervisorMessage>) {
        while let Some(key) = self.to_wake.as_mut().and_then(VecDeque::pop_front) {
            if !self.conversations.contains_key(&key) {
                return self.load(key, Vec::new(), myself);
            }
        }
    }

    fn load(&mut self, key: ConversationKey, waiting: Vec<Incoming>, myself: &ActorRef<SupervisorMessage>) {
        self.conversations.insert(key.clone(), Entry::Loading(waiting));
        let services = Arc::clone(&self.services);
        let myself = myself.clone();
        tokio::spawn(async move {
            let loaded = recovery::load(services, key.clone()).await;
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
        self.wake_next(myself);
        self.tell_if_down();
    }

    async fn start(
        &mut self,
        key: &ConversationKey,
        loaded: Loaded,
        came: Vec<Incoming>,
        myself: &ActorRef<SupervisorMessage>,
    ) -> Result<(), String> {
        let Loaded { history, view, open, waiting, undelivered } = loaded;
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
        let known = open.iter().flat_map(|left| left.added.iter().chain([&left.incoming])).chain(&waiting);
        let mut found: HashSet<InboxId> = known.map(|incoming| incoming.inbox).collect();
        for left in open {
            let _ = actor.cast(ConversationMessage::LeftOpen(Box::new(left)));
        }
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
        self.to_wake = Some(VecDeque::new());
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
            && self.to_wake.as_ref().is_some_and(VecDeque::is_empty)
            && let Some(done) = self.going_down.take()
        {
            // Who asked may have stopped waiting.
            let _ = done.send(());
        }
    }
}
