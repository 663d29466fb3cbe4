//! Drives a turn of twenty steps through the machine, each with a tool call and its result, behind as many earlier messages as the
//! argument says, for the guard of instruction counts. As with a real turn, the history is fitted to a budget at its start, the
//! messages of each request are put together, and what each input caused is hashed for the record. It is done twenty times, so that
//! making the history is a small part of what is counted.

use std::sync::Arc;

use chat::{
    Arguments, Budget, Finish, History, Language, Message, OutcomeKind, Reply, ToolCall, ToolResult, Usage, View,
};
use serde_json::{Map, json};
use turn::{Effect, Input, Limits, Start, ToolFacts, Turn, VERSION, effects_hash};

const STEPS: usize = 20;

fn main() {
    let messages = std::env::args().nth(1).and_then(|argument| argument.parse().ok()).expect("a number of messages");
    let history = history(messages);

    let sent: Vec<usize> = (0..20).map(|_| play(&history)).collect();

    let of_all_requests = (STEPS + 1) * (messages + 1) + STEPS * (STEPS + 1);
    assert!(sent.iter().all(|sent| *sent == of_all_requests), "{sent:?} messages, not {of_all_requests}");
}

/// Plays one turn, and tells how many messages its requests had, all together.
fn play(history: &History) -> usize {
    let budget = Budget { tokens: 1_000_000, turns: 1_000 };
    let mut table = Table { history, sent: 0, hashes: 0 };
    let (mut turn, effects) = Turn::start(start(View::default().fit(history, budget)));
    table.perform(&turn, &effects);
    for step in 1..=STEPS {
        table.feed(&mut turn, Input::ReplyReceived(asks(step)));
        table.feed(&mut turn, Input::ToolFinished { call: id(step), result: result(), ms: 12 });
    }
    table.feed(&mut turn, Input::ReplyReceived(answer()));
    assert_eq!(turn.outcome().map(|outcome| outcome.kind), Some(OutcomeKind::Answered));
    assert_eq!(turn.messages_for_history().len(), 2 * STEPS + 2);
    assert_ne!(table.hashes, 0, "the hashes are made for the record");
    table.sent
}

/// Stands where the executor does.
struct Table<'a> {
    history: &'a History,
    sent: usize,
    hashes: u64,
}

impl Table<'_> {
    fn feed(&mut self, turn: &mut Turn, input: Input) {
        let effects = turn.on(input);
        self.perform(turn, &effects);
    }

    fn perform(&mut self, turn: &Turn, effects: &[Effect]) {
        self.hashes ^= effects_hash(effects);
        if effects.iter().any(|effect| matches!(effect, Effect::CallModel { .. })) {
            let earlier = turn.view().of(self.history).into_iter();
            self.sent += earlier.chain(turn.messages().iter().cloned()).collect::<Vec<_>>().len();
        }
    }
}

fn start(view: View) -> Start {
    let tool = |name: &str| ToolFacts {
        name: name.to_owned(),
        parallel_safe: name == "look",
        after_turn: false,
        required: vec!["path".to_owned()],
        advice: None,
    };
    Start {
        version: VERSION,
        language: Language::English,
        limits: Limits::default(),
        tools: ["list", "look", "change", "run"].map(tool).to_vec(),
        view,
        message: Arc::new(Message::user("look through all of these files, and tell what is in them")),
        may_be_silent: false,
    }
}

fn id(step: usize) -> String {
    format!("call_{step}")
}

/// A reply that thinks, says something, and asks for a file; each time for another one, so that it does not go round in circles.
fn asks(step: usize) -> Reply {
    let path = json!(format!("notes/chapter-{step}.md"));
    let arguments = Arguments::Object(Map::from_iter([("path".to_owned(), path)]));
    let call = ToolCall { id: id(step), name: "look".to_owned(), arguments, provider: None };
    Reply {
        text: "Let me look at the next one.".to_owned(),
        calls: vec![call],
        finish: Some(Finish::ToolCalls),
        usage: Some(Usage { input: 3_000, cached: 2_500, output: 60 }),
        ..Reply::default()
    }
}

fn result() -> ToolResult {
    ToolResult::ok("A line of text as files have it, and another one.\n".repeat(40))
}

fn answer() -> Reply {
    let text = "They hold the chapters of a book about the sea. ".repeat(8);
    Reply { text, finish: Some(Finish::Stop), ..Reply::default() }
}

/// Earlier turns without tools.
fn history(messages: usize) -> History {
    let turn = [
        Message::user("what is in this folder, and how large is it? "),
        Message::assistant("It holds a README and two folders, \"src\" and \"tests\"; 12 kB in all.\n"),
    ];
    let messages = turn.into_iter().cycle().take(messages).map(Arc::new).collect();
    History::from_messages(messages).expect("they are whole turns")
}
