//! A turn under test. Every story checks on its way what holds for all turns: pairs are whole, messages only grow, there is one
//! end, and the record of the turn replays to the same effects.

use std::sync::Arc;

use chat::{
    Arguments, ArgumentsRefusal, Block, ErrorClass, Finish, History, InboxId, Language, Message, ModelError, Outcome,
    OutcomeKind, Progress, Reply, Role, ToolCall, ToolResult, View,
};
use serde_json::Value;

use crate::{Effect, Input, Journal, Limits, Shrink, Start, SteerMode, ToolFacts, Turn, VERSION, replay};

pub(super) struct Story {
    pub(super) turn: Turn,
    pub(super) journal: Journal,
    /// What the last event caused.
    pub(super) effects: Vec<Effect>,
    inbox: i64,
}

/// Tools `read` and `look` run side by side, `write` and `bash` alone; `write` needs a path and has advice.
pub(super) fn start() -> Start {
    let tool = |name: &str, parallel_safe| ToolFacts {
        name: name.into(),
        parallel_safe,
        after_turn: false,
        required: vec![],
        advice: None,
    };
    let write = ToolFacts {
        required: vec!["path".into()],
        advice: Some("Write the first part, then append.".into()),
        ..tool("write", false)
    };
    Start {
        version: VERSION,
        language: Language::English,
        limits: Limits::default(),
        tools: vec![tool("read", true), tool("look", true), write, tool("bash", false)],
        view: View::default(),
        message: Arc::new(Message::user("hello")),
        may_be_silent: false,
    }
}

/// A call with arguments in JSON.
pub(super) fn call(id: &str, name: &str, arguments: &str) -> ToolCall {
    let arguments: Value = serde_json::from_str(arguments).expect("arguments of a test are JSON");
    let arguments = Arguments::Object(arguments.as_object().expect("arguments of a test are an object").clone());
    ToolCall { id: id.into(), name: name.into(), arguments, provider: None }
}

/// A call whose arguments could not be used.
pub(super) fn refused_call(id: &str, name: &str, reason: ArgumentsRefusal) -> ToolCall {
    let arguments = Arguments::Refused { reason, detail: "at byte 7".into() };
    ToolCall { id: id.into(), name: name.into(), arguments, provider: None }
}

pub(super) fn text(text: &str) -> Reply {
    Reply { text: text.into(), finish: Some(Finish::Stop), ..Reply::default() }
}

impl Story {
    pub(super) fn new() -> Self {
        Self::with(|_| {})
    }

    /// A turn that starts a little differently.
    pub(super) fn with(change: impl FnOnce(&mut Start)) -> Self {
        let mut start = start();
        change(&mut start);
        let (turn, effects) = Turn::start(start.clone());
        Self { turn, journal: Journal::new(start, &effects), effects, inbox: 0 }
    }

    pub(super) fn on(&mut self, input: Input) -> Vec<String> {
        let before = self.turn.messages().to_vec();
        let was_finished = self.turn.is_finished();
        self.effects = self.turn.on(input.clone());
        self.journal.push(input, &self.effects);
        self.check(&before, was_finished);
        self.does()
    }

    /// What the last event caused, one line an effect.
    pub(super) fn does(&self) -> Vec<String> {
        self.effects.iter().map(line).collect()
    }

    pub(super) fn says(&mut self, said: &str) -> Vec<String> {
        self.replies(text(said))
    }

    pub(super) fn replies(&mut self, reply: Reply) -> Vec<String> {
        self.on(Input::ReplyReceived(reply))
    }

    pub(super) fn calls(&mut self, calls: impl IntoIterator<Item = ToolCall>) -> Vec<String> {
        let calls = calls.into_iter().collect();
        self.replies(Reply { calls, finish: Some(Finish::ToolCalls), ..Reply::default() })
    }

    pub(super) fn gives(&mut self, call: &str, content: &str) -> Vec<String> {
        self.on(Input::ToolFinished { call: call.into(), result: ToolResult::ok(content), ms: 5 })
    }

    pub(super) fn errs(&mut self, call: &str, content: &str) -> Vec<String> {
        self.on(Input::ToolFinished { call: call.into(), result: ToolResult::error(content), ms: 5 })
    }

    pub(super) fn fails(&mut self, class: ErrorClass) -> Vec<String> {
        self.fails_after("", class)
    }

    pub(super) fn fails_after(&mut self, partial: &str, class: ErrorClass) -> Vec<String> {
        self.on(Input::ModelFailed { error: ModelError::new(class, "cause"), partial: partial.into() })
    }

    pub(super) fn asks_for_a_pause(&mut self, class: ErrorClass, ms: u64) -> Vec<String> {
        let error = ModelError { retry_after_ms: Some(ms), ..ModelError::new(class, "cause") };
        self.on(Input::ModelFailed { error, partial: String::new() })
    }

    /// A message is added; they are numbered from 1.
    pub(super) fn steered(&mut self, text: &str, mode: SteerMode) -> Vec<String> {
        self.inbox += 1;
        self.on(Input::Steered { inbox: vec![InboxId(self.inbox)], text: text.into(), mode })
    }

    pub(super) fn stopped(&mut self, partial: &str) -> Vec<String> {
        self.on(Input::Cancelled { partial: partial.into(), goes_on: Vec::new() })
    }

    /// The person stops the turn, and these go on in the background.
    pub(super) fn stopped_while(&mut self, goes_on: &[&str]) -> Vec<String> {
        let goes_on = goes_on.iter().map(|job| (*job).to_owned()).collect();
        self.on(Input::Cancelled { partial: String::new(), goes_on })
    }

