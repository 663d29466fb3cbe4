//! Who may talk, and who gets which tool.

use std::sync::Arc;
use std::time::Duration;

use chat::PersonRole;
use serde_json::json;
use testkit::{FakeModel, Step};
use tools::Tool;

use crate::support::Bot;
use crate::support::service::{Service, Writer};

fn builtin() -> Vec<Arc<dyn Tool>> {
    tools::builtin(&tools::Settings::default())
}

#[tokio::test(start_paused = true)]
async fn who_sends_the_code_owns_the_bot_and_nobody_else_does() {
    let model = FakeModel::script([Step::text("at your service")]);
    let bot = Bot::with(model.model()).start().await;
    let mut service = bot.service("one").await;
    let code = bot.control().owner_code(&service.name()).await.expect("it has no owner");
    let (ann, bob) = (Writer::private("1"), Writer::private("2"));

    service.says(&bob, "hello");
    assert_eq!(service.refusal().await, "", "a stranger is met with silence");
    service.says(&ann, &code.to_lowercase());
    assert!(service.command_answer().await.contains("owner"));
    service.says(&bob, &code);
    assert!(service.refusal().await.contains("does not know you"), "the code is used up");
    service.says(&ann, "who are you?");

    service.hears("at your service").await;
    assert_eq!(bot.control().owner_code(&service.name()).await, None);
    bot.ends().await;
}

#[tokio::test(start_paused = true)]
async fn an_owner_is_known_after_a_restart() {
    let model = FakeModel::script([]);
    let bot = Bot::with(model.model()).start().await;
    let mut service = bot.service("one").await;
    let code = bot.control().owner_code(&service.name()).await.expect("it has no owner");
    service.says(&Writer::private("1"), &code);
    service.command_answer().await;

    let model = FakeModel::script([Step::text("hello again")]);
    let bot = bot.restarts(model.model()).await.start().await;
    let mut service = bot.service("one").await;
    service.says(&Writer::private("1"), "hello");

    service.hears("hello again").await;
    bot.ends().await;
}

#[tokio::test(start_paused = true)]
async fn a_stranger_is_given_a_code_once_and_let_in_by_the_owners_button() {
    let model = FakeModel::script([Step::text("yes"), Step::text("welcome")]);
    let bot = Bot::with(model.model()).start().await;
    let mut service = bot.service("one").await;
    bot.lets_in(&["one"], json!({ "owners": [1] }));
    let (owner, stranger) = (Writer::private("1"), Writer::private("77").named("Eve"));
    service.says(&owner, "are you there?");
    service.hears("yes").await;

    service.says(&stranger, "the first word");
    let (question, buttons) = service.question().await;
    let told = service.refusal().await;
    service.says(&stranger, "the second word");
    assert_eq!(service.refusal().await, "", "they are told once");

    assert!(question.contains("Eve") && question.contains("77"), "{question}");
    let code = buttons[0].split(':').nth(1).expect("a code").to_owned();
    assert!(told.contains(&code), "{told}");
    service.presses(&stranger, &buttons[0]);
    assert!(service.press_answer().await.expect("a text").contains("owner"), "only the owner decides");
    service.presses(&owner, &buttons[0]);
    assert!(service.press_answer().await.expect("a text").contains("Eve"));
    service.says(&stranger, "hello");
    service.hears("welcome").await;
    assert!(model.request(2).await.tools.is_empty());
    assert!(bot.keeps("are you there?") && !bot.keeps("the first word"), "what a stranger wrote is not kept");
    assert_eq!(bot.ledger().tallied(&service.name()).expect("it can be read"), 2);
    bot.ends().await;
}

#[tokio::test(start_paused = true)]
async fn a_code_lets_in_by_command_as_what_is_said_there() {
    let model = FakeModel::script([Step::text("welcome")]);
    let bot = Bot::with(model.model()).tools(builtin()).start().await;
    let mut service = bot.service("one").await;
    bot.lets_in(&["one"], json!({ "owners": [1] }));
    service.says(&Writer::private("77"), "hello");
    let told = service.refusal().await;
    let code = told.split_whitespace().find(|word| word.len() == 9 && word.contains('-')).expect("a code");

    assert_eq!(bot.control().pair("AAAA-AAAA", PersonRole::Guest).await, None);
    let paired = bot.control().pair(code, PersonRole::Trusted).await;

    assert_eq!(paired.expect("the code is open").1, "77");
    assert!(service.notice().await.1.contains("may talk"));
    service.says(&Writer::private("77"), "hello");
    service.hears("welcome").await;
    assert_eq!(model.request(1).await.tools.len(), 6);
    bot.ends().await;
}

