use axum::http::{HeaderMap, HeaderValue, Method, header};
use serde_json::{Value, json};

use super::*;

/// A request that nobody refuses: two turns, the first with two calls.
fn request() -> Value {
    json!({
        "model": "m",
        "stream": true,
        "stream_options": {"include_usage": true},
        "messages": [
            {"role": "system", "content": "You help."},
            {"role": "user", "content": "what is here?"},
            {"role": "assistant", "content": null, "tool_calls": [call("c1"), call("c2")]},
            {"role": "tool", "tool_call_id": "c1", "content": ""},
            {"role": "tool", "tool_call_id": "c2", "content": "a.txt"},
            {"role": "assistant", "content": "One file."},
            {"role": "user", "content": [
                {"type": "text", "text": "and this?"},
                {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}},
            ]},
        ],
        "tools": [{
            "type": "function",
            "function": {"name": "ls", "description": "Lists.", "parameters": {"type": "object", "properties": {}}},
        }],
    })
}

fn call(id: &str) -> Value {
    json!({"id": id, "type": "function", "function": {"name": "ls", "arguments": "{\"path\":\".\"}"}})
}

fn headers(key: &str) -> HeaderMap {
    let mut headers = HeaderMap::new();
    headers.insert(header::AUTHORIZATION, format!("Bearer {key}").parse().expect("the key is ASCII"));
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers
}

fn check_with(body: &Value, rules: &Rules) -> Result<Value, Refusal> {
    let body = body.to_string();
    let headers = headers(&rules.key);
    check(
        &Call { method: &Method::POST, path: "/v1/chat/completions", headers: &headers, body: body.as_bytes() },
        rules,
    )
}

/// What is put in which place of the good request, and a piece of the refusal that this has to bring.
fn bad_requests() -> Vec<(&'static str, Value, &'static str)> {
    let long = "x".repeat(1025);
    vec![
        ("/model", json!(""), "you must provide a model parameter"),
        ("/top_k", json!(3), "Unrecognized request argument supplied: top_k"),
        ("/stream", json!(false), "'stream_options' parameter is only allowed"),
        ("/messages", json!([]), "Invalid 'messages': empty array"),
        ("/messages", json!("hello"), "Invalid type for 'messages'"),
        ("/messages/0/role", json!("robot"), "Supported values are"),
        ("/messages/1/role", json!("system"), "System message must be at the beginning"),
        ("/messages/1/hidden", json!(true), "Unknown parameter: 'messages[1].hidden'"),
        ("/messages/1/content", json!(null), "expected a string, got null"),
        ("/messages/1/content", json!(""), "must not be empty"),
        ("/messages/1/content", json!({"text": "x"}), "Invalid type for 'messages[1].content'"),
        ("/messages/1/content", json!([]), "Invalid 'messages[1].content': empty array"),
        ("/messages/6/content/0/text", json!(""), "Invalid 'messages[6].content[0].text': empty string"),
        ("/messages/6/content/0/type", json!("video"), "Supported values are: 'text', 'image_url'"),
        ("/messages/6/content/1/image_url", json!({}), "Missing required parameter"),
        ("/messages/6/role", json!("assistant"), "Expected last role User or Tool"),
        ("/messages/1/tool_calls", json!([call("c9")]), "Unknown parameter: 'messages[1].tool_calls'"),
        ("/messages/2/tool_calls", json!([]), "Invalid 'messages[2].tool_calls': empty array"),
        ("/messages/2/tool_calls", json!([call("c1")]), "must be a response to a preceeding message"),
        ("/messages/2/tool_calls/0/id", json!(long), "string too long. Expected a string with maximum length 40"),
        ("/messages/2/tool_calls/0/id", json!(""), "Invalid 'messages[2].tool_calls[0].id': empty string"),
        ("/messages/2/tool_calls/1/id", json!("c1"), "Duplicate tool call id: c1"),
        (
            "/messages/2/tool_calls/0/type",
            json!("tool"),
            "Missing required parameter: 'messages[2].tool_calls[0].type'",
        ),
        ("/messages/2/tool_calls/0/function/name", json!("l s"), "does not match pattern"),
        ("/messages/2/tool_calls/0/function/arguments", json!({}), "expected a string"),
        ("/messages/2/tool_calls/0/function/arguments", json!("{\"a\":"), "not a JSON object"),
        ("/messages/3/tool_call_id", json!("c9"), "must be a response to a preceeding message"),
        (
            "/messages/4/tool_call_id",
            json!("c1"),
            "Duplicate value for 'tool_call_id' of 'c1', in messages[3] and messages[4]",
        ),
        ("/messages/4/role", json!("user"), "did not have response messages: c2"),
        ("/tools", json!([]), "Invalid 'tools': empty array"),
        ("/tools/0/type", json!("x"), "Missing required parameter: 'tools[0].type'"),
        ("/tools/0/function/name", json!("a.b"), "does not match pattern"),
        ("/tools/0/function/name", json!(""), "empty string"),
        ("/tools/0/function/description", json!(long), "maximum length 1024, but got a string with length 1025"),
        ("/tools/0/function/parameters", json!([]), "[] is not of type 'object', 'boolean'"),
        ("/tools/0/function/parameters", json!({}), "got 'type: \"None\"'"),
        ("/tools/0/function/parameters", json!({"type": "object"}), "object schema missing properties"),
    ]
}

