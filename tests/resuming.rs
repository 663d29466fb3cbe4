//! Turns that die inside, wait without an executor, or are taken up by the next process.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use chat::{
    Arguments, DeliveryId, ErrorClass, Language, Message, ModelError, Outbound, OutboundBody, Outcome, OutcomeKind,
    Progress, Reply, Role, ToolCall, TurnId, View, WhenBusy,
};
use serde_json::{Map, json};
use store::{Answered, FinishedTurn, InboxEnd, Ledger, Operation, StoredEvent, WriterMode, Written};
use tempfile::TempDir;
use testkit::{FakeModel, ProbeTool, Step};
use tokio::time::Instant;
use turn::{Input, Limits, Start, ToolFacts, VERSION};

use crate::support::{Bot, conversation, message};

/// A pause so long that a turn leaves memory for it.
fn busy() -> Step {
    Step::error(ModelError { retry_after_ms: Some(90_000), ..ModelError::new(ErrorClass::RateLimited, "busy") })
}

/// Waits until the turn of the conversation `main` is suspended.
async fn suspended(bot: &mut Bot) {
    bot.sees(|progress| matches!(progress, Progress::Notice { .. })).await;
    bot.settles().await;
    let left = bot.ledger().left_open(&conversation("main")).expect("the ledger can be read");
    assert!(left.turns[0].suspended.is_some(), "{left:?}");
}

/// A model whose client panics this many times, then answers.
fn panicking(times: usize) -> Arc<FakeModel> {
    let (model, asked) = (Arc::new(FakeModel::script([])), AtomicUsize::new(0));
    model.respond_with(move |_| {
        assert!(asked.fetch_add(1, Ordering::Relaxed) >= times, "the client is broken");
        Step::text("here I am")
    });
    model
}

