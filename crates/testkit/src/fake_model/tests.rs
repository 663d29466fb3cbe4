use std::time::Duration;

use chat::{Arguments, Block, Reply, Role};
use futures_util::StreamExt;
use llm::ReplyEvent;
use serde_json::json;

use super::*;
use crate::Gate;

fn request(messages: Vec<Message>) -> ModelRequest {
    let messages = messages.into_iter().map(Arc::new).collect();
    ModelRequest { system: "".into(), messages, tools: Arc::new([]), nudge: None }
}

fn asks(text: &str) -> ModelRequest {
    request(vec![Message::user(text)])
}

async fn events(model: &FakeModel, request: ModelRequest) -> Vec<ReplyEvent> {
    model.model().ask(request).collect().await
}

fn finished(events: &[ReplyEvent]) -> &Reply {
    match events.last() {
        Some(ReplyEvent::Finished(reply)) => reply,
        other => panic!("no whole reply: {other:?}"),
    }
}

fn failed(events: &[ReplyEvent]) -> (ErrorClass, &str) {
    match events.last() {
        Some(ReplyEvent::Failed { error, partial }) => (error.class, partial),
        other => panic!("no failure: {other:?}"),
    }
}

#[tokio::test]
async fn a_reply_comes_piece_by_piece_and_then_whole() {
    let model = FakeModel::script([Step::reasoning("hm").then_text("hello").chars_per_event(3)]);

    let events = events(&model, asks("hi")).await;

    let pieces = [ReplyEvent::Reasoning("hm".into()), ReplyEvent::Text("hel".into()), ReplyEvent::Text("lo".into())];
    assert_eq!(&events[..3], &pieces);
    assert_eq!(finished(&events).text, "hello");
}

#[tokio::test]
async fn calls_have_ids_of_their_own_and_arguments_that_were_read() {
    let step = Step::calls([("ls", json!({"path": "."}))]).then_call_as_written("x", "read", "{\"pa");
    let model = FakeModel::script([step]);

    let events = events(&model, asks("look")).await;

    let calls = &finished(&events).calls;
    assert_eq!((calls[0].id.as_str(), calls[1].id.as_str()), ("call_1_0", "x"));
    assert_eq!(calls[0].arguments, Arguments::Object(json!({"path": "."}).as_object().expect("it is one").clone()));
    assert!(matches!(calls[1].arguments, Arguments::Refused { reason: chat::ArgumentsRefusal::Truncated, .. }));
}

#[tokio::test]
async fn failures_keep_what_came_before_them() {
    let model = FakeModel::script([Step::cut_after("half"), Step::ends_after("some"), Step::retry_after(429, 35)]);

    assert_eq!(failed(&events(&model, asks("a")).await), (ErrorClass::Truncated, "half"));
    assert_eq!(failed(&events(&model, asks("a")).await), (ErrorClass::Truncated, "some"));
    match events(&model, asks("a")).await.as_slice() {
        [ReplyEvent::Failed { error, .. }] => assert_eq!(error.retry_after_ms, Some(35_000)),
        other => panic!("{other:?}"),
    }
}

#[tokio::test(start_paused = true)]
async fn a_pause_takes_no_real_time() {
    let model = FakeModel::script([Step::text("a").pause(Duration::from_secs(3600)).then_text("b")]);
    let start = tokio::time::Instant::now();

    let events = events(&model, asks("hi")).await;

    assert_eq!(finished(&events).text, "ab");
    assert_eq!(start.elapsed(), Duration::from_secs(3600));
}

#[tokio::test(start_paused = true)]
async fn a_stream_that_is_dropped_at_a_gate_counts_as_hung_up() {
    let (model, gate) = (FakeModel::script([Step::text("a").gate(&gate_never())]), Gate::new());
    model.then([Step::text("b").gate(&gate)]);

    let mut first = model.model().ask(asks("hi"));
    assert_eq!(first.next().await, Some(ReplyEvent::Text("a".into())));
    drop(first);
    model.await_hangup(1).await;

    gate.open();
    assert_eq!(finished(&events(&model, asks("hi")).await).text, "b");
}

fn gate_never() -> Gate {
    Gate::new()
}

#[tokio::test]
#[should_panic(expected = "the model broke")]
async fn a_panic_is_the_models_own() {
    let model = FakeModel::script([Step::panic("the model broke")]);

    events(&model, asks("hi")).await;
}

#[tokio::test]
async fn the_turns_words_choose_the_conversation() {
    let model = FakeModel::script([]);
    model.when("plum", [Step::text("purple")]);
    model.respond_with(|request| Step::text(format!("{} messages", request.messages.len())));
    let long = request(vec![Message::user("a plum?"), Message::assistant("purple"), Message::user("a pear?")]);

    assert_eq!(finished(&events(&model, long).await).text, "3 messages");
    assert_eq!(finished(&events(&model, asks("a plum?")).await).text, "purple");
}

#[tokio::test]
#[should_panic(expected = "message 2 does not answer each call")]
async fn a_call_without_a_result_fails_the_test() {
    let model = FakeModel::script([]);
    let call = Block::ToolUse { id: "c1".into(), name: "ls".into(), input: json!({}), provider: None };
    let calls = Message { role: Role::Assistant, blocks: vec![call] };

    let events = events(&model, request(vec![Message::user("a"), calls, Message::user("b")])).await;

    assert_eq!(failed(&events).0, ErrorClass::MalformedHistory);
    model.finish();
}

#[tokio::test]
#[should_panic(expected = "the id \"c1\" names two calls")]
async fn an_id_that_names_two_calls_fails_the_test() {
    let model = FakeModel::script([]);
    let call = Block::ToolUse { id: "c1".into(), name: "ls".into(), input: json!({}), provider: None };
    let result = Block::ToolResult { tool_use_id: "c1".into(), content: "x".into(), is_error: false };
    let calls = Message { role: Role::Assistant, blocks: vec![call] };
    let results = Message { role: Role::User, blocks: vec![result] };
    let messages = vec![Message::user("a"), calls.clone(), results.clone(), calls, results];

    events(&model, request(messages)).await;

    model.finish();
}
