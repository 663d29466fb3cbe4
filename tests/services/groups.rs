//! Groups: off, on, and what of them stays where it is.

use chat::ToChannel;
use serde_json::json;
use testkit::{FakeModel, Gate, ProbeTool, Step};

use crate::support::Bot;
use crate::support::service::{Service, Writer};

async fn enable(service: &mut Service, chat: &str) {
    service.says(&Writer::in_group("1", chat), "/enable");
    assert!(service.command_answer().await.contains("on"));
}

#[tokio::test(start_paused = true)]
async fn a_group_is_off_until_the_owner_says_yes() {
    let model = FakeModel::script([Step::text("here"), Step::text("hello, group")]);
    let bot = Bot::with(model.model()).start().await;
    let mut service = bot.service("one").await;
    bot.lets_in(&["one"], json!({ "owners": [1] }));
    service.says(&Writer::private("1"), "there?");
    service.hears("here").await;

    service.says(&Writer::in_group("5", "-100").named("Bob"), "hello");
    let (question, buttons) = service.question().await;
    assert_eq!(service.refusal().await, "");
    assert!(question.contains("Bob") && question.contains("-100"), "{question}");
    service.presses(&Writer::private("1"), &buttons[0]);
    service.press_answer().await;
    service.says(&Writer::in_group("5", "-100"), "hello");

    service.hears("hello, group").await;
    bot.ends().await;
}

#[tokio::test(start_paused = true)]
async fn only_the_owner_switches_a_group_on_and_raises_its_cap() {
    let model = FakeModel::script([]);
    let bot = Bot::with(model.model()).start().await;
    let mut service = bot.service("one").await;
    bot.lets_in(&["one"], json!({ "owners": [1], "trusted": [2] }));

    service.says(&Writer::in_group("2", "-100"), "/enable");
    service.refusal().await;
    enable(&mut service, "-100").await;
    service.says(&Writer::in_group("2", "-100"), "/cap owner");

    assert!(service.command_answer().await.contains("Only the owner"));
    service.says(&Writer::in_group("1", "-100"), "/cap owner");
    assert!(service.command_answer().await.contains("Careful"));
    bot.ends().await;
}

#[tokio::test(start_paused = true)]
async fn talk_that_is_not_for_the_bot_is_neither_answered_nor_kept() {
    let model = FakeModel::script([]);
    let bot = Bot::with(model.model()).start().await;
    let mut service = bot.service("one").await;
    bot.lets_in(&["one"], json!({ "owners": [1] }));
    enable(&mut service, "-100").await;

    service.says(&Writer::in_group("1", "-100").among_others(), "a word among us");

    assert_eq!(service.refusal().await, "");
    assert!(!bot.keeps("a word among us"));
    bot.ends().await;
}

#[tokio::test(start_paused = true)]
async fn where_it_is_wanted_the_bot_is_told_what_was_said_before() {
    let model = FakeModel::script([Step::text("I heard")]);
    let bot = Bot::with(model.model()).start().await;
    let mut service = bot.service("one").await;
    bot.lets_in(&["one"], json!({ "owners": [1], "observe": 2 }));
    enable(&mut service, "-100").await;

    for word in ["one", "two", "three"] {
        service.says(&Writer::in_group("5", "-100").named("Bob").among_others(), word);
    }
    service.says(&Writer::in_group("5", "-100"), "what did I say?");

    service.hears("I heard").await;
    let request = model.request(1).await;
    let text = request.messages[0].visible_text();
    assert!(text.contains("Bob: two\nBob: three") && !text.contains("one\n"), "{text}");
    bot.ends().await;
}

#[tokio::test(start_paused = true)]
async fn f09_no_byte_of_a_group_is_in_the_prompt_of_a_private_chat() {
    let model = FakeModel::script([]);
    model.respond_with(|request| {
        let said: Vec<String> = request.messages.iter().map(|message| message.visible_text()).collect();
        Step::text(format!("{}{}", request.system, said.join("|")))
    });
    let bot = Bot::with(model.model()).start().await;
    let mut service = bot.service("one").await;
    bot.lets_in(&["one"], json!({ "owners": [1], "observe": 10 }));
    enable(&mut service, "-100").await;
    service.says(&Writer::in_group("1", "-100").among_others(), "the codeword is plum");
    service.says(&Writer::in_group("1", "-100"), "the codeword is plum");
    assert!(service.answer().await.1.contains("plum"));

    service.says(&Writer::private("1"), "which codeword?");

    let (chat, text) = service.answer().await;
    assert_eq!((chat.as_str(), text.contains("plum")), ("1", false), "{text}");
    bot.ends().await;
}