#[tokio::test(start_paused = true)]
async fn h01_a_stranger_who_takes_a_known_name_is_a_stranger() {
    let model = FakeModel::script([Step::text("hello"), Step::text("hello, whatever you are called")]);
    let bot = Bot::with(model.model()).start().await;
    let mut service = bot.service("one").await;
    bot.lets_in(&["one"], json!({ "owners": [9], "trusted": [1] }));

    service.says(&Writer::private("1").named("alice"), "hi");
    service.hears("hello").await;
    service.says(&Writer::private("2").named("alice"), "hi");
    assert!(service.refusal().await.contains("code"));
    service.says(&Writer::private("1").named("alice2"), "hi");

    service.hears("hello, whatever you are called").await;
    bot.ends().await;
}

/// Says something and tells which tools its turn was offered; nothing where there was no turn.
async fn tools_for(service: &mut Service, model: &FakeModel, writer: &Writer) -> Option<Vec<String>> {
    let before = model.requests().len();
    service.says(writer, "hello");
    tokio::time::sleep(Duration::from_secs(5)).await;
    let requests = model.requests();
    let request = requests.get(before)?;
    Some(request.tools.iter().map(|tool| tool.name.clone()).collect())
}

#[tokio::test(start_paused = true)]
async fn who_gets_which_tool() {
    let model = FakeModel::script([]);
    model.respond_with(|_| Step::text("."));
    let bot = Bot::with(model.model()).tools(builtin()).start().await;
    let mut service = bot.service("one").await;
    bot.lets_in(&["one"], json!({ "owners": [1], "trusted": [2], "guests": [3] }));
    let owner_there = |chat| Writer::in_group("1", chat);
    for (chat, cap) in [("capped", "guest"), ("raised", "trusted"), ("open", "owner")] {
        service.says(&owner_there(chat), "/enable");
        service.command_answer().await;
        service.says(&owner_there(chat), &format!("/cap {cap}"));
        service.command_answer().await;
    }

    let table = [
        ("stranger in private", Writer::private("4"), None),
        ("stranger in a group that is off", Writer::in_group("4", "off"), None),
        ("owner in a group that is off", owner_there("off"), None),
        ("guest in private", Writer::private("3"), Some(vec![])),
        ("trusted in private", Writer::private("2"), Some(vec!["ls", "read", "search", "write", "edit", "send"])),
        ("owner in private", Writer::private("1"), Some(vec!["ls", "read", "search", "write", "edit", "send", "bash"])),
        ("stranger in a group", Writer::in_group("4", "capped"), Some(vec![])),
        ("guest in a group", Writer::in_group("3", "capped"), Some(vec![])),
        ("trusted in a group", Writer::in_group("2", "capped"), Some(vec![])),
        ("owner in a group", owner_there("capped"), Some(vec![])),
        ("guest in a group for trusted", Writer::in_group("3", "raised"), Some(vec![])),
        (
            "trusted in a group for trusted",
            Writer::in_group("2", "raised"),
            Some(vec!["ls", "read", "search", "write", "edit", "send"]),
        ),
        (
            "owner in a group for trusted",
            owner_there("raised"),
            Some(vec!["ls", "read", "search", "write", "edit", "send"]),
        ),
        (
            "trusted in a group for owners",
            Writer::in_group("2", "open"),
            Some(vec!["ls", "read", "search", "write", "edit", "send"]),
        ),
        (
            "owner in a group for owners",
            owner_there("open"),
            Some(vec!["ls", "read", "search", "write", "edit", "send", "bash"]),
        ),
    ];
    for (who, writer, expected) in table {
        let offered = tools_for(&mut service, &model, &writer).await;

        let expected = expected.map(|names| names.into_iter().map(str::to_owned).collect::<Vec<_>>());
        assert_eq!(offered, expected, "{who}");
    }
    bot.ends().await;
}
