use axum::http::{HeaderMap, HeaderValue, Method};
use serde_json::{Value, json};

use super::*;
use crate::scripted_model::format::signature;

/// A request that nobody refuses: one turn that ended, one that runs and thinks.
fn request() -> Value {
    json!({
        "model": "m",
        "max_tokens": 4096,
        "stream": true,
        "thinking": {"type": "enabled", "budget_tokens": 2048},
        "system": [{"type": "text", "text": "You help.", "cache_control": {"type": "ephemeral"}}],
        "messages": [
            {"role": "user", "content": "hello"},
            {"role": "assistant", "content": [{"type": "text", "text": "hi"}]},
            {"role": "user", "content": [
                {"type": "text", "text": "what is here?"},
                {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AAAA"}},
            ]},
            {"role": "assistant", "content": [
                {"type": "thinking", "thinking": "hm", "signature": signature("hm")},
                {"type": "tool_use", "id": "c1", "name": "ls", "input": {"path": "."}},
                {"type": "tool_use", "id": "c2", "name": "ls", "input": {}},
            ]},
            {"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": "c1", "content": "a.txt"},
                {"type": "tool_result", "tool_use_id": "c2", "content": [{"type": "text", "text": "b.txt"}]},
                {"type": "text", "text": "and quickly"},
            ]},
        ],
        "tools": [{"name": "ls", "description": "Lists.", "input_schema": {"type": "object", "properties": {}}}],
    })
}

fn headers(key: &'static str) -> HeaderMap {
    let values = [("x-api-key", key), ("anthropic-version", "2023-06-01"), ("content-type", "application/json")];
    values.into_iter().map(|(name, value)| (name.parse().expect("legal"), HeaderValue::from_static(value))).collect()
}

fn refusal_of(body: &Value, headers: &HeaderMap) -> Option<Refusal> {
    let body = body.to_string();
    let call = Call { method: &Method::POST, path: "/v1/messages", headers, body: body.as_bytes() };
    check(&call, &Rules { key: "k".into(), ..Rules::default() }).err()
}

/// What is put in which place of the good request, and a piece of the refusal that this has to bring.
fn bad_requests() -> Vec<(&'static str, Value, &'static str)> {
    let text = |text: &str| json!([{"type": "text", "text": text}]);
    vec![
        ("/response_format", json!({}), "response_format: Extra inputs are not permitted"),
        ("/max_tokens", json!(0), "max_tokens: Input should be greater than or equal to 1"),
        ("/max_tokens", json!(2048), "`max_tokens` must be greater than `thinking.budget_tokens`"),
        ("/thinking/budget_tokens", json!(1000), "greater than or equal to 1024"),
        ("/temperature", json!(0.5), "`temperature` may only be set to 1"),
        ("/system", text(""), "system: text content blocks must be non-empty"),
        ("/messages", json!([]), "at least one message is required"),
        ("/messages/0/role", json!("system"), "messages.0.role: Input should be 'user' or 'assistant'"),
        ("/messages/0/role", json!("assistant"), "first message must use the \"user\" role"),
        ("/messages/1/role", json!("user"), "found multiple \"user\" roles in a row"),
        ("/messages/0/content", json!(""), "messages.0: all messages must have non-empty content"),
        ("/messages/1/content", json!([]), "messages.1: all messages must have non-empty content"),
        ("/messages/1/content", text(""), "text content blocks must be non-empty"),
        ("/messages/1/content", text(" \n"), "must contain non-whitespace text"),
        ("/messages/0/content", json!([{"type": "video"}]), "Input tag 'video'"),
        ("/messages/3/content/0/signature", json!(null), "thinking.signature: Field required"),
        ("/messages/3/content/0/thinking", json!("hmm"), "Invalid `signature` in `thinking` block"),
        (
            "/messages/3/content/0",
            json!({"type": "text", "text": "x"}),
            "Expected `thinking` or `redacted_thinking`, but found `text`",
        ),
        ("/messages/3/content/1/id", json!("a b"), "String should match pattern '^[a-zA-Z0-9_-]+$'"),
        ("/messages/3/content/1/name", json!(""), "String should match pattern '^[a-zA-Z0-9_-]{1,64}$'"),
        ("/messages/3/content/1/input", json!("{}"), "Input should be a valid dictionary"),
        ("/messages/3/content/2/id", json!("c1"), "`tool_use` ids must be unique"),
        ("/messages/4/content/1/tool_use_id", json!("c1"), "each tool_use must have a single result"),
        (
            "/messages/4/content/1/tool_use_id",
            json!("c9"),
            "unexpected `tool_use_id` found in `tool_result` blocks: c9",
        ),
        ("/messages/4/content/1", json!({"type": "text", "text": "x"}), "immediately after: c2"),
        ("/messages/4/content/0", json!({"type": "text", "text": "x"}), "immediately after: c1, c2"),
        ("/tools/0/name", json!("a.b"), "tools.0.custom.name"),
        ("/tools/0/input_schema", json!({}), "tools.0.custom.input_schema.type"),
        ("/tools", json!([]), "tool_choice: may only be specified while providing tools"),
    ]
}