#[tokio::test(start_paused = true)]
async fn in_a_group_another_person_waits_and_cannot_stop_what_is_not_theirs() {
    let gate = Gate::new();
    let tool = ProbeTool::new("slow").gated(&gate).needs(tools::Access::Nothing);
    let model = FakeModel::script([Step::calls([("slow", json!({}))]), Step::text("for Ann"), Step::text("for Bob")]);
    let bot = Bot::with(model.model()).tool(tool.tool()).start().await;
    let mut service = bot.service("one").await;
    bot.lets_in(&["one"], json!({ "owners": [1] }));
    enable(&mut service, "-100").await;
    let (ann, bob) = (Writer::in_group("5", "-100"), Writer::in_group("6", "-100"));
    service.says(&ann, "take your time");
    tool.await_calls(1).await;

    service.says(&bob, "and me?");
    service.says(&bob, "/stop");
    assert!(service.command_answer().await.contains("somebody else's"));
    service.says(&bob, "/steer be quick");
    assert!(service.command_answer().await.contains("somebody else's"));
    gate.open();

    service.hears("for Ann").await;
    service.hears("for Bob").await;
    bot.ends().await;
}

#[tokio::test(start_paused = true)]
async fn the_owner_stops_what_others_have_running() {
    let gate = Gate::new();
    let tool = ProbeTool::new("slow").gated(&gate).needs(tools::Access::Nothing);
    let model = FakeModel::script([Step::calls([("slow", json!({}))])]);
    let bot = Bot::with(model.model()).tool(tool.tool()).start().await;
    let mut service = bot.service("one").await;
    bot.lets_in(&["one"], json!({ "owners": [1] }));
    enable(&mut service, "-100").await;
    service.says(&Writer::in_group("5", "-100"), "take your time");
    tool.await_calls(1).await;

    service.presses(&Writer::in_group("6", "-100"), "stop:1");
    assert!(service.press_answer().await.expect("a text").contains("somebody else's"));
    service.presses(&Writer::in_group("1", "-100"), "stop:1");

    assert!(service.press_answer().await.expect("a text").contains("Stopping"));
    service.answer().await;
    service.presses(&Writer::in_group("1", "-100"), "stop:1");
    assert!(service.press_answer().await.expect("a text").contains("already"));
    service.presses(&Writer::in_group("1", "-100"), "what is this?");
    assert_eq!(service.press_answer().await, None);
    bot.ends().await;
}

#[tokio::test(start_paused = true)]
async fn a_group_that_moved_goes_on_where_it_was() {
    let model = FakeModel::script([Step::text("noted"), Step::text("plum")]);
    let bot = Bot::with(model.model()).start().await;
    let mut service = bot.service("one").await;
    bot.lets_in(&["one"], json!({ "owners": [1] }));
    enable(&mut service, "-5").await;
    service.says(&Writer::in_group("1", "-5"), "the codeword is plum");
    service.hears("noted").await;

    service.arrives(chat::Arrival::Moved { from: service.key("-5"), chat: "-1005".into() });
    service.says(&Writer::in_group("1", "-1005"), "which codeword?");

    assert_eq!(service.answer().await, ("-1005".to_owned(), "plum".to_owned()));
    assert_eq!(model.request(2).await.messages.len(), 3);
    let late = service.says(&Writer::in_group("1", "-5"), "/version");
    let key = service.key("-5");
    let accepted = |told| matches!(told, ToChannel::Accepted { key: of, id } if of == key && id == late).then_some(());
    service.next_where(accepted).await;
    bot.ends().await;
}

#[tokio::test(start_paused = true)]
async fn one_person_cannot_fill_the_queue_of_a_group() {
    let gate = Gate::new();
    let tool = ProbeTool::new("slow").gated(&gate).needs(tools::Access::Nothing);
    let model = FakeModel::script([Step::calls([("slow", json!({}))]), Step::text("first")]);
    model.respond_with(|_| Step::text("."));
    let settings = agent::Settings { waiting_per_person: 2, ..agent::Settings::default() };
    let bot = Bot::with(model.model()).tool(tool.tool()).settings(settings).start().await;
    let mut service = bot.service("one").await;
    bot.lets_in(&["one"], json!({ "owners": [1] }));
    enable(&mut service, "-100").await;
    service.says(&Writer::in_group("5", "-100"), "take your time");
    tool.await_calls(1).await;

    for number in 0..4 {
        service.says(&Writer::in_group("6", "-100"), &number.to_string());
    }
    service.says(&Writer::in_group("7", "-100"), "mine");
    let first = service.refusal().await;
    let second = service.refusal().await;
    gate.open();

    assert!(!first.is_empty() && second.is_empty(), "one visible answer a minute: {first:?} {second:?}");
    for _ in 0..4 {
        service.answer().await;
    }
    bot.ends().await;
}
