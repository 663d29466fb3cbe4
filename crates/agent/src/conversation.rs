//! The actor of one conversation. What it decides is in [`dialogue`]; here decisions become messages, turns and writes.

mod after_turn;
mod answers;
mod dialogue;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use chat::{ConversationKey, History, InboxId, Progress, TurnError, TurnId, View};
use jiff::Timestamp;
use ractor::{Actor, ActorProcessingErr, ActorRef, SupervisionEvent};
use store::{Operation, SuspendedFor, WriteError, Written, test_point};
use tokio::task::JoinHandle;
use tokio::time::{Duration, sleep};
use tracing::{debug, error, warn};

use self::answers::Facts;
use self::dialogue::{Action, Again, Dialogue, Event, Unsaved};
use crate::delivery::DeliveryMessage;
use crate::executor::{Executor, ExecutorArguments, ExecutorMessage, Resume, TurnReport};
use crate::incoming::Incoming;
use crate::models::ModelList;
use crate::recovery::{self, Journal, LeftOpen};
use crate::services::Services;
use crate::supervisor::{SupervisorMessage, Word};

/// The actor that serialises all that concerns one dialogue.
pub(crate) struct Conversation;

/// All that can change a conversation.
#[expect(clippy::large_enum_variant, reason = "a mailbox boxes its messages")]
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
    ExecutorLost { turn: TurnId },
    /// The turn is on disk as begun, or is not.
    Opened { turn: TurnId, written: Result<Written, WriteError> },
    /// An earlier process or actor left a turn open; comes before all that waits.
    LeftOpen(Box<LeftOpen>),
    /// The running turn waits for so long that its executor is not needed meanwhile.
    TurnSuspends { turn: TurnId, ms: u64 },
    /// The pause of a suspended turn is over.
    Woken { turn: TurnId },
    /// What was written is on disk, or is not.
    Committed(Result<Written, WriteError>),
    /// Something was said from outside the order of messages.
    Word(Word),
    /// Its chat goes on under another id.
    Renamed(ConversationKey),
    /// Nothing happened for a while.
    IdleElapsed,
    /// The bot goes down.
    ShutDown { cancel_waiting: bool },
    /// The bot goes down once everything is done.
    Drain,
}

/// A turn that begins, for the first time or again.
struct Begin {
    turn: TurnId,
    incoming: Incoming,
    history: History,
    view: View,
    again: Option<Again>,
}

/// What a conversation starts with.
pub(crate) struct ConversationArguments {
    pub(crate) key: ConversationKey,
    pub(crate) services: Arc<Services>,
    pub(crate) models: ModelList,
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
    models: ModelList,
    supervisor: ActorRef<SupervisorMessage>,
    delivery: ActorRef<DeliveryMessage>,
    executor: Option<(TurnId, ActorRef<ExecutorMessage>)>,
    last_number: u64,
    idle_timer: Option<JoinHandle<()>>,
    wake_timer: Option<JoinHandle<()>>,
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
            settings: services.settings.clone(),
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
            wake_timer: None,
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
            ConversationMessage::ExecutorLost { turn } => Event::Died { turn },
            ConversationMessage::LeftOpen(left) => Event::LeftOpen(left),
            ConversationMessage::TurnSuspends { turn, ms } => Event::Suspends { turn, ms },
            ConversationMessage::Woken { turn } => Event::Woken { turn },
            ConversationMessage::Opened { turn, written } => match written {
                Ok(_) => return state.opened(turn),
                Err(error) => {
                    let error = TurnError { class: "storage".to_owned(), message: error.to_string() };
                    Event::Lost { turn, error }
                }
            },
            ConversationMessage::Committed(written) => {
                Event::Committed(written.map(drop).map_err(|error| Unsaved::from(&error)))
            }
            ConversationMessage::Word(word) => Event::Word(word),
            ConversationMessage::Renamed(key) => {
                state.key = key.clone();
                Event::Renamed(key)
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
            let _ = myself.cast(ConversationMessage::ExecutorLost { turn: *turn });
        }
        Ok(())
    }
}