#[test]
fn a_good_request_is_taken() {
    assert_eq!(refusal_of(&request(), &headers("k")), None);
}

#[test]
fn each_bad_request_is_refused_for_its_reason() {
    for (place, value, reason) in bad_requests() {
        let mut body = request();
        body["tool_choice"] = json!({"type": "auto"});
        let (parent, field) = place.rsplit_once('/').expect("a place begins with a slash");
        let parent = body.pointer_mut(parent).expect("all but the last part of the place is there");
        match field.parse::<usize>() {
            Ok(at) => parent[at] = value.clone(),
            Err(_) => parent[field] = value.clone(),
        }

        let refusal = refusal_of(&body, &headers("k")).unwrap_or_else(|| panic!("{place} = {value} was taken"));

        assert_eq!((refusal.status, &refusal.body["type"]), (400, &json!("error")), "{place} = {value}");
        assert!(refusal.message.contains(reason), "{place} = {value}: {}", refusal.message);
    }
}

#[test]
fn what_has_to_be_there_is_missed() {
    for field in ["model", "max_tokens", "messages"] {
        let mut body = request();
        body.as_object_mut().expect("it is one").remove(field);

        let refusal = refusal_of(&body, &headers("k")).expect("it is not complete");

        assert_eq!(refusal.message, format!("{field}: Field required"));
    }
}

#[test]
fn calls_in_the_history_need_tools_in_the_request() {
    let mut body = request();
    body.as_object_mut().expect("it is one").remove("tools");

    let refusal = refusal_of(&body, &headers("k")).expect("there are calls");

    assert!(refusal.message.ends_with("must define tools"), "{}", refusal.message);
}

#[test]
fn a_request_ends_with_the_user() {
    let mut body = request();
    body["messages"].as_array_mut().expect("it is one").truncate(2);

    let refusal = refusal_of(&body, &headers("k")).expect("the model spoke last");

    assert!(refusal.message.contains("final message must use"), "{}", refusal.message);
}

#[test]
fn five_cache_marks_are_one_too_many() {
    let mut body = request();
    let marked = json!({"type": "text", "text": "x", "cache_control": {"type": "ephemeral"}});
    body["system"] = json!([marked, marked, marked, marked, marked]);

    let refusal = refusal_of(&body, &headers("k")).expect("there are five");

    assert!(refusal.message.ends_with("Found 5."), "{}", refusal.message);
}

#[test]
fn headers_are_needed_and_checked() {
    let mut without_version = headers("k");
    without_version.remove("anthropic-version");

    assert_eq!(refusal_of(&request(), &headers("wrong")).expect("wrong key").status, 401);
    assert_eq!(refusal_of(&request(), &HeaderMap::new()).expect("no key").status, 401);
    assert_eq!(refusal_of(&request(), &without_version).expect("no version").status, 400);
}

#[test]
fn a_request_is_told_line_by_line() {
    let lines: Vec<String> = lines(&request()).iter().map(ToString::to_string).collect();

    let expected = [
        "system: You help.",
        "user: hello",
        "assistant: hi",
        "user: what is here?",
        "image: image/png",
        "call c1: ls {\"path\":\".\"}",
        "call c2: ls {}",
        "result c1: a.txt",
        "result c2: b.txt",
        "user: and quickly",
    ];
    assert_eq!(lines, expected);
}
