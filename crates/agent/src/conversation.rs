//! The actor of one conversation. What it decides is in [`dialogue`]; here decisions become messages, turns and writes.

mod after_turn;
mod answers;
mod dialogue;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use chat::{ConversationKey, History, InboxId, Progress, TurnError, TurnId, View};
use ractor::{Actor, ActorProcessingErr, ActorRef, SupervisionEvent};
use store::{Operation, WriteError, Written};
use tokio::task::JoinHandle;
use tokio::time::{Duration, sleep};
use tracing::{debug, error, warn};

use self::answers::Facts;
use self::dialogue::{Action, Dialogue, Event};
use crate::delivery::DeliveryMessage;
use crate::executor::{Executor, ExecutorArguments, ExecutorMessage, TurnReport};
use crate::incoming::Incoming;
use crate::models::ModelsMessage;
use crate::services::Services;
use crate::supervisor::SupervisorMessage;

/// The actor that serialises all that concerns one dialogue.
pub(crate) struct Conversation;

/// All that can change a conversation.
pub(crate) enum ConversationMessage {
    /// A message or command, safe in the inbox; `number` counts what the supervisor forwarded.
    Incoming { incoming: Incoming, number: u64 },
    /// The running turn tells something.
    TurnProgress { turn: TurnId, progress: Progress },
    /// The running turn took these messages in.
    TurnTook { turn: TurnId, inbox: Vec<InboxId> },
    /// A turn is over.
    TurnFinished(Box<TurnReport>),
    /// A turn's executor ended. A report that it sent before is ahead of this.
    ExecutorLost { turn: TurnId, reason: String },
    /// The turn is on disk as begun, or is not.
    Opened { turn: TurnId, written: Result<Written, WriteError> },
    /// What was written is on disk, or is not.
    Committed(Result<Written, WriteError>),
    /// Nothing happened for a while.
    IdleElapsed,
    /// The bot goes down.
    ShutDown { cancel_waiting: bool },
    /// The bot goes down once everything is done.
    Drain,
}

/// What a conversation starts with.
pub(crate) struct ConversationArguments {
    pub(crate) key: ConversationKey,
    pub(crate) services: Arc<Services>,
    pub(crate) models: ActorRef<ModelsMessage>,
    pub(crate) supervisor: ActorRef<SupervisorMessage>,
    pub(crate) delivery: ActorRef<DeliveryMessage>,
    pub(crate) history: History,
    pub(crate) view: View,
}

/// What it holds.
pub(crate) struct ConversationState {
    key: ConversationKey,
    dialogue: Dialogue,
    services: Arc<Services>,
    models: ActorRef<ModelsMessage>,
    supervisor: ActorRef<SupervisorMessage>,
    delivery: ActorRef<DeliveryMessage>,
    executor: Option<(TurnId, ActorRef<ExecutorMessage>)>,
    last_number: u64,
    idle_timer: Option<JoinHandle<()>>,
    going_down: bool,
}

impl Actor for Conversation {
    type Msg = ConversationMessage;
    type State = ConversationState;
    type Arguments = ConversationArguments;

    async fn pre_start(
        &self,
        _: ActorRef<Self::Msg>,
        arguments: ConversationArguments,
    ) -> Result<Self::State, ActorProcessingErr> {
        let ConversationArguments { key, services, models, supervisor, delivery, history, view } = arguments;
        let facts = Facts {
            model: services.models.first().map(|model| model.name().to_string()).unwrap_or_default(),
            rules: Arc::clone(&services.guard.rules),
            tools: services.tools.clone(),
            version: services.version,
            waiting_limit: services.settings.waiting,
        };
        let dialogue = Dialogue::new(key.clone(), history, view, Arc::new(facts));
        Ok(ConversationState {
            key,
            dialogue,
            services,
            models,
            supervisor,
            delivery,
            executor: None,
            last_number: 0,
            idle_timer: None,
            going_down: false,
        })
    }

    async fn handle(
        &self,
        myself: ActorRef<Self::Msg>,
        message: Self::Msg,
        state: &mut Self::State,
    ) -> Result<(), ActorProcessingErr> {
        let event = match message {
            ConversationMessage::Incoming { incoming, number } => state.numbered(incoming, number),
            ConversationMessage::TurnProgress { turn, progress } => Event::Progress { turn, progress },
            ConversationMessage::TurnTook { turn, inbox } => Event::Taken { turn, inbox },
            ConversationMessage::TurnFinished(report) => Event::Finished(report),
            ConversationMessage::ExecutorLost { turn, reason } => lost(turn, "executor", reason),
            ConversationMessage::Opened { turn, written } => match written {
                Ok(_) => return state.opened(turn),
                Err(error) => lost(turn, "storage", error.to_string()),
            },
            ConversationMessage::Committed(written) => {
                Event::Committed(written.map(drop).map_err(|error| error.to_string()))
            }
            ConversationMessage::IdleElapsed => return state.report_idle(),
            ConversationMessage::Drain => {
                state.going_down = true;
                return state.report_idle();
            }
            ConversationMessage::ShutDown { cancel_waiting } => {
                state.going_down = true;
                Event::ShutDown { cancel_waiting }
            }
        };
        state.react(event, &myself).await
    }

