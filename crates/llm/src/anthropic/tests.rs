use chat::{Arguments, ErrorClass, Finish, Reply, Usage};
use serde_json::{Value, json};

use crate::samples::{class, whole_reply};
use crate::{CapturedReply, Format, read_body};

fn stream(events: &[Value]) -> String {
    events.iter().map(|event| format!("event: {}\ndata: {event}\n\n", event["type"].as_str().unwrap_or("x"))).collect()
}

fn begin(index: u64, block: Value) -> Value {
    json!({"type": "content_block_start", "index": index, "content_block": block})
}

fn delta(index: u64, delta: Value) -> Value {
    json!({"type": "content_block_delta", "index": index, "delta": delta})
}

fn end(reason: &str) -> Value {
    json!({"type": "message_delta", "delta": {"stop_reason": reason}, "usage": {"output_tokens": 9}})
}

fn read(events: &[Value]) -> CapturedReply {
    read_body(Format::Anthropic, 200, &[], stream(events).as_bytes(), &[])
}

fn reply(events: &[Value]) -> Reply {
    whole_reply(Format::Anthropic, &stream(events))
}

#[test]
fn text_thinking_and_a_call_are_told_apart_by_their_index() {
    let events = [
        begin(0, json!({"type": "thinking", "thinking": "", "signature": ""})),
        delta(0, json!({"type": "thinking_delta", "thinking": "plan"})),
        delta(0, json!({"type": "signature_delta", "signature": "si"})),
        delta(0, json!({"type": "signature_delta", "signature": "g"})),
        begin(1, json!({"type": "text", "text": ""})),
        delta(1, json!({"type": "text_delta", "text": "Look: "})),
        begin(2, json!({"type": "tool_use", "id": "t1", "name": "read", "input": {}})),
        delta(2, json!({"type": "input_json_delta", "partial_json": "{\"a\""})),
        delta(1, json!({"type": "text_delta", "text": "here"})),
        delta(2, json!({"type": "input_json_delta", "partial_json": ":1}"})),
        end("tool_use"),
    ];

    let reply = reply(&events);

    assert_eq!(reply.text, "Look: here");
    let provider = reply.reasoning[0].provider.as_ref().expect("it is signed");
    assert_eq!((reply.reasoning[0].text.as_str(), &provider.data), ("plan", &json!({"signature": "sig"})));
    let Arguments::Object(arguments) = &reply.calls[0].arguments else { panic!("they are whole") };
    assert_eq!((reply.calls[0].id.as_str(), &arguments["a"]), ("t1", &json!(1)));
    assert_eq!(reply.finish, Some(Finish::ToolCalls));
}

#[test]
fn hidden_thinking_is_kept_as_it_came() {
    let events = [
        begin(0, json!({"type": "redacted_thinking", "data": "AB=="})),
        begin(1, json!({"type": "thinking", "thinking": "x"})),
        begin(2, json!({"type": "text", "text": "hi"})),
        end("end_turn"),
    ];

    let reasoning = reply(&events).reasoning;

    assert_eq!(reasoning.len(), 2);
    assert_eq!(reasoning[0].provider.as_ref().expect("it has data").data, json!({"redacted": "AB=="}));
    assert_eq!(reasoning[1].text, "x");
}

#[test]
fn usage_counts_what_was_read_from_and_written_to_the_cache() {
    let usage = json!({"input_tokens": 3, "cache_creation_input_tokens": 10, "cache_read_input_tokens": 100, "output_tokens": 1});
    let start = json!({"type": "message_start", "message": {"content": [], "usage": usage}});

    let reply = reply(&[start, begin(0, json!({"type": "text", "text": "hi"})), end("end_turn")]);

    assert_eq!(reply.usage, Some(Usage { input: 113, cached: 100, output: 9 }));
}

#[test]
fn a_call_whose_input_came_at_its_start_has_it() {
    let start = begin(0, json!({"type": "tool_use", "id": "t1", "name": "read", "input": {"a": 1}}));
    let again = delta(0, json!({"type": "input_json_delta", "partial_json": "{\"a\":1}"}));

    for events in [vec![start.clone(), end("tool_use")], vec![start, again, end("tool_use")]] {
        let Arguments::Object(arguments) = reply(&events).calls.remove(0).arguments else { panic!("they are whole") };
        assert_eq!(Value::Object(arguments), json!({"a": 1}));
    }
}