impl From<&WriteError> for Unsaved {
    fn from(error: &WriteError) -> Self {
        Self { error: error.to_string(), is_disk_full: error.is_disk_full() }
    }
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
            Action::Start { turn, incoming, history, view, again } => {
                self.start(Begin { turn, incoming, history, view, again }, myself).await?;
            }
            Action::Suspend { turn, pause, reason } => self.suspend(turn, pause, reason, myself),
            Action::Stop { turn, by } => {
                let stop = Operation::StopTurn { turn, by };
                self.services.ledger.write(stop, |written| {
                    if let Err(error) = written {
                        warn!(%error, "that a turn is to end is not on disk");
                    }
                });
            }
            Action::Close { without_record, reason } => self.close(*without_record, reason, myself),
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
            Action::Replace { inbox, inbound, joined } => {
                self.services.ledger.write(Operation::Replace { inbox, inbound, joined }, |written| {
                    if let Err(error) = written {
                        warn!(%error, "an edit is not on disk");
                    }
                });
            }
            Action::Say(told) => _ = self.delivery.cast(DeliveryMessage::Say(told)),
            Action::Deliver(outbound) => _ = self.delivery.cast(DeliveryMessage::Deliver(outbound)),
            Action::Follow { turn, role } => after_turn::run(&self.services, &self.key, turn, role),
            Action::Idle => self.idle(myself),
        }
        Ok(())
    }

    async fn start(&mut self, begin: Begin, myself: &ActorRef<ConversationMessage>) -> Result<(), ActorProcessingErr> {
        let Begin { turn, incoming, history, view, again } = begin;
        if let Some(timer) = self.wake_timer.take() {
            timer.abort();
        }
        let resume = match again {
            Some(again) => Some(self.resume(turn, again).await?),
            None => None,
        };
        let opened = myself.clone();
        let open = Operation::OpenTurn { turn, key: self.key.clone(), inbox: vec![incoming.inbox] };
        self.services.ledger.write(open, move |written| {
            test_point("turn_opened");
            let _ = opened.cast(ConversationMessage::Opened { turn, written });
        });
        let arguments = ExecutorArguments {
            turn,
            incoming,
            history,
            view,
            resume,
            services: Arc::clone(&self.services),
            models: self.models.clone(),
            conversation: myself.clone(),
        };
        match Actor::spawn_linked(None, Executor, arguments, myself.get_cell()).await {
            Ok((executor, _)) => self.executor = Some((turn, executor)),
            Err(error) => {
                error!(key = %self.key, %turn, %error, "an executor did not start");
                myself.cast(ConversationMessage::ExecutorLost { turn })?;
            }
        }
        Ok(())
    }

    /// What a turn goes on from. Where that cannot be read the conversation cannot go on either: it is read again.
    async fn resume(&self, turn: TurnId, again: Again) -> Result<Resume, ActorProcessingErr> {
        let Journal { events, next } = recovery::journal(&self.services.ledger, &self.key, turn).await?;
        let Again { stop, has_waited, is_new_here } = again;
        Ok(Resume { events, next_event: next, stop, has_waited, is_new_here })
    }

    fn suspend(
        &mut self,
        turn: TurnId,
        pause: Duration,
        reason: Option<SuspendedFor>,
        myself: &ActorRef<ConversationMessage>,
    ) {
        if let Some(reason) = reason {
            let pause = i64::try_from(pause.as_millis()).unwrap_or(i64::MAX);
            let wakes_at = Timestamp::now().as_millisecond().saturating_add(pause);
            self.services.ledger.write(Operation::Suspend { turn, wakes_at, reason }, move |written| match written {
                Ok(_) => test_point("suspended"),
                Err(error) => warn!(%turn, %error, "that a turn waits is not on disk"),
            });
        }
        let myself = myself.clone();
        let timer = tokio::spawn(async move {
            sleep(pause).await;
            let _ = myself.cast(ConversationMessage::Woken { turn });
        });
        if let Some(earlier) = self.wake_timer.replace(timer) {
            earlier.abort();
        }
    }

    fn close(&self, without_record: TurnReport, reason: TurnError, myself: &ActorRef<ConversationMessage>) {
        error!(key = %self.key, turn = %without_record.turn, %reason.message, "a turn is given up");
        let (ledger, key, myself) = (self.services.ledger.clone(), self.key.clone(), myself.clone());
        tokio::spawn(async move {
            let report = match recovery::journal(&ledger, &key, without_record.turn).await {
                Ok(journal) => recovery::close(journal, reason, without_record).await,
                Err(_) => without_record,
            };
            let _ = myself.cast(ConversationMessage::TurnFinished(Box::new(report)));
        });
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
            test_point("final_committed");
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
