//! What holds for any sequence of inputs.

use std::sync::Arc;

use chat::{
    Arguments, ArgumentsRefusal, ErrorClass, Finish, InboxId, Language, Message, ModelError, Progress, Provider, Reply,
    ToolCall, ToolResult, Usage, View, reply::Reasoning,
};
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::json;

use super::story::{check_messages, start};
use crate::{Effect, Input, Interrupted, Journal, Limits, Start, SteerMode, Turn, VERSION, replay};

fn starts() -> impl Strategy<Value = Start> {
    let limits = (1u32..6, 0u32..3, prop_oneof![Just(0u32), Just(60), Just(u32::MAX)], select(vec![1usize, 5, 50_000]));
    (limits, any::<bool>(), any::<bool>(), any::<bool>()).prop_map(|(limits, no_tools, may_be_silent, chinese)| {
        let (max_steps, retries, longest_pause_s, tool_result_chars) = limits;
        Start {
            version: VERSION,
            language: if chinese { Language::Chinese } else { Language::English },
            limits: Limits { max_steps, retries, longest_pause_s, tool_result_chars },
            tools: if no_tools { Vec::new() } else { start().tools },
            view: View::default(),
            message: Arc::new(Message::user("hello")),
            may_be_silent,
        }
    })
}

fn texts() -> impl Strategy<Value = String> {
    select(vec!["", "", " \n", "text", "思考", "[The person stopped the work here.]"]).prop_map(str::to_owned)
}

fn ids() -> impl Strategy<Value = String> {
    select(vec!["", "a", "b", "a-2", "a-3", "call", "call-2"]).prop_map(str::to_owned)
}

fn arguments() -> impl Strategy<Value = Arguments> {
    let objects = select(vec![json!({}), json!({"path": "x"}), json!({"n": 0.1, "m": [u64::MAX, -1, null]})]);
    let refused = |reason| Arguments::Refused { reason, detail: "at byte 7".into() };
    prop_oneof![
        4 => objects.prop_map(|object| Arguments::Object(object.as_object().cloned().unwrap_or_default())),
        1 => Just(refused(ArgumentsRefusal::Truncated)),
        1 => Just(refused(ArgumentsRefusal::Invalid)),
    ]
}

fn calls() -> impl Strategy<Value = ToolCall> {
    let names = select(vec!["read", "look", "write", "bash", "nothing", ""]);
    (ids(), names, arguments()).prop_map(|(id, name, arguments)| ToolCall {
        id,
        name: name.into(),
        arguments,
        provider: None,
    })
}

fn replies() -> impl Strategy<Value = Reply> {
    let provider = Some(Provider { vendor: "v".into(), model: "m".into(), data: json!(1) });
    let thought = (texts(), any::<bool>())
        .prop_map(move |(text, signed)| Reasoning { text, provider: provider.clone().filter(|_| signed) });
    let finish = select(vec![
        None,
        Some(Finish::Stop),
        Some(Finish::ToolCalls),
        Some(Finish::Length),
        Some(Finish::ContentFilter),
    ]);
    let usage = select(vec![None, Some(Usage { input: u64::MAX, cached: 1, output: u64::MAX })]);
    let parts = (texts(), prop::collection::vec(thought, 0..2), prop::collection::vec(calls(), 0..5), finish, usage);
    parts.prop_map(|(text, reasoning, calls, finish, usage)| Reply { text, reasoning, calls, finish, usage })
}

fn errors() -> impl Strategy<Value = ModelError> {
    use ErrorClass::*;
    let classes = vec![Network, Empty, RateLimited, Overflow, MalformedHistory, Truncated, Auth, ContentFilter];
    let pauses = select(vec![None, None, Some(0), Some(50_000), Some(u64::MAX)]);
    (select(classes), texts(), pauses).prop_map(|(class, message, retry_after_ms)| ModelError {
        class,
        message,
        retry_after_ms,
    })
}

