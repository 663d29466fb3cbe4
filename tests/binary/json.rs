//! The events that scripts read. Every whole stream in these tests is held against `support::stream` too.

use chat::Usage;
use serde_json::{Value, json};
use testkit::{ScriptedModel, Step};

use crate::support::process::{Place, of_type};

fn without_times(mut events: Vec<Value>) -> Vec<Value> {
    for event in &mut events {
        if let Some(ms) = event.get_mut("ms") {
            *ms = json!(0);
        }
    }
    events
}

#[tokio::test]
async fn a_turn_with_a_tool_is_told_event_by_event() {
    let model = ScriptedModel::start().await;
    let call = Step::text("Let me look.").then_call_as_written("call_1", "ls", r#"{"path":"."}"#);
    let usage = |input, cached, output| Usage { input, cached, output };
    model.script([call.usage(usage(100, 0, 10)), Step::text("One file.").usage(usage(130, 100, 5))]);
    let place = Place::with(&model);
    place.file("plum.txt", "");

    let events = place.events("what is here?\n").await;

    let expected = json!([
        {"type": "turn_started", "turn": 1, "message": "what is here?"},
        {"type": "step_started", "turn": 1, "step": 1},
        {"type": "text_delta", "turn": 1, "step": 1, "text": "Let me look."},
        {"type": "tool_started", "turn": 1, "id": "call_1", "name": "ls", "arguments": {"path": "."}},
        {"type": "tool_finished", "turn": 1, "id": "call_1", "name": "ls", "is_error": false, "ms": 0},
        {"type": "step_started", "turn": 1, "step": 2},
        {"type": "text_delta", "turn": 1, "step": 2, "text": "One file."},
        {"type": "turn_finished", "turn": 1, "outcome": "answered", "text": "One file.", "steps": 2,
         "usage": {"input": 230, "cached": 100, "output": 15}, "error": null},
    ]);
    assert_eq!(Value::from(without_times(events)), expected);
}

#[tokio::test]
async fn pieces_are_coalesced_and_join_to_the_text() {
    let model = ScriptedModel::start().await;
    let text = "a long answer, 一个很长的回答. ".repeat(400);
    model.script([Step::reasoning("let me think about this").then_text(text.trim()).chars_per_event(1)]);
    let place = Place::with(&model);

    let events = place.events("tell me\n").await;

    assert_eq!(of_type(&events, "turn_finished")[0]["text"], text.trim());
    let deltas = of_type(&events, "text_delta").len();
    assert!(deltas < text.chars().count() / 4, "{deltas} events");
    let thought: String =
        of_type(&events, "reasoning_delta").iter().filter_map(|event| event["text"].as_str()).collect();
    assert_eq!(thought, "let me think about this");
}

#[tokio::test]
async fn a_stream_that_is_cut_is_taken_back_and_asked_for_again() {
    let model = ScriptedModel::start().await;
    model.script([Step::cut_after("Good mor"), Step::text("Good evening.")]);
    let place = Place::with(&model);

    let events = place.events("hello\n").await;

    assert_eq!(of_type(&events, "text_reset").len(), 1);
    let end = &of_type(&events, "turn_finished")[0];
    assert_eq!((&end["outcome"], &end["text"]), (&json!("answered"), &json!("Good evening.")));
}

#[tokio::test]
async fn refused_arguments_are_null() {
    let model = ScriptedModel::start().await;
    model.script([Step::call_as_written("call_1", "read", "[1, 2]"), Step::text("My mistake.")]);
    let place = Place::with(&model);

    let events = place.events("read it\n").await;

    let started = &of_type(&events, "tool_started")[0];
    assert_eq!((&started["name"], &started["arguments"]), (&json!("read"), &Value::Null));
    assert_eq!(of_type(&events, "tool_finished")[0]["is_error"], true);
}

#[tokio::test]
async fn turns_are_counted_and_usage_that_nobody_told_is_null() {
    let model = ScriptedModel::start().await;
    model.script([Step::text("one").without_usage(), Step::text("two")]);
    let place = Place::with(&model);

    let ends = of_type(&place.events("a\nb\n").await, "turn_finished");

    let told: Vec<_> = ends.iter().map(|end| (end["turn"].as_u64(), end["usage"].is_null())).collect();
    assert_eq!(told, [(Some(1), true), (Some(2), false)]);
}

#[tokio::test]
async fn a_failed_turn_has_an_error_of_a_class_and_a_message() {
    let model = ScriptedModel::start().await;
    model.script([Step::no_quota()]);
    let place = Place::with(&model);

    let ended = place.run(&["chat", "--json", "hello"], "").await;

    let end = ended.ends().remove(0);
    assert_eq!((ended.code, &end["error"]["class"]), (1, &json!("quota")), "{end}");
    let message = end["error"]["message"].as_str().expect("a message");
    assert!(end["text"].as_str().expect("a text").contains(message), "{end}");
}

#[tokio::test]
async fn what_commands_answer_is_a_notice_outside_a_turn() {
    let place = Place::with_demo();

    let events = place.events("/version\n/stpo\n").await;

    assert!(events.iter().all(|event| event["type"] == "notice" && event.get("turn").is_none()), "{events:?}");
    assert_eq!(events.len(), 2);
}
