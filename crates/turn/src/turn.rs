//! The machine itself: its states, and where each kind of news is dealt with.

mod calls;
mod endings;
mod failures;
mod replies;
mod resuming;

use std::sync::Arc;

use chat::{InboxId, Message, Outcome, OutgoingFile, Progress, Usage, View};

pub use self::endings::Interrupted;
pub use self::resuming::Pending;
use crate::breaker::Breaker;
use crate::request::{Remedies, Request};
use crate::steering::Steering;
use crate::step::{CallIds, OpenStep};
use crate::wording::for_model;
use crate::{Effect, Input, Shrink, Start, record};

/// One turn: all work for a person's message.
///
/// It says what to do, and is told what came of it. What does not fit the state it is in (a late result, a pause that nobody
/// waits for) is ignored, and after [`Effect::Finish`] everything is.
#[derive(Clone, Debug)]
pub struct Turn {
    start: Start,
    /// The person's message, then whole pairs; at the end the answer.
    messages: Vec<Arc<Message>>,
    state: State,
    request: Request,
    remedies: Remedies,
    /// How many model calls could ask for tools.
    offers: u32,
    /// What the present step has shown of its text.
    said: String,
    /// Whether the model was asked for an explicit answer.
    nudged_to_answer: bool,
    steering: Steering,
    breaker: Breaker,
    call_ids: CallIds,
    consumed: Vec<InboxId>,
    /// What tools gave to go out with the answer.
    files: Vec<OutgoingFile>,
    usage: Option<Usage>,
    /// Calls of which it is not known whether they took effect, as people are shown them.
    uncertain: Vec<String>,
}

/// What the turn waits for.
#[derive(Clone, Debug)]
enum State {
    /// A reply.
    Asking,
    /// The end of a pause, after which the model is asked again.
    Pausing { ms: u64 },
    /// Results of calls.
    Running(OpenStep),
    /// Nothing.
    Finished(Outcome),
}

impl Turn {
    /// Begins a turn.
    #[must_use]
    pub fn start(start: Start) -> (Self, Vec<Effect>) {
        let mut turn = Self {
            messages: vec![Arc::clone(&start.message)],
            start,
            state: State::Asking,
            request: Request::default(),
            remedies: Remedies::default(),
            offers: 0,
            said: String::new(),
            nudged_to_answer: false,
            steering: Steering::default(),
            breaker: Breaker::default(),
            call_ids: CallIds::default(),
            consumed: Vec::new(),
            files: Vec::new(),
            usage: None,
            uncertain: Vec::new(),
        };
        let effects = turn.next_step(None);
        (turn, effects)
    }

    /// Takes what happened, and says what to do.
    pub fn on(&mut self, input: Input) -> Vec<Effect> {
        match (&self.state, input) {
            (State::Finished(_), _) => Vec::new(),
            (_, Input::Cancelled { partial, goes_on }) => self.stop(partial, &goes_on),
            (_, Input::Steered { inbox, text, mode }) => {
                self.steering.accept(inbox, text, mode);
                Vec::new()
            }
            (State::Asking, Input::ReplyReceived(reply)) => self.take_reply(reply),
            (State::Asking, Input::ModelFailed { error, partial }) => self.model_failed(error, partial),
            (State::Running(_), Input::ToolFinished { call, result, ms }) => self.tool_finished(&call, result, ms),
            (State::Pausing { .. }, Input::BackoffElapsed) => self.ask_again(),
            (State::Running(_), Input::ToolStarted { call }) => self.tool_started(&call),
            (State::Running(_), Input::ToolInterrupted { call }) => self.tool_interrupted(&call),
            (_, Input::Resumed { version, limits, tools }) => self.go_on_afresh(version, limits, tools),
            _ => Vec::new(),
        }
    }

    /// The messages of this turn, those that stay as they are: the person's, then whole pairs, at the end the answer. While it
    /// runs, they are what the next request holds after the history; thinking in them is whole.
    #[must_use]
    pub fn messages(&self) -> &[Arc<Message>] {
        &self.messages
    }

