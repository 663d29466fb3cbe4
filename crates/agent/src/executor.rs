//! The actor that runs one turn and then is gone: it performs the effects of the `turn` machine and reports.
//!
//! One step is one message: a model's stream and tools run in tasks that report by message, so a direction or a stop is taken in
//! between. Nothing is shown and no tool runs before the turn is on disk as begun; the first model call does not wait for that.

mod deltas;
mod model;
mod redaction;
mod request;
mod resume;
mod tools;

use std::collections::{HashSet, VecDeque};
use std::sync::Arc;

use chat::{ConversationKey, History, InboxId, Language, Message, Outcome, Progress, ToolResult, TurnId, View};
use ractor::{Actor, ActorProcessingErr, ActorRef, SupervisionEvent};
use store::InboxEnd;
use tokio::task::AbortHandle;
use tokio::time::{Duration, sleep};
use tracing::debug;
use turn::{Effect, Input, Shrink, SteerMode, Turn};

use self::deltas::Deltas;
use self::model::ModelCall;
use self::request::{Call, Offer};
pub(crate) use self::resume::Resume;
use self::tools::RunningTools;
use crate::conversation::ConversationMessage;
use crate::incoming::Incoming;
use crate::models::{Chosen, ModelList};
use crate::recording::Recorder;
use crate::services::Services;

/// How long a finished turn waits for its tools to be gone.
const LONGEST_WIND_DOWN: Duration = Duration::from_secs(5);

/// The actor of one turn.
pub(crate) struct Executor;

/// What can happen to it.
pub(crate) enum ExecutorMessage {
    /// The turn is on disk as begun.
    Opened,
    /// The model to ask.
    ModelChosen { call: u64, chosen: Chosen },
    /// A failure is known to all; whether another model is to be asked at once.
    ModelFailureNoted { call: u64, another: bool },
    /// The model said something, all that came at once; `call` tells which of the turn's requests it belongs to.
    Model { call: u64, events: Vec<llm::ReplyEvent> },
    /// The model's task ended without an end of its stream.
    ModelLost { call: u64, reason: String },
    /// That a call starts is on disk, or is not.
    CallRecorded { call: String, is_recorded: bool },
    /// A tool's output so far.
    ToolProgress { call: String, text: String },
    /// A tool ended.
    ToolDone { call: String, result: ToolResult, ms: u64 },
    /// The pause is over.
    BackoffElapsed { pause: u64 },
    /// Collected deltas are due.
    DeltasDue,
    /// The person wrote again.
    Steer { inbox: InboxId, text: String, mode: SteerMode },
    /// The turn is to end.
    Cancel,
    /// The tools had their time to end.
    WindDownElapsed,
}

/// What a turn starts with.
pub(crate) struct ExecutorArguments {
    pub(crate) turn: TurnId,
    pub(crate) incoming: Incoming,
    pub(crate) history: History,
    pub(crate) view: View,
    /// Where it was begun before.
    pub(crate) resume: Option<Resume>,
    pub(crate) services: Arc<Services>,
    pub(crate) models: ModelList,
    pub(crate) conversation: ActorRef<ConversationMessage>,
}

/// How a turn went: what its conversation takes over.
#[derive(Debug)]
pub(crate) struct TurnReport {
    pub(crate) turn: TurnId,
    pub(crate) outcome: Outcome,
    /// Whole turns to append to the history.
    pub(crate) messages: Vec<Arc<Message>>,
    pub(crate) view: View,
    /// The offered messages that are in it.
    pub(crate) consumed: Vec<InboxId>,
    /// How its message ends, where that does not follow from the outcome.
    pub(crate) end: Option<InboxEnd>,
}

/// What it holds while the turn runs.
pub(crate) struct ExecutorState {
    id: TurnId,
    key: ConversationKey,
    turn: Turn,
    offer: Offer,
    history: History,
    conversation: ActorRef<ConversationMessage>,
    myself: ActorRef<ExecutorMessage>,
    services: Arc<Services>,
    models: ModelList,
    language: Language,
    model: Option<ModelCall>,
    tools: RunningTools,
    deltas: Deltas,
    pause: Option<(u64, AbortHandle)>,
    counter: u64,
    consumed: usize,
    recorder: Recorder,
    /// Messages that were added in an earlier attempt: they may be offered again.
    added_before: HashSet<InboxId>,
    /// Until the turn is on disk as begun: what waits for that.
    held: Option<VecDeque<Effect>>,
    finished: Option<Outcome>,
}