    pub(super) fn waited(&mut self) -> Vec<String> {
        self.on(Input::BackoffElapsed)
    }

    /// The model makes one call, and the tool gives this if it is run. The id is made anew each time by the machine.
    pub(super) fn round(&mut self, name: &str, arguments: &str, result: &ToolResult) -> Round {
        self.calls([call("c", name, arguments)]);
        let run = self.effects.iter().find_map(|effect| match effect {
            Effect::RunTools { calls, .. } => Some(calls[0].id.clone()),
            _ => None,
        });
        if let Some(id) = run {
            self.on(Input::ToolFinished { call: id, result: result.clone(), ms: 5 });
            return Round::Ran;
        }
        if self.turn.is_finished() { Round::Ended } else { Round::Refused }
    }

    /// The nudge of the request that was sent last.
    pub(super) fn nudge(&self) -> Option<&str> {
        self.effects.iter().find_map(|effect| match effect {
            Effect::CallModel { nudge, .. } => nudge.as_deref(),
            _ => None,
        })
    }

    /// The messages so far, one line each.
    pub(super) fn messages(&self) -> Vec<String> {
        self.turn.messages().iter().map(|message| written(message)).collect()
    }

    pub(super) fn last_message(&self) -> String {
        self.messages().pop().expect("a turn has the person's message")
    }

    pub(super) fn outcome(&self) -> &Outcome {
        self.turn.outcome().expect("the turn is over")
    }

    pub(super) fn consumed(&self) -> Vec<i64> {
        self.turn.consumed().iter().map(|id| id.0).collect()
    }

    fn check(&self, before: &[Arc<Message>], was_finished: bool) {
        assert!(!was_finished || self.effects.is_empty(), "after the end: {:?}", self.does());
        assert!(self.turn.messages().starts_with(before), "messages only grow");
        let finishes = self.effects.iter().filter(|effect| matches!(effect, Effect::Finish(_))).count();
        assert_eq!(finishes, usize::from(!was_finished && self.turn.is_finished()));
        check_messages(&self.turn);
        if finishes == 1 {
            self.check_replay();
        }
    }

    fn check_replay(&self) {
        let again = replay(&self.journal);
        assert_eq!(again.differs_at, None);
        assert_eq!(again.last_effects, self.effects);
        assert_eq!(again.turn.messages(), self.turn.messages());
    }
}

/// What the model's call in [`Story::round`] came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Round {
    Ran,
    Refused,
    Ended,
}

/// Messages are such that a history takes them, with an answer put behind a turn that still runs.
pub(super) fn check_messages(turn: &Turn) {
    let mut messages = turn.messages_for_history();
    if !turn.is_finished() {
        messages.push(Arc::new(Message::assistant("answer")));
    }
    History::default().extend(&messages).expect("the messages of a turn are whole");
}

fn line(effect: &Effect) -> String {
    match effect {
        Effect::CallModel { step, offer_tools, nudge, shrink, repair } => {
            let marks = [
                (!offer_tools, " without tools"),
                (*shrink == Shrink::Hard, " with less"),
                (*shrink == Shrink::Reset, " with this turn only"),
                (*repair, " repaired"),
                (nudge.is_some(), " nudged"),
            ];
            let marks: String = marks.into_iter().filter(|(on, _)| *on).map(|(_, mark)| mark).collect();
            format!("ask {step}{marks}")
        }
        Effect::AbortModel => "abort model".into(),
        Effect::RunTools { calls, together } => {
            let ids: Vec<&str> = calls.iter().map(|call| call.id.as_str()).collect();
            format!("run {}{}", ids.join(" "), if *together { " together" } else { "" })
        }
        Effect::AbortTools => "abort tools".into(),
        Effect::Wait { ms } => format!("wait {ms}"),
        Effect::Report(progress) => progress_line(progress),
        Effect::Finish(outcome) => outcome_line(outcome),
    }
}

fn progress_line(progress: &Progress) -> String {
    match progress {
        Progress::StepStarted { step } => format!("step {step}"),
        Progress::TextDelta { text, .. } => format!("show {text}"),
        Progress::TextReset { step } => format!("reset {step}"),
        Progress::ToolStarted { id, .. } => format!("{id} starts"),
        Progress::ToolFinished { id, is_error, .. } => format!("{id} {}", if *is_error { "failed" } else { "done" }),
        Progress::Notice { text } => format!("notice {text}"),
        other => panic!("the machine does not report {other:?}"),
    }
}

fn outcome_line(outcome: &Outcome) -> String {
    let kind = match outcome.kind {
        OutcomeKind::Answered => "answered".to_owned(),
        OutcomeKind::Stopped => "stopped".to_owned(),
        OutcomeKind::Silent => "silent".to_owned(),
        OutcomeKind::Failed => format!("failed {}", outcome.error.as_ref().map_or("", |error| error.class.as_str())),
    };
    format!("{kind}: {}", outcome.text)
}

fn written(message: &Message) -> String {
    let role = if message.role == Role::User { "user" } else { "assistant" };
    let blocks = message.blocks.iter().map(|block| match block {
        Block::Text { text, hidden: false } => text.clone(),
        Block::Text { text, hidden: true } => format!("({text})"),
        Block::Thinking { thinking, .. } => format!("<{thinking}>"),
        Block::Image { .. } => "image".to_owned(),
        Block::ToolUse { id, name, input, .. } => format!("{id}:{name}{input}"),
        Block::ToolResult { tool_use_id, content, is_error } => {
            format!("{tool_use_id}{}{content}", if *is_error { "!" } else { "=" })
        }
    });
    format!("{role}: {}", blocks.collect::<Vec<_>>().join(" | "))
}
