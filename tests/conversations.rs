//! Conversations in process: real actors and ledger, fake models and tools.

use std::collections::BTreeMap;
use std::time::Duration;

use chat::{ErrorClass, ModelError, OutboundBody, OutcomeKind, Progress, ToChannel, WhenBusy};
use serde_json::json;
use store::Operation;
use testkit::{FakeModel, Gate, ProbeTool, Step};

use crate::support::{Bot, conversation};

#[tokio::test(start_paused = true)]
async fn two_messages_at_once_are_answered_one_after_the_other() {
    let model = FakeModel::script([Step::text("first answer"), Step::text("second answer")]);
    let mut bot = Bot::with(model.model()).start().await;

    let first = bot.queues("first");
    let second = bot.queues("second");

    let (end, outcome) = bot.next_end().await;
    assert_eq!((end.reply_to, outcome.text), (Some(first), "first answer".to_owned()));
    let (end, outcome) = bot.next_end().await;
    assert_eq!((end.reply_to, outcome.text), (Some(second), "second answer".to_owned()));
    bot.ends().await;
}

#[tokio::test(start_paused = true)]
async fn the_second_turn_sees_the_first_one() {
    let model = FakeModel::script([Step::text("noted"), Step::text("plum")]);
    let mut bot = Bot::with(model.model()).start().await;
    bot.queues("the codeword is plum");
    bot.hears("noted").await;

    bot.queues("which codeword?");
    bot.hears("plum").await;

    let texts: Vec<String> = model.request(2).await.messages.iter().map(|message| message.visible_text()).collect();
    assert_eq!(texts, ["the codeword is plum", "noted", "which codeword?"]);
    bot.ends().await;
}

#[tokio::test(start_paused = true)]
async fn a_hundred_conversations_side_by_side_do_not_mix() {
    let model = FakeModel::script([]);
    model.respond_with(|request| Step::text(format!("echo {}", request.messages.last().expect("one").visible_text())));
    let mut bot = Bot::with(model.model()).start().await;
    let mut expected = BTreeMap::new();

    for round in 0..2 {
        for number in 0..100 {
            let id = bot.says_in(&number.to_string(), &format!("{number}/{round}"), WhenBusy::Queue);
            expected.insert(id, format!("echo {number}/{round}"));
        }
    }

    for _ in 0..200 {
        let (end, outcome) = bot.next_end().await;
        let id = end.reply_to.expect("a turn answers a message");
        assert_eq!(expected.remove(&id), Some(outcome.text), "{id}");
    }
    for request in model.requests() {
        let texts: Vec<String> = request.messages.iter().map(|message| message.visible_text()).collect();
        let number = texts[0].split('/').next().expect("a part").to_owned();
        assert!(texts.iter().all(|text| text.contains(&format!("{number}/"))), "{texts:?}");
    }
    bot.ends().await;
}

#[tokio::test(start_paused = true)]
async fn a_panicking_tool_is_a_result_that_the_model_reads() {
    let tool = ProbeTool::new("fragile").panics("broke");
    let model = FakeModel::script([Step::calls([("fragile", json!({}))]), Step::text("it is broken")]);
    let mut bot = Bot::with(model.model()).tool(tool.tool()).start().await;

    bot.says("try it");

    let finished = bot.sees(|progress| matches!(progress, Progress::ToolFinished { .. })).await;
    assert!(matches!(finished, Progress::ToolFinished { is_error: true, .. }), "{finished:?}");
    bot.hears("it is broken").await;
    bot.ends().await;
}

#[tokio::test(start_paused = true)]
async fn a_model_that_panics_each_time_costs_one_turn() {
    let model = FakeModel::script([]);
    model.respond_with(|request| match request.messages.last().expect("one").visible_text().as_str() {
        "break" => panic!("the client is broken"),
        _ => Step::text("fine"),
    });
    let mut bot = Bot::with(model.model()).start().await;
    bot.queues("break");
    bot.queues("go on");

    let (_, outcome) = bot.next_end().await;
    assert_eq!(outcome.kind, OutcomeKind::Failed);
    assert_eq!(outcome.error.expect("it failed").class, "set_aside");
    bot.hears("fine").await;

    let texts: Vec<String> = bot.history("main").await.iter().map(|message| message.visible_text()).collect();
    assert_eq!((texts[0].as_str(), &texts[2..]), ("break", ["go on".to_owned(), "fine".to_owned()].as_slice()));
    assert!(texts[1].contains("set aside"), "{texts:?}");
    bot.ends().await;
}