impl Actor for Executor {
    type Msg = ExecutorMessage;
    type State = ExecutorState;
    type Arguments = ExecutorArguments;

    async fn pre_start(
        &self,
        myself: ActorRef<Self::Msg>,
        arguments: ExecutorArguments,
    ) -> Result<Self::State, ActorProcessingErr> {
        let ExecutorArguments { turn: id, incoming, history, view, resume, services, models, conversation } = arguments;
        let offer = Offer::new(&services, &incoming.inbound.person);
        let mut recorder =
            Recorder::new(services.ledger.clone(), id).from(resume.as_ref().map_or(0, |it| it.next_event));
        let resumed = resume.as_ref().and_then(Resume::replay);
        let (turn, begun) = match &resumed {
            Some(replayed) => (replayed.turn.clone(), Vec::new()),
            None => {
                let view = offer.fit(&services, models.outlook(), &incoming, &history, &view);
                let start = offer.start(&services, &incoming, view);
                let (turn, effects) = Turn::start(start.clone());
                recorder.started(&start, &effects);
                (turn, effects)
            }
        };
        let message = incoming.inbound.text.clone();
        let deltas = Deltas::new(services.guard.secrets.clone());
        let mut state = ExecutorState {
            id,
            key: incoming.inbound.key.clone(),
            turn,
            offer,
            history,
            conversation,
            myself,
            services,
            models,
            language: incoming.language(),
            model: None,
            tools: RunningTools::default(),
            deltas,
            pause: None,
            counter: 0,
            consumed: 0,
            recorder,
            added_before: resumed.as_ref().map(|replayed| replayed.added.clone()).unwrap_or_default(),
            held: Some(VecDeque::from([Effect::Report(Progress::TurnStarted { message })])),
            finished: None,
        };
        state.perform_all(begun);
        if let Some(resume) = resume {
            state.resume(&resume, resumed.map(|replayed| replayed.is_faithful));
        }
        Ok(state)
    }

