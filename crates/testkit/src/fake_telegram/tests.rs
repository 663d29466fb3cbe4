//! The fake is strict where the service is.

use serde_json::{Value, json};

use super::{FakeTelegram, Fault};

/// A call; gives the status and the answer.
async fn call(telegram: &FakeTelegram, method: &str, body: Value) -> (u16, Value) {
    let url = format!("{}/bot{}/{method}", telegram.api_url(), telegram.token());
    let answer = reqwest::Client::new().post(url).json(&body).send().await.unwrap();
    (answer.status().as_u16(), answer.json().await.unwrap())
}

async fn refused(telegram: &FakeTelegram, method: &str, body: Value) -> String {
    let (status, answer) = call(telegram, method, body).await;
    assert_ne!(status, 200, "{answer}");
    answer["description"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn method_names_are_taken_in_any_case_and_unknown_ones_are_not_found() {
    let telegram = FakeTelegram::start();

    for name in ["getMe", "GetMe", "getme"] {
        assert_eq!(call(&telegram, name, json!({})).await.1["result"]["username"], "cowhand_bot");
    }
    assert_eq!(refused(&telegram, "sendNothing", json!({})).await, "Not Found");
}

#[tokio::test]
async fn a_text_is_held_against_the_limit_and_the_marks_it_may_have() {
    let telegram = FakeTelegram::start();
    let _ada = telegram.person(7, "Ada");
    let html = |text: &str| json!({ "chat_id": 7, "text": text, "parse_mode": "HTML" });

    assert_eq!(call(&telegram, "sendMessage", html(&format!("<b>{}</b>", "😀".repeat(2048)))).await.0, 200);
    for (text, why) in [
        ("😀".repeat(2049).as_str(), "Bad Request: message is too long"),
        (" <b> </b>", "Bad Request: message text is empty"),
        ("<b>x", "Bad Request: can't parse entities: Can't find end tag corresponding to start tag \"b\""),
        (
            "<b>x</i>",
            "Bad Request: can't parse entities: Unmatched end tag at byte offset 4, expected \"</b>\", found \"</i>\"",
        ),
        ("x</b>", "Bad Request: can't parse entities: Unexpected end tag at byte offset 1"),
        ("<h1>x</h1>", "Bad Request: can't parse entities: Unsupported start tag \"h1\" at byte offset 0"),
    ] {
        assert_eq!(refused(&telegram, "sendMessage", html(text)).await, why);
    }
}

#[tokio::test]
async fn a_second_poller_ends_the_first() {
    let telegram = FakeTelegram::start();
    let first = call(&telegram, "getUpdates", json!({ "timeout": 50 }));
    let second = async {
        telegram.called("getUpdates", 1).await;
        let second = call(&telegram, "getUpdates", json!({ "timeout": 50 }));
        let ada = async {
            telegram.called("getUpdates", 2).await;
            telegram.says(&telegram.person(7, "Ada"), "hi")
        };
        futures_util::join!(second, ada).0
    };

    let (first, second) = futures_util::join!(first, second);

    assert_eq!(first.0, 409);
    assert_eq!(second.1["result"][0]["message"]["text"], "hi");
}

#[tokio::test]
async fn an_update_comes_until_a_later_one_is_asked_for() {
    let telegram = FakeTelegram::start();
    telegram.says(&telegram.person(7, "Ada"), "hi");

    let id = call(&telegram, "getUpdates", json!({})).await.1["result"][0]["update_id"].as_i64().unwrap();
    let again = call(&telegram, "getUpdates", json!({ "offset": id })).await.1;
    let later = call(&telegram, "getUpdates", json!({ "offset": id + 1 })).await.1;

    assert_eq!((again["result"].as_array().unwrap().len(), &later["result"]), (1, &json!([])));
}

#[tokio::test]
async fn edits_are_refused_where_there_is_nothing_to_change() {
    let telegram = FakeTelegram::start();
    let _ada = telegram.person(7, "Ada");
    let sent = call(&telegram, "sendMessage", json!({ "chat_id": 7, "text": "x" })).await.1;
    let edit = |id: &Value| json!({ "chat_id": 7, "message_id": id, "text": "x" });

    let same = refused(&telegram, "editMessageText", edit(&sent["result"]["message_id"])).await;
    assert!(same.starts_with("Bad Request: message is not modified: "), "{same}");
    assert_eq!(refused(&telegram, "editMessageText", edit(&json!(99))).await, "Bad Request: message to edit not found");
}

#[tokio::test]
async fn a_group_is_flooded_by_the_21st_message_of_a_minute() {
    let telegram = FakeTelegram::start();
    let _group = telegram.group(-5);

    for _ in 0..20 {
        assert_eq!(call(&telegram, "sendMessage", json!({ "chat_id": -5, "text": "x" })).await.0, 200);
    }
    let (status, answer) = call(&telegram, "sendMessage", json!({ "chat_id": -5, "text": "x" })).await;

    assert_eq!(status, 429);
    assert!((50..=60).contains(&answer["parameters"]["retry_after"].as_u64().unwrap()), "{answer}");
}

#[tokio::test]
async fn a_fault_is_made_once_and_a_wrong_token_is_known_as_such() {
    let telegram = FakeTelegram::start();
    let _ada = telegram.person(7, "Ada");
    telegram.fail("sendMessage", Fault::Moved(-100));

    let (status, answer) = call(&telegram, "sendMessage", json!({ "chat_id": 7, "text": "x" })).await;
    assert_eq!((status, &answer["parameters"]["migrate_to_chat_id"]), (400, &json!(-100)));
    assert_eq!(call(&telegram, "sendMessage", json!({ "chat_id": 7, "text": "x" })).await.0, 200);

    let url = format!("{}/bot1:x/getMe", telegram.api_url());
    assert_eq!(reqwest::get(url).await.unwrap().status(), 401);
}