#[tokio::test(start_paused = true)]
async fn a_stop_ends_the_turn_and_says_so_after_the_tool_is_gone() {
    let gate = Gate::new();
    let tool = ProbeTool::new("slow").gated(&gate);
    let model = FakeModel::script([Step::calls([("slow", json!({}))])]);
    let mut bot = Bot::with(model.model()).tool(tool.tool()).start().await;
    bot.says("wait for it");
    tool.await_calls(1).await;

    bot.says("/stop");

    let (_, outcome) = bot.next_end().await;
    assert_eq!(outcome.kind, OutcomeKind::Stopped);
    assert_eq!(tool.finished(), 0);
    bot.ends().await;
}

#[tokio::test(start_paused = true)]
async fn what_is_said_while_a_tool_runs_follows_its_result() {
    let gate = Gate::new();
    let tool = ProbeTool::new("look").gated(&gate).returns("two files");
    let model = FakeModel::script([Step::calls([("look", json!({}))]), Step::text("two, and it rains")]);
    let mut bot = Bot::with(model.model()).tool(tool.tool()).start().await;
    bot.says("how many files?");
    tool.await_calls(1).await;

    let added = bot.says("and the weather?");
    while !matches!(bot.next().await, ToChannel::Accepted { id, .. } if id == added) {}
    gate.open();

    bot.hears("two, and it rains").await;
    let last = model.request(2).await.messages.last().expect("one").clone();
    assert_eq!(last.tool_result_ids().count(), 1);
    assert!(last.visible_text().contains("and the weather?"));
    bot.ends().await;
}

#[tokio::test(start_paused = true)]
async fn a_conversation_that_left_memory_goes_on_as_if_nothing_had_happened() {
    let model = FakeModel::script([Step::text("noted"), Step::text("plum")]);
    let settings = agent::Settings { idle_s: 60, ..agent::Settings::default() };
    let mut bot = Bot::with(model.model()).settings(settings).start().await;
    bot.says("the codeword is plum");
    bot.hears("noted").await;

    tokio::time::sleep(Duration::from_secs(61)).await;
    bot.says("which codeword?");

    bot.hears("plum").await;
    assert_eq!(model.request(2).await.messages.len(), 3);
    bot.ends().await;
}

#[tokio::test(start_paused = true)]
async fn a_restart_between_turns_is_not_noticed() {
    let model = FakeModel::script([Step::text("noted")]);
    let mut bot = Bot::with(model.model()).start().await;
    bot.says("the codeword is plum");
    bot.hears("noted").await;

    let model = FakeModel::script([Step::text("plum")]);
    let mut bot = bot.restarts(model.model()).await.start().await;
    bot.says_in("main", "which codeword?", WhenBusy::Queue);

    bot.hears("plum").await;
    assert_eq!(model.request(1).await.messages.len(), 3);
    bot.ends().await;
}

#[tokio::test(start_paused = true)]
async fn a_message_that_came_before_is_taken_once() {
    let model = FakeModel::script([Step::text("once")]);
    let mut bot = Bot::with(model.model()).start().await;
    bot.says("hello");
    bot.hears("once").await;

    let again = bot.inbound("1-main", "hello");
    bot.arrives(again);

    assert!(matches!(bot.next().await, ToChannel::Accepted { .. }));
    bot.quiet_for(Duration::from_secs(60)).await;
    bot.ends().await;
}

#[tokio::test(start_paused = true)]
async fn new_starts_over_and_keeps_what_was_said() {
    let model = FakeModel::script([Step::text("noted"), Step::text("no idea")]);
    let mut bot = Bot::with(model.model()).start().await;
    bot.says("the codeword is plum");
    bot.hears("noted").await;

    bot.says("/new");
    bot.hears_answer().await;
    bot.says("which codeword?");
    bot.hears("no idea").await;

    assert_eq!(model.request(2).await.messages.len(), 1);
    assert_eq!(bot.history("main").await.len(), 4);
    bot.ends().await;
}

#[tokio::test(start_paused = true)]
async fn compact_sends_a_digest_of_older_turns_and_survives_a_restart() {
    let model = FakeModel::script((0..4).map(|number| Step::text(format!("answer {number}"))));
    let mut bot = Bot::with(model.model()).start().await;
    for number in 0..4 {
        bot.says(&format!("question {number}"));
        bot.hears(&format!("answer {number}")).await;
    }

    bot.says("/compact");
    bot.hears_answer().await;
    let model = FakeModel::script([Step::text("ok")]);
    let mut bot = bot.restarts(model.model()).await.start().await;
    bot.says("go on");
    bot.hears("ok").await;

    let request = model.request(1).await;
    assert_eq!(request.messages.len(), 5);
    let first = format!("{:?}", request.messages[0]);
    assert!(first.contains("user: question 0") && first.contains("question 2"), "{first}");
    assert_eq!(bot.history("main").await.len(), 10);
    bot.ends().await;
}