    /// The messages in the form in which they are kept: whole turns once the turn is finished, with thinking cut short.
    #[must_use]
    pub fn messages_for_history(&self) -> Vec<Arc<Message>> {
        self.messages.iter().map(|message| record::for_history(message, self.start.language)).collect()
    }

    /// The messages that were added by [`Input::Steered`] and are in [`Turn::messages`].
    #[must_use]
    pub fn consumed(&self) -> &[InboxId] {
        &self.consumed
    }

    /// What of the history is sent, as it was at the start. After [`Shrink::Reset`] it is nothing, whatever this says: who holds
    /// the history goes on with [`View::after`] it.
    #[must_use]
    pub fn view(&self) -> &View {
        &self.start.view
    }

    /// How much smaller than usual the requests of this turn have to be.
    #[must_use]
    pub fn shrink(&self) -> Shrink {
        self.remedies.shrink
    }

    /// How many model calls there were; one that was repeated counts once.
    #[must_use]
    pub fn steps(&self) -> u32 {
        self.request.step
    }

    /// What the model calls cost so far, where a vendor told.
    #[must_use]
    pub fn usage(&self) -> Option<Usage> {
        self.usage
    }

    /// What the present step has shown of its text, as far as replies were whole.
    #[must_use]
    pub fn said(&self) -> &str {
        &self.said
    }

    /// Whether it is over.
    #[must_use]
    pub fn is_finished(&self) -> bool {
        matches!(self.state, State::Finished(_))
    }

    /// How it ended, once it has.
    #[must_use]
    pub fn outcome(&self) -> Option<&Outcome> {
        match &self.state {
            State::Finished(outcome) => Some(outcome),
            _ => None,
        }
    }

    /// Makes way for an input that another machine recorded here: what this one still waits for did not happen.
    pub(crate) fn make_way_for(&mut self, input: &Input) {
        match input {
            Input::ReplyReceived(_) | Input::ModelFailed { .. } => {
                self.close_interrupted();
                if !self.is_finished() {
                    self.state = State::Asking;
                }
            }
            _ => {}
        }
    }

    fn next_step(&mut self, nudge: Option<String>) -> Vec<Effect> {
        let offer_tools = self.may_offer_tools();
        self.request = Request {
            step: self.request.step.saturating_add(1),
            offer_tools,
            nudge: if offer_tools || self.offers == 0 { nudge } else { Some(for_model::nudge_summary(self.offers)) },
            retries: 0,
            asked_again_for_nothing: false,
        };
        self.offers = self.offers.saturating_add(u32::from(offer_tools));
        let mut effects = vec![Effect::Report(Progress::StepStarted { step: self.request.step })];
        effects.extend(self.ask_again());
        effects
    }

    /// Sends the request of the present step, for the first time or again.
    fn ask_again(&mut self) -> Vec<Effect> {
        self.state = State::Asking;
        vec![self.remedies.call(&self.request)]
    }

    fn may_offer_tools(&self) -> bool {
        self.offers < self.start.limits.max_steps
    }

    /// Whether the present request asks for a summary because no step with tools is left.
    fn is_summary(&self) -> bool {
        !self.request.offer_tools && self.offers > 0
    }

    fn consume_steering(&mut self) -> Vec<chat::Block> {
        let (blocks, inbox) = self.steering.take();
        self.consumed.extend(inbox);
        if !blocks.is_empty() {
            // What failed before may succeed after what the person wrote.
            self.breaker = Breaker::default();
        }
        blocks
    }

    /// What this step has said is void; `thought` tells whether thoughts were shown too.
    fn void_what_was_said(&mut self, thought: bool) -> Option<Effect> {
        let shown = thought || !self.said.is_empty();
        self.said.clear();
        shown.then(|| Effect::Report(Progress::TextReset { step: self.request.step }))
    }
}