#[test]
fn message_stop_alone_is_a_terminal_signal() {
    let captured = read(&[begin(0, json!({"type": "text", "text": "hi"})), json!({"type": "message_stop"})]);

    assert_eq!((captured.text.as_str(), captured.finish, captured.error), ("hi", None, None));
}

#[test]
fn stop_reasons_are_mapped() {
    let reasons = [
        ("end_turn", Finish::Stop),
        ("stop_sequence", Finish::Stop),
        ("pause_turn", Finish::Stop),
        ("max_tokens", Finish::Length),
        ("model_context_window_exceeded", Finish::Length),
        ("refusal", Finish::ContentFilter),
    ];
    for (reason, finish) in reasons {
        let captured = read(&[begin(0, json!({"type": "text", "text": "hi"})), end(reason)]);
        assert_eq!(captured.finish, Some(finish), "{reason}");
    }
}

/// Upstream ignores `error` events, so that half an answer counts as a whole one.
#[test]
fn an_error_event_ends_the_reply() {
    let overloaded = json!({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}});

    let captured =
        read(&[begin(0, json!({"type": "text", "text": "so far"})), overloaded, json!({"type": "message_stop"})]);

    assert_eq!((captured.text.as_str(), class(&captured)), ("so far", Some(ErrorClass::Overloaded)));
}

#[test]
fn what_the_server_keeps_to_itself_is_passed_over() {
    let events = [
        json!({"type": "ping"}),
        begin(0, json!({"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {}})),
        delta(0, json!({"type": "input_json_delta", "partial_json": "{\"query\":\"x\"}"})),
        begin(1, json!({"type": "text", "text": "hi"})),
        delta(1, json!({"type": "citations_delta", "citation": {}})),
        end("end_turn"),
    ];

    let captured = read(&events);

    assert_eq!((captured.text.as_str(), captured.calls.len()), ("hi", 0));
}

#[test]
fn a_body_that_is_one_message_is_a_reply() {
    let body = json!({"type": "message", "role": "assistant", "stop_reason": "tool_use", "usage": {"input_tokens": 1},
        "content": [{"type": "text", "text": "hi"}, {"type": "tool_use", "id": "t", "name": "read", "input": {}}]});

    let captured = read_body(Format::Anthropic, 200, &[], body.to_string().as_bytes(), &[]);

    assert_eq!((captured.text.as_str(), captured.calls.len(), captured.error), ("hi", 1, None));
}

#[test]
fn a_body_that_is_one_error_is_an_error() {
    let body = json!({"type": "error", "error": {"type": "rate_limit_error", "message": "slow"}}).to_string();

    assert_eq!(class(&read_body(Format::Anthropic, 200, &[], body.as_bytes(), &[])), Some(ErrorClass::RateLimited));
}

#[test]
fn a_character_that_is_split_over_two_deltas_is_put_together() {
    let split = |kind: &str, key: &str, index: u64, before: &str, after: &str| {
        [format!("{before}\\ud83d"), format!("\\ude00{after}")].map(|text| {
            let delta = format!(r#"{{"type":"{kind}","{key}":"{text}"}}"#);
            format!("data: {{\"type\":\"content_block_delta\",\"index\":{index},\"delta\":{delta}}}\n\n")
        })
    };
    let call = begin(1, json!({"type": "tool_use", "id": "t", "name": "read", "input": {}}));
    let body = [
        stream(&[begin(0, json!({"type": "text", "text": ""})), call]),
        split("text_delta", "text", 0, "x", "y").concat(),
        split("input_json_delta", "partial_json", 1, r#"{\"t\":\""#, r#"\"}"#).concat(),
        stream(&[end("tool_use")]),
    ];

    let captured = read_body(Format::Anthropic, 200, &[], body.concat().as_bytes(), &[]);

    assert_eq!(captured.text, "x😀y");
    let Arguments::Object(arguments) = &captured.calls[0].arguments else { panic!("{captured:?}") };
    assert_eq!(arguments["t"], json!("😀"));
}