/// Puts a value in a place that may not be there yet.
fn put(body: &mut Value, place: &str, value: Value) {
    let (parent, field) = place.rsplit_once('/').expect("a place begins with a slash");
    let parent = body.pointer_mut(parent).expect("all but the last part of the place is there");
    match field.parse::<usize>() {
        Ok(at) if parent.is_array() => parent[at] = value,
        _ => parent[field] = value,
    }
}

#[test]
fn a_good_request_is_taken() {
    let taken = check_with(&request(), &Rules::default());

    assert_eq!(taken, Ok(request()));
}

#[test]
fn each_bad_request_is_refused_for_its_reason() {
    for (place, value, reason) in bad_requests() {
        let mut body = request();
        put(&mut body, place, value.clone());

        let refusal = check_with(&body, &Rules::default()).expect_err(&format!("{place} = {value}"));

        assert_eq!(refusal.status, 400, "{place} = {value}");
        assert!(refusal.message.contains(reason), "{place} = {value}: {}", refusal.message);
        assert_eq!(refusal.body["error"]["message"], refusal.message.as_str());
        assert!(refusal.body["error"]["type"].is_string());
    }
}

#[test]
fn a_call_at_the_end_without_its_result_is_refused() {
    let mut body = request();
    let messages = body["messages"].as_array_mut().expect("it is a list");
    messages.truncate(4);

    let refusal = check_with(&body, &Rules::default()).expect_err("c2 has no result");

    assert!(refusal.message.ends_with("did not have response messages: c2"), "{}", refusal.message);
}

#[test]
fn a_choice_of_tools_without_tools_is_refused() {
    let mut body = request();
    let fields = body.as_object_mut().expect("it is an object");
    fields.remove("tools");
    fields.insert("tool_choice".into(), "auto".into());

    let refusal = check_with(&body, &Rules::default()).expect_err("there are no tools");

    assert!(refusal.message.contains("only allowed when 'tools' are specified"), "{}", refusal.message);
}

#[test]
fn two_tools_of_one_name_are_refused() {
    let mut body = request();
    let tool = body["tools"][0].clone();
    body["tools"].as_array_mut().expect("it is a list").push(tool);

    let refusal = check_with(&body, &Rules::default()).expect_err("there are two of them");

    assert_eq!(refusal.message, "Duplicate tool name: ls");
}

#[test]
fn roles_need_to_alternate_only_where_the_rules_say_so() {
    let mut body = request();
    put(&mut body, "/messages/5", json!({"role": "user", "content": "well?"}));
    let strict = Rules { roles_alternate: true, ..Rules::default() };

    assert!(check_with(&body, &Rules::default()).is_ok());
    assert!(check_with(&body, &strict).is_err());
}

#[test]
fn what_is_not_json_is_refused() {
    let rules = Rules::default();
    for body in [&b"{\"model\": \"m\", \"messages\": "[..], b"[]", b"{\"model\": \"\xff\"}", b""] {
        let headers = headers(&rules.key);
        let call = Call { method: &Method::POST, path: "/v1/chat/completions", headers: &headers, body };

        let refusal = check(&call, &rules).expect_err("it is not an object of JSON");

        assert!(refusal.message.starts_with("We could not parse the JSON body"), "{}", refusal.message);
    }
}

#[test]
fn a_wrong_key_and_none_are_unauthorized() {
    let body = request().to_string();
    let refusal = |headers: HeaderMap| {
        let call =
            Call { method: &Method::POST, path: "/v1/chat/completions", headers: &headers, body: body.as_bytes() };
        check(&call, &Rules::default()).expect_err("the key is not the right one")
    };

    let (wrong, none) = (refusal(headers("sk-wrong")), refusal(HeaderMap::new()));

    assert_eq!((wrong.status, wrong.body["error"]["code"].as_str()), (401, Some("invalid_api_key")));
    assert!(!wrong.message.contains("sk-wrong"), "the key is masked: {}", wrong.message);
    assert_eq!(none.status, 401);
}

#[test]
fn another_path_does_not_exist() {
    let rules = Rules::default();
    let headers = headers(&rules.key);

    let refusal =
        check(&Call { method: &Method::POST, path: "/v1/v1/chat/completions", headers: &headers, body: b"{}" }, &rules);

    assert_eq!(refusal.expect_err("the path is wrong").status, 404);
}

#[test]
fn a_request_is_told_line_by_line() {
    let lines: Vec<String> = lines(&request()).iter().map(ToString::to_string).collect();

    let expected = [
        "system: You help.",
        "user: what is here?",
        "call c1: ls {\"path\":\".\"}",
        "call c2: ls {\"path\":\".\"}",
        "result c1: ",
        "result c2: a.txt",
        "assistant: One file.",
        "user: and this?",
        "image: image/png",
    ];
    assert_eq!(lines, expected);
}