    async fn handle_supervisor_evt(
        &self,
        myself: ActorRef<Self::Msg>,
        event: SupervisionEvent,
        state: &mut Self::State,
    ) -> Result<(), ActorProcessingErr> {
        let (cell, reason) = match event {
            SupervisionEvent::ActorFailed(cell, error) => (cell, error.to_string()),
            SupervisionEvent::ActorTerminated(cell, _, reason) => (cell, reason.unwrap_or_default()),
            _ => return Ok(()),
        };
        // Supervision events overtake messages, so this goes to the end of the queue: a report that was sent comes first.
        if let Some((turn, executor)) = &state.executor
            && executor.get_id() == cell.get_id()
        {
            error!(key = %state.key, %turn, reason, "an executor ended before its turn");
            let _ = myself.cast(ConversationMessage::ExecutorLost { turn: *turn, reason });
        }
        Ok(())
    }
}

fn lost(turn: TurnId, class: &str, message: String) -> Event {
    Event::Lost { turn, error: TurnError { class: class.to_owned(), message } }
}

impl ConversationState {
    fn numbered(&mut self, incoming: Incoming, number: u64) -> Event {
        self.last_number = number;
        if let Some(timer) = self.idle_timer.take() {
            timer.abort();
        }
        Event::Incoming(incoming)
    }

    async fn react(&mut self, event: Event, myself: &ActorRef<ConversationMessage>) -> Result<(), ActorProcessingErr> {
        let actions = self.dialogue.on(event, &self.services.ledger);
        for action in actions {
            self.perform(action, myself).await?;
        }
        Ok(())
    }

    async fn perform(
        &mut self,
        action: Action,
        myself: &ActorRef<ConversationMessage>,
    ) -> Result<(), ActorProcessingErr> {
        match action {
            Action::Start { turn, incoming, history, view } => {
                self.start(turn, incoming, history, view, myself).await?;
            }
            Action::Offer { turn, inbox, text, mode } => {
                self.tell_executor(turn, ExecutorMessage::Steer { inbox, text, mode });
            }
            Action::Cancel { turn } => self.tell_executor(turn, ExecutorMessage::Cancel),
            Action::Release { turn } => self.release(turn),
            Action::Commit(finished) => self.write(Operation::FinishTurn(*finished), myself),
            Action::CommitView { view, ends } => {
                self.write(Operation::SetView { key: self.key.clone(), view, ends }, myself);
            }
            Action::End { inbox, end } => self.services.ledger.write(Operation::EndInbox { inbox, end }, |written| {
                if let Err(error) = written {
                    warn!(%error, "the end of a message is not on disk");
                }
            }),
            Action::Say(told) => _ = self.delivery.cast(DeliveryMessage::Say(told)),
            Action::Deliver(outbound) => _ = self.delivery.cast(DeliveryMessage::Deliver(outbound)),
            Action::Follow { turn, role } => after_turn::run(&self.services, &self.key, turn, role),
            Action::Idle => self.idle(myself),
        }
        Ok(())
    }

    async fn start(
        &mut self,
        turn: TurnId,
        incoming: Incoming,
        history: History,
        view: View,
        myself: &ActorRef<ConversationMessage>,
    ) -> Result<(), ActorProcessingErr> {
        let opened = myself.clone();
        let open = Operation::OpenTurn { turn, key: self.key.clone(), inbox: vec![incoming.inbox] };
        self.services.ledger.write(open, move |written| {
            let _ = opened.cast(ConversationMessage::Opened { turn, written });
        });
        let arguments = ExecutorArguments {
            turn,
            incoming,
            history,
            view,
            services: Arc::clone(&self.services),
            models: self.models.clone(),
            conversation: myself.clone(),
        };
        match Actor::spawn_linked(None, Executor, arguments, myself.get_cell()).await {
            Ok((executor, _)) => self.executor = Some((turn, executor)),
            Err(error) => {
                let reason = error.to_string();
                myself.cast(ConversationMessage::ExecutorLost { turn, reason })?;
            }
        }
        Ok(())
    }

    fn opened(&mut self, turn: TurnId) -> Result<(), ActorProcessingErr> {
        self.tell_executor(turn, ExecutorMessage::Opened);
        Ok(())
    }

    fn tell_executor(&self, turn: TurnId, message: ExecutorMessage) {
        if let Some((running, executor)) = &self.executor
            && *running == turn
            && executor.cast(message).is_err()
        {
            debug!(%turn, "the executor is gone already");
        }
    }

    fn release(&mut self, turn: TurnId) {
        if let Some((_, executor)) = self.executor.take_if(|(running, _)| *running == turn) {
            executor.stop(None);
        }
    }

    fn write(&self, operation: Operation, myself: &ActorRef<ConversationMessage>) {
        let myself = myself.clone();
        self.services.ledger.write(operation, move |written| {
            let _ = myself.cast(ConversationMessage::Committed(written));
        });
    }

    fn idle(&mut self, myself: &ActorRef<ConversationMessage>) {
        if self.going_down {
            let _ = self.report_idle();
            return;
        }
        let myself = myself.clone();
        let pause = Duration::from_secs(self.services.settings.idle_s);
        let timer = tokio::spawn(async move {
            sleep(pause).await;
            let _ = myself.cast(ConversationMessage::IdleElapsed);
        });
        if let Some(earlier) = self.idle_timer.replace(timer) {
            earlier.abort();
        }
    }

    fn report_idle(&self) -> Result<(), ActorProcessingErr> {
        if self.dialogue.is_idle() {
            let last = self.last_number;
            let _ = self.supervisor.cast(SupervisorMessage::Idle { key: self.key.clone(), last });
        }
        Ok(())
    }
}