#[tokio::test(start_paused = true)]
async fn a_turn_that_dies_inside_is_tried_again_after_one_second_and_after_ten() {
    for (deaths, pause) in [(1, 1), (2, 11)] {
        let model = panicking(deaths);
        let mut bot = Bot::with(model.model()).start().await;
        let started = Instant::now();
        bot.says("are you there?");

        bot.hears("here I am").await;

        let waited = started.elapsed();
        assert!(waited >= Duration::from_secs(pause) && waited < Duration::from_secs(pause + 1), "{waited:?}");
        bot.ends().await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_long_pause_keeps_its_place_and_messages_wait_behind_it() {
    let model = FakeModel::script([busy(), Step::text("first answer"), Step::text("second answer")]);
    let mut bot = Bot::with(model.model()).start().await;
    let started = Instant::now();
    bot.says("first");
    suspended(&mut bot).await;

    bot.says("/status");
    assert!(bot.hears_answer().await.contains("paused"));
    bot.says("second");

    bot.hears("first answer").await;
    assert!(started.elapsed() >= Duration::from_secs(90));
    bot.hears("second answer").await;
    bot.ends().await;
}

#[tokio::test(start_paused = true)]
async fn a_stop_ends_a_suspended_turn_at_once_and_keeps_its_pairs() {
    let look = ProbeTool::new("look").returns("seen");
    let model = FakeModel::script([Step::calls([("look", json!({}))]), busy()]);
    let mut bot = Bot::with(model.model()).tool(look.tool()).start().await;
    bot.says("look");
    suspended(&mut bot).await;
    let asked = Instant::now();

    bot.says("/stop");

    let (_, outcome) = bot.next_end().await;
    assert_eq!(outcome.kind, OutcomeKind::Stopped);
    assert!(asked.elapsed() < Duration::from_millis(200), "{:?}", asked.elapsed());
    assert_eq!(bot.history("main").await.len(), 4, "what was said, a pair, and the end");
    bot.ends().await;
}

#[tokio::test(start_paused = true)]
async fn a_direction_for_a_suspended_turn_is_taken_in_when_it_goes_on() {
    let model = FakeModel::script([busy(), Step::text("north"), Step::text("south it is")]);
    let mut bot = Bot::with(model.model()).start().await;
    bot.says("go");
    suspended(&mut bot).await;

    bot.says("/steer south");

    bot.hears("south it is").await;
    bot.ends().await;
}

#[tokio::test(start_paused = true)]
async fn suspended_turns_of_many_conversations_are_taken_up_by_the_next_process() {
    let model = FakeModel::script([]);
    model.respond_with(|_| busy());
    let mut bot = Bot::with(model.model()).start().await;
    for name in 0..20 {
        bot.says_in(&format!("chat {name}"), "hello", WhenBusy::Add);
    }
    for _ in 0..20 {
        bot.sees(|progress| matches!(progress, Progress::Notice { .. })).await;
    }
    bot.settles().await;
    let model = FakeModel::script([]);
    model.respond_with(|_| Step::text("at last"));
    let mut bot = bot.restarts(model.model()).await.start().await;

    bot.wakes_all();

    let mut answered = Vec::new();
    for _ in 0..20 {
        let (outbound, outcome) = bot.next_end().await;
        assert_eq!(outcome.text, "at last");
        answered.push(outbound.key.chat);
    }
    answered.sort();
    answered.dedup();
    assert_eq!(answered.len(), 20);
    bot.ends().await;
}

#[tokio::test(start_paused = true)]
async fn a_turn_that_waited_too_long_expires_visibly() {
    let model = FakeModel::script([busy()]);
    let mut bot = Bot::with(model.model()).start().await;
    bot.says("hello");
    suspended(&mut bot).await;
    let settings = agent::Settings { expire_after_s: 0, ..agent::Settings::default() };
    let mut bot = bot.restarts(model.model()).await.settings(settings).start().await;

    bot.wakes_all();

    let (_, outcome) = bot.next_end().await;
    assert_eq!(outcome.error.expect("it is given up").class, "expired");
    let report = bot.ledger().verify().expect("the ledger can be read");
    assert!(report.inbox.iter().any(|count| count.reason.as_deref() == Some("expired")), "{report:?}");
    bot.ends().await;
}

/// A ledger that another program left, in which a turn answers the message `hello`.
async fn left_behind(language: Language) -> (Arc<TempDir>, Ledger, chat::InboxId, TurnId) {
    let folder = Arc::new(TempDir::new().expect("a temporary folder"));
    let ledger = Ledger::open(folder.path(), WriterMode::Inline, &store::Settings::default()).expect("it is new");
    let mut inbound = message("main", "1", "hello");
    inbound.person.language = language;
    let Ok(Written::Accepted { inbox, .. }) = ledger.written(Operation::Accept(inbound)).await else {
        panic!("it was not taken in");
    };
    let (turn, key) = (ledger.next_turn_id(), conversation("main"));
    ledger.written(Operation::OpenTurn { turn, key, inbox: vec![inbox] }).await.expect("it waits");
    (folder, ledger, inbox, turn)
}

#[tokio::test(start_paused = true)]
async fn a_record_of_another_version_keeps_its_pairs_and_goes_on_with_a_fresh_step() {
    let (folder, ledger, _, turn) = left_behind(Language::English).await;
    let start = Start {
        version: VERSION + 1,
        language: Language::English,
        limits: Limits::default(),
        tools: vec![ToolFacts {
            name: "look".into(),
            parallel_safe: true,
            after_turn: false,
            required: Vec::new(),
            advice: None,
        }],
        view: View::default(),
        message: Arc::new(Message::user("hello")),
        may_be_silent: false,
    };
    let call = |id: &str| ToolCall {
        id: id.into(),
        name: "look".into(),
        arguments: Arguments::Object(Map::new()),
        provider: None,
    };
    let reply = Reply { calls: vec![call("a"), call("b")], ..Reply::default() };
    let found = Input::ToolFinished { call: "a".into(), result: chat::ToolResult::ok("found"), ms: 1 };
    let payloads = [json!(start), json!(Input::ReplyReceived(reply)), json!({"of a later version": 1}), json!(found)];
    for (seq, payload) in (0..).zip(payloads) {
        let event = StoredEvent { payload: payload.to_string(), effects: 7 };
        ledger.written(Operation::Record { turn, seq, event, sync: true }).await.expect("the turn is open");
    }
    ledger.close().await;
    let look = ProbeTool::new("look");
    let model = FakeModel::script([Step::text("done")]);
    let mut bot = Bot::in_folder(folder, model.model(), 1).tool(look.tool()).start().await;

    bot.wakes_all();

    bot.hears("done").await;
    let asked = model.request(1).await;
    let told = json!(asked.messages.last().expect("results")).to_string();
    assert_eq!(asked.messages.len(), 3, "the question and a pair");
    assert!(told.contains("found") && told.contains("Interrupted"), "{told}");
    assert_eq!(look.calls().len(), 0);
    bot.ends().await;
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_was_perhaps_shown_is_marked_in_the_persons_language() {
    let (folder, ledger, inbox, turn) = left_behind(Language::Chinese).await;
    let (key, history) = (conversation("main"), ["hello", "hi"]);
    let outcome = Outcome {
        kind: OutcomeKind::Answered,
        text: "hi".into(),
        steps: 1,
        usage: None,
        error: None,
        files: Vec::new(),
    };
    let messages = [Role::User, Role::Assistant].into_iter().zip(history);
    let messages = messages.map(|(role, text)| Arc::new(Message { role, blocks: vec![chat::Block::text(text)] }));
    let delivery = Outbound {
        id: DeliveryId(1),
        key: key.clone(),
        reply_to: Some(chat::MessageId("1".into())),
        body: OutboundBody::TurnFinished { turn, outcome: outcome.clone() },
    };
    let finished = FinishedTurn {
        turn,
        key,
        outcome,
        first_seq: chat::Seq(0),
        messages: messages.collect(),
        view: View::default(),
        ends: vec![(inbox, InboxEnd::Answered(Answered::Reply))],
        deliveries: vec![delivery],
    };
    ledger.written(Operation::FinishTurn(finished)).await.expect("the turn is open");
    ledger.close().await;
    let model = FakeModel::script([]);
    let mut bot = Bot::in_folder(folder, model.model(), 1).start().await;

    bot.wakes_all();

    let (_, outcome) = bot.next_end().await;
    assert!(outcome.text.starts_with("hi\n\n（这可能是重复"), "{}", outcome.text);
    bot.ends().await;
}

#[tokio::test(start_paused = true)]
async fn a_pause_that_would_take_too_long_expires_when_its_time_is_up() {
    let model = FakeModel::script([busy()]);
    let settings = agent::Settings { expire_after_s: 70, ..agent::Settings::default() };
    let mut bot = Bot::with(model.model()).settings(settings).start().await;
    let started = Instant::now();
    bot.says("hello");

    let (_, outcome) = bot.next_end().await;

    assert_eq!(outcome.error.expect("it is given up").class, "expired");
    assert!(started.elapsed() < Duration::from_secs(71), "{:?}", started.elapsed());
    bot.ends().await;
}