#[tokio::test(start_paused = true)]
async fn an_unknown_command_is_answered_without_a_model() {
    let model = FakeModel::script([]);
    let mut bot = Bot::with(model.model()).start().await;

    bot.says("/stpo");

    assert!(bot.hears_answer().await.contains("/stop"));
    assert!(bot.ledger().load(&conversation("main")).expect("readable").is_some());
    bot.ends().await;
}

#[tokio::test(start_paused = true)]
async fn an_unknown_command_that_was_left_open_never_reaches_a_model() {
    let model = FakeModel::script([Step::text("hello")]);
    let mut bot = Bot::with(model.model()).start().await;
    let left = Operation::Accept(bot.inbound("left", "/stpo"));
    bot.ledger().written(left).await.expect("it is stored");

    bot.says("hi");

    bot.hears("hello").await;
    assert_eq!(model.request(1).await.messages.len(), 1);
    bot.quiet_for(Duration::from_secs(60)).await;
    bot.ends().await;
}

#[tokio::test(start_paused = true)]
async fn a_model_without_a_valid_key_gives_way_to_the_next_and_that_is_told_once() {
    let first = FakeModel::named("a", "one", [Step::error(ModelError::new(ErrorClass::Auth, "wrong key"))]);
    let second = FakeModel::named("b", "two", [Step::text("hello"), Step::text("again")]);
    let mut bot = Bot::with(first.model()).fallback(second.model()).start().await;
    bot.says("hi");

    let notice = bot.sees(|progress| matches!(progress, Progress::Notice { .. })).await;
    assert!(matches!(&notice, Progress::Notice { text } if text.contains("a/one") && text.contains("b/two")));
    bot.hears("hello").await;

    bot.says("hi again");
    loop {
        match bot.next().await {
            ToChannel::Progress { progress: Progress::Notice { text }, .. } => panic!("told again: {text}"),
            ToChannel::Deliver(_) => break,
            _ => {}
        }
    }
    bot.ends().await;
}

#[tokio::test(start_paused = true)]
async fn a_model_that_is_back_is_asked_again_and_that_is_told() {
    let limit = ModelError { class: ErrorClass::RateLimited, message: "slow down".into(), retry_after_ms: None };
    let first = FakeModel::named("a", "one", [Step::error(limit), Step::text("back")]);
    let second = FakeModel::named("b", "two", [Step::text("meanwhile")]);
    let mut bot = Bot::with(first.model()).fallback(second.model()).start().await;
    bot.says("hi");
    bot.hears("meanwhile").await;

    tokio::time::sleep(Duration::from_secs(31)).await;
    bot.says("hi");

    let notice = bot.sees(|progress| matches!(progress, Progress::Notice { .. })).await;
    assert!(matches!(&notice, Progress::Notice { text } if text.contains("answers again")));
    bot.hears("back").await;
    bot.ends().await;
}

#[tokio::test(start_paused = true)]
async fn a_wrong_key_of_the_only_model_fails_the_turn_at_once() {
    let model = FakeModel::script([Step::error(ModelError::new(ErrorClass::Auth, "invalid api key"))]);
    let mut bot = Bot::with(model.model()).start().await;
    let started = tokio::time::Instant::now();

    bot.says("hi");

    let (_, outcome) = bot.next_end().await;
    assert_eq!(outcome.error.expect("it failed").class, "auth");
    assert!(started.elapsed() < Duration::from_secs(1));
    bot.ends().await;
}

#[tokio::test(start_paused = true)]
async fn a_minute_of_rate_limits_is_sat_out() {
    let limit = || Step::error(ModelError::new(ErrorClass::RateLimited, "slow down"));
    let model = FakeModel::script([limit(), limit(), Step::text("at last")]);
    let mut bot = Bot::with(model.model()).start().await;
    let started = tokio::time::Instant::now();

    bot.says("hi");

    bot.hears("at last").await;
    assert_eq!(started.elapsed().as_secs(), 75);
    bot.ends().await;
}

#[tokio::test(start_paused = true)]
async fn a_stream_that_is_cut_starts_over_without_doubled_text() {
    let model = FakeModel::script([Step::cut_after("Hel"), Step::text("Hello")]);
    let mut bot = Bot::with(model.model()).start().await;

    bot.says("hi");

    let mut shown = String::new();
    let outcome = loop {
        match bot.next().await {
            ToChannel::Progress { progress: Progress::TextDelta { text, .. }, .. } => shown.push_str(&text),
            ToChannel::Progress { progress: Progress::TextReset { .. }, .. } => shown.clear(),
            ToChannel::Deliver(outbound) => break outbound,
            _ => {}
        }
    };
    assert_eq!(shown, "Hello");
    assert!(matches!(outcome.body, OutboundBody::TurnFinished { outcome, .. } if outcome.text == "Hello"));
    bot.ends().await;
}