fn results() -> impl Strategy<Value = ToolResult> {
    let content = prop_oneof![4 => texts(), 1 => Just("é".repeat(2_000))];
    (content, any::<bool>()).prop_map(|(content, is_error)| ToolResult { content, is_error, ..ToolResult::default() })
}

/// What happens next. The first half of them fits what the turn waits for, so that stories get somewhere.
#[derive(Clone, Debug)]
enum Event {
    Reply(Reply),
    Failure(ModelError, String),
    /// The result of the call with this place among those that run.
    Result(usize, ToolResult),
    Stray(Input),
    /// It is on record that the call with this place started.
    Started(usize),
    /// The program ended while the call with this place ran.
    Interrupted(usize),
    /// Another machine goes on with it.
    Resumed(Limits),
}

fn events() -> impl Strategy<Value = Event> {
    let steered = (texts(), any::<bool>(), 0i64..100).prop_map(|(text, now, inbox)| Input::Steered {
        inbox: vec![InboxId(inbox)],
        text,
        mode: if now { SteerMode::Now } else { SteerMode::Add },
    });
    let finished = (ids(), results()).prop_map(|(call, result)| Input::ToolFinished { call, result, ms: u64::MAX });
    prop_oneof![
        6 => replies().prop_map(Event::Reply),
        3 => (errors(), texts()).prop_map(|(error, partial)| Event::Failure(error, partial)),
        8 => (0usize..4, results()).prop_map(|(place, result)| Event::Result(place, result)),
        4 => Just(Event::Stray(Input::BackoffElapsed)),
        2 => steered.prop_map(Event::Stray),
        1 => finished.prop_map(Event::Stray),
        1 => (0usize..4).prop_map(Event::Started),
        1 => (0usize..4).prop_map(Event::Interrupted),
        1 => (1u32..6).prop_map(|max_steps| Event::Resumed(Limits { max_steps, ..Limits::default() })),
    ]
}

/// A turn and what is known of it from outside.
struct Watched {
    turn: Turn,
    journal: Journal,
    effects: Vec<Effect>,
    running: Vec<String>,
    asks: bool,
    model_calls: u32,
    finishes: u32,
}

impl Watched {
    fn new(start: Start) -> Self {
        let (turn, effects) = Turn::start(start.clone());
        let journal = Journal::new(start, &effects);
        let mut watched =
            Self { turn, journal, effects, running: Vec::new(), asks: false, model_calls: 0, finishes: 0 };
        watched.note();
        watched
    }

    fn happens(&mut self, event: Event) {
        let input = match event {
            Event::Reply(reply) => Input::ReplyReceived(reply),
            Event::Failure(error, partial) => Input::ModelFailed { error, partial },
            Event::Stray(input) => input,
            Event::Result(place, result) if !self.running.is_empty() => {
                let call = self.running.remove(place % self.running.len());
                Input::ToolFinished { call, result, ms: 1 }
            }
            Event::Started(place) if !self.running.is_empty() => {
                Input::ToolStarted { call: self.running[place % self.running.len()].clone() }
            }
            Event::Interrupted(place) if !self.running.is_empty() => {
                Input::ToolInterrupted { call: self.running.remove(place % self.running.len()) }
            }
            Event::Resumed(limits) => {
                self.running.clear();
                Input::Resumed { version: VERSION, limits, tools: start().tools }
            }
            Event::Result(..) | Event::Started(_) | Event::Interrupted(_) => Input::BackoffElapsed,
        };
        self.takes(input);
    }

    fn takes(&mut self, input: Input) {
        let before = self.turn.messages().to_vec();
        if let Input::ToolFinished { call, .. } = &input {
            self.running.retain(|running| running != call);
        }
        self.effects = self.turn.on(input.clone());
        self.journal.push(input, &self.effects);
        self.note();
        assert!(self.turn.messages().starts_with(&before), "messages only grow");
        check_messages(&self.turn);
    }