    async fn handle(
        &self,
        _: ActorRef<Self::Msg>,
        message: Self::Msg,
        state: &mut Self::State,
    ) -> Result<(), ActorProcessingErr> {
        match message {
            ExecutorMessage::Opened => state.opened(),
            ExecutorMessage::ModelChosen { call, chosen } => state.ask(call, chosen),
            ExecutorMessage::ModelFailureNoted { call, another } => state.failure_noted(call, another),
            ExecutorMessage::Model { call, events } => {
                events.into_iter().for_each(|event| state.model_said(call, event));
            }
            ExecutorMessage::ModelLost { call, reason } => state.model_lost(call, reason),
            ExecutorMessage::CallRecorded { call, is_recorded } => state.call_recorded(&call, is_recorded),
            ExecutorMessage::ToolProgress { call, text } => state.tool_progressed(call, text),
            ExecutorMessage::ToolDone { call, result, ms } => state.tool_done(call, result, ms),
            ExecutorMessage::BackoffElapsed { pause } => state.backoff_elapsed(pause),
            ExecutorMessage::DeltasDue => state.flush_deltas(),
            ExecutorMessage::Steer { inbox, .. } if state.added_before.contains(&inbox) => {}
            ExecutorMessage::Steer { inbox, text, mode } => {
                state.input(Input::Steered { inbox: vec![inbox], text, mode });
            }
            ExecutorMessage::Cancel => {
                let goes_on = state.jobs_that_run().await;
                let partial = state.model.as_ref().map(|model| model.text().to_owned()).unwrap_or_default();
                state.input(Input::Cancelled { partial, goes_on });
            }
            ExecutorMessage::WindDownElapsed => state.tools.give_up(),
        }
        state.report_if_done();
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

impl ExecutorState {
    fn input(&mut self, input: Input) {
        let effects = self.recorder.input(&mut self.turn, input);
        self.tell_consumed();
        self.perform_all(effects);
    }

    fn perform_all(&mut self, effects: Vec<Effect>) {
        for effect in effects {
            match (&effect, &mut self.held) {
                (Effect::Report(_) | Effect::RunTools { .. } | Effect::Finish(_) | Effect::Wait { .. }, Some(held)) => {
                    held.push_back(effect)
                }
                _ => self.perform(effect),
            }
        }
    }

    fn perform(&mut self, effect: Effect) {
        match effect {
            Effect::CallModel { step, offer_tools, nudge, shrink, repair } => {
                let call = Call { offer_tools, nudge, shrink, repair };
                let request = self.offer.request(&self.turn, &self.history, call);
                self.call_model(request, step);
            }
            Effect::AbortModel => {
                self.model = None;
                self.finish_deltas();
            }
            Effect::RunTools { calls, .. } => calls.into_iter().for_each(|call| self.run_tool(call)),
            Effect::AbortTools => {
                self.tools.cancel();
                self.after(LONGEST_WIND_DOWN, ExecutorMessage::WindDownElapsed);
            }
            Effect::Wait { ms } if ms > self.services.settings.suspend_after_s.saturating_mul(1_000) => {
                // What goes on after that is another executor; until the conversation knows, this one listens for a stop.
                self.tell(ConversationMessage::TurnSuspends { turn: self.id, ms });
            }
            Effect::Wait { ms } => self.pause(ms),
            Effect::Report(progress) => self.report(progress),
            Effect::Finish(outcome) => self.finished = Some(redaction::outcome(&self.services.guard.secrets, outcome)),
        }
    }

    fn opened(&mut self) {
        for effect in self.held.take().unwrap_or_default() {
            self.perform(effect);
        }
        self.flush_deltas();
    }

    fn pause(&mut self, ms: u64) {
        self.counter += 1;
        let pause = self.counter;
        let timer = self.after(Duration::from_millis(ms), ExecutorMessage::BackoffElapsed { pause });
        self.pause = Some((pause, timer));
    }

    fn backoff_elapsed(&mut self, pause: u64) {
        if self.pause.take_if(|(waited, _)| *waited == pause).is_some() {
            self.input(Input::BackoffElapsed);
        }
    }

    fn after(&self, pause: Duration, message: ExecutorMessage) -> AbortHandle {
        let myself = self.myself.clone();
        let timer = tokio::spawn(async move {
            sleep(pause).await;
            let _ = myself.cast(message);
        });
        timer.abort_handle()
    }

    fn tell_consumed(&mut self) {
        let consumed = self.turn.consumed();
        if consumed.len() > self.consumed {
            let inbox = consumed[self.consumed..].to_vec();
            self.consumed = consumed.len();
            self.tell(ConversationMessage::TurnTook { turn: self.id, inbox });
        }
    }

    fn report(&mut self, progress: Progress) {
        match (&progress, &self.model) {
            (Progress::TextReset { .. }, _) => self.deltas.discard(),
            // Nothing comes that could make a secret of what is held back.
            (_, None) => self.deltas.finish(),
            (_, Some(_)) => {}
        }
        self.flush_deltas();
        let progress = redaction::progress(&self.services.guard.secrets, progress);
        self.tell(ConversationMessage::TurnProgress { turn: self.id, progress });
    }

    fn flush_deltas(&mut self) {
        if self.held.is_some() {
            return;
        }
        for progress in self.deltas.take() {
            self.tell(ConversationMessage::TurnProgress { turn: self.id, progress });
        }
    }

    /// A turn is told to be over when nothing of it runs any more.
    fn report_if_done(&mut self) {
        if !self.tools.are_gone() {
            return;
        }
        let Some(outcome) = self.finished.take() else { return };
        self.flush_deltas();
        let report = TurnReport {
            turn: self.id,
            outcome,
            messages: self.turn.messages_for_history(),
            view: self.view(),
            consumed: self.turn.consumed().to_vec(),
            end: None,
        };
        self.tell(ConversationMessage::TurnFinished(Box::new(report)));
    }

    /// What of the history is sent from now on: nothing of it once even the present turn alone was hard to send.
    fn view(&self) -> View {
        match self.turn.shrink() {
            Shrink::Reset => View::after(&self.history),
            Shrink::Hard => self.turn.view().shrink_hard(&self.history),
            Shrink::None => self.turn.view().clone(),
        }
    }

    fn tell(&self, message: ConversationMessage) {
        if self.conversation.cast(message).is_err() {
            debug!(turn = %self.id, "the conversation is gone");
        }
    }
}