    fn note(&mut self) {
        for effect in &self.effects {
            match effect {
                Effect::CallModel { .. } => {
                    self.model_calls += 1;
                    self.asks = true;
                }
                Effect::Wait { .. } | Effect::AbortModel => self.asks = false,
                Effect::RunTools { calls, together } => {
                    assert!(self.running.is_empty() && *together == (calls.len() > 1) && !calls.is_empty());
                    self.asks = false;
                    self.running.extend(calls.iter().map(|call| call.id.clone()));
                }
                Effect::Finish(_) => {
                    self.asks = false;
                    self.finishes += 1;
                }
                _ => {}
            }
        }
    }
}

/// What a display holds of the present step.
fn follow(shown: &mut String, effects: &[Effect]) {
    for effect in effects {
        match effect {
            Effect::Report(Progress::StepStarted { .. } | Progress::TextReset { .. }) => shown.clear(),
            Effect::Report(Progress::TextDelta { text, .. }) => {
                assert!(!text.is_empty(), "a piece of text says something");
                shown.push_str(text);
            }
            _ => {}
        }
    }
}

proptest! {
    #[test]
    fn any_turn_keeps_its_pairs_and_its_bounds(start in starts(), events in prop::collection::vec(events(), 0..80), end in 0..3) {
        let limits = start.limits.clone();
        let mut watched = Watched::new(start);
        // A resumption is no step of the turn's own.
        for event in events.into_iter().filter(|event| !matches!(event, Event::Resumed(_))) {
            watched.happens(event);
        }
        match end {
            0 => watched.takes(Input::Cancelled { partial: "so far".into(), goes_on: Vec::new() }),
            1 => _ = watched.turn.clone().close(Interrupted { reason: "fault".into() }),
            _ => {}
        }

        prop_assert_eq!(watched.finishes, u32::from(watched.turn.is_finished()));
        prop_assert!(watched.model_calls <= (limits.max_steps + 1) * (limits.retries + 2) + 3);
        prop_assert!(watched.turn.steps() <= limits.max_steps + 1);
    }

    #[test]
    fn any_turn_replays_to_the_same_effects(start in starts(), events in prop::collection::vec(events(), 0..80)) {
        let mut watched = Watched::new(start);
        for event in events {
            watched.happens(event);
        }
        let written = serde_json::to_string(&watched.journal).unwrap();

        let again = replay(&serde_json::from_str(&written).unwrap());

        prop_assert_eq!(again.differs_at, None);
        prop_assert_eq!(again.last_effects, watched.effects);
        prop_assert_eq!(again.turn.messages(), watched.turn.messages());
        prop_assert_eq!(again.turn.consumed(), watched.turn.consumed());
    }

    /// A record of another machine, or a damaged one: it leads wherever it can, and the messages stay whole.
    #[test]
    fn any_record_can_be_replayed(start in starts(), events in prop::collection::vec(events(), 0..40), lost in 0usize..40) {
        let mut watched = Watched::new(start);
        for event in events {
            watched.happens(event);
        }
        let mut journal = watched.journal;
        journal.first ^= 1;
        if lost < journal.inputs.len() {
            journal.inputs.remove(lost);
        }

        let mut again = replay(&journal);

        prop_assert_eq!(again.differs_at, Some(0));
        check_messages(&again.turn);
        again.turn.close(Interrupted { reason: "fault".into() });
        check_messages(&again.turn);
    }

    /// What a step shows, from its last reset on, joins to what the person is told at the end.
    #[test]
    fn what_is_shown_joins_to_the_outcome(start in starts(), events in prop::collection::vec(events(), 0..80), partial in texts()) {
        let mut watched = Watched::new(start);
        let mut shown = String::new();
        for event in events {
            if let (Event::Reply(Reply { text, .. }) | Event::Failure(_, text), true) = (&event, watched.asks) {
                shown.push_str(text);
            }
            watched.happens(event);
            follow(&mut shown, &watched.effects);
        }
        if !watched.turn.is_finished() {
            if watched.asks {
                shown.push_str(&partial);
            }
            watched.takes(Input::Cancelled { partial, goes_on: Vec::new() });
            follow(&mut shown, &watched.effects);
        }

        prop_assert_eq!(&shown, &watched.turn.outcome().expect("it was stopped").text);
    }
}
