use axum::http::{HeaderMap, HeaderValue, Method};
use serde_json::{Value, json};

use super::*;
use crate::scripted_model::format::signature;

const PATH: &str = "/v1beta/models/m:streamGenerateContent?alt=sse";

/// A request that nobody refuses: one turn that ended, one that runs.
fn request() -> Value {
    json!({
        "systemInstruction": {"parts": [{"text": "You help."}]},
        "contents": [
            {"role": "user", "parts": [{"text": "hello"}]},
            {"role": "model", "parts": [{"text": "hi"}]},
            {"role": "user", "parts": [
                {"text": "what is here?"},
                {"inlineData": {"mimeType": "image/png", "data": "AAAA"}},
            ]},
            {"role": "model", "parts": [
                {"functionCall": {"name": "ls", "args": {"path": "."}}, "thoughtSignature": signature("ls")},
                {"functionCall": {"name": "read", "args": {}}},
            ]},
            {"role": "user", "parts": [
                {"functionResponse": {"name": "ls", "response": {"output": "a.txt"}}},
                {"functionResponse": {"name": "read", "response": {"error": "none"}}},
            ]},
        ],
        "tools": [{"functionDeclarations": [{
            "name": "ls",
            "description": "Lists.",
            "parameters": {"type": "object", "properties": {"path": {"type": "string"}}},
        }]}],
        "generationConfig": {"maxOutputTokens": 1000},
    })
}

fn refusal_at(path: &str, body: &Value, key: Option<&'static str>) -> Option<Refusal> {
    let body = body.to_string();
    let headers: HeaderMap =
        key.map(|key| ("x-goog-api-key".parse().expect("legal"), HeaderValue::from_static(key))).into_iter().collect();
    let call = Call { method: &Method::POST, path, headers: &headers, body: body.as_bytes() };
    check(&call, &Rules { key: "k".into(), ..Rules::default() }).err()
}

fn refusal_of(body: &Value) -> Option<Refusal> {
    refusal_at(PATH, body, Some("k"))
}

/// What is put in which place of the good request, and a piece of the refusal that this has to bring.
fn bad_requests() -> Vec<(&'static str, Value, &'static str)> {
    vec![
        ("/messages", json!([]), "Unknown name \"messages\": Cannot find field"),
        ("/systemInstruction", json!({"parts": []}), "system_instruction.parts: must hold a text"),
        ("/contents", json!([]), "contents is not specified"),
        ("/contents/0/role", json!("assistant"), "Please use a valid role: user, model."),
        ("/contents/0/parts", json!([]), "contents[0].parts: contents.parts must not be empty"),
        ("/contents/0/parts/0", json!({"text": ""}), "contents[0].parts[0].data: required oneof field 'data'"),
        ("/contents/3/parts/0/functionCall/args", json!("x"), "Invalid value at 'function_call.args'"),
        ("/contents/4/parts/0/functionResponse/response", json!("x"), "Invalid value at 'function_response.response'"),
        ("/contents/4/parts/1", json!({"text": "x"}), "number of function response parts is equal"),
        ("/contents/4/parts/1/functionResponse/name", json!("ls"), "names of function responses differ"),
        ("/contents/3/role", json!("user"), "function call turn comes from the model"),
        ("/contents/4/role", json!("model"), "end with a user role"),
        ("/contents/3/parts/0/thoughtSignature", json!(null), "`default_api:ls` , position 3"),
        ("/contents/3/parts/0/thoughtSignature", json!("x"), "Thought signature is not valid"),
        ("/tools/0/functionDeclarations/0/name", json!("1st"), "Invalid function name"),
        (
            "/tools/0/functionDeclarations/0/parameters/additionalProperties",
            json!(false),
            "Unknown name \"additionalProperties\" at 'tools[0].function_declarations[0].parameters'",
        ),
        (
            "/tools/0/functionDeclarations/0/parameters/properties/path/type",
            json!(["string", "null"]),
            "parameters.properties[0].value': Proto field is not repeating",
        ),
        (
            "/tools/0/functionDeclarations/0/parameters/properties/path/const",
            json!("x"),
            "Unknown name \"const\" at 'tools[0].function_declarations[0].parameters.properties[0].value'",
        ),
    ]
}

#[test]
fn a_good_request_is_taken() {
    assert_eq!(refusal_of(&request()), None);
}

#[test]
fn each_bad_request_is_refused_for_its_reason() {
    for (place, value, reason) in bad_requests() {
        let mut body = request();
        let (parent, field) = place.rsplit_once('/').expect("a place begins with a slash");
        let parent = body.pointer_mut(parent).expect("all but the last part of the place is there");
        match field.parse::<usize>() {
            Ok(at) => parent[at] = value.clone(),
            Err(_) => parent[field] = value.clone(),
        }

        let refusal = refusal_of(&body).unwrap_or_else(|| panic!("{place} = {value} was taken"));

        let error = &refusal.body["error"];
        assert_eq!((refusal.status, &error["status"]), (400, &json!("INVALID_ARGUMENT")), "{place} = {value}");
        assert!(refusal.message.contains(reason), "{place} = {value}: {}", refusal.message);
    }
}

#[test]
fn a_call_at_the_end_without_its_result_is_refused() {
    let mut body = request();
    body["contents"].as_array_mut().expect("it is one").truncate(4);

    let refusal = refusal_of(&body).expect("the calls have no results");

    assert!(refusal.message.contains("immediately after a function call turn"), "{}", refusal.message);
}

#[test]
fn calls_of_turns_that_ended_need_no_signature() {
    let mut body = request();
    put_after_the_end(&mut body);
    body["contents"][3]["parts"][0].as_object_mut().expect("it is one").remove("thoughtSignature");

    assert_eq!(refusal_of(&body), None);
}

fn put_after_the_end(body: &mut Value) {
    let contents = body["contents"].as_array_mut().expect("it is one");
    contents.push(json!({"role": "model", "parts": [{"text": "One file."}]}));
    contents.push(json!({"role": "user", "parts": [{"text": "thanks"}]}));
}

#[test]
fn the_key_may_be_in_the_header_or_in_the_address() {
    let address = |key: &str| format!("{PATH}&key={key}");

    assert_eq!(refusal_at(&address("k"), &request(), None), None);
    assert_eq!(refusal_at(&address("wrong"), &request(), None).expect("wrong key").status, 400);
    assert_eq!(refusal_at(PATH, &request(), None).expect("no key").status, 403);
}

#[test]
fn another_path_does_not_exist() {
    for path in ["/v1beta/models/m:streamGenerateContent", "/v1beta/m:generateContent", "/v1beta/models/m"] {
        assert_eq!(refusal_at(path, &request(), Some("k")).expect(path).status, 404);
    }
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
        "call ls: ls {\"path\":\".\"}",
        "call read: read {}",
        "result ls: a.txt",
        "result read: none",
    ];
    assert_eq!(lines, expected);
}

#[test]
fn fields_may_be_written_in_snake_case() {
    let text = request().to_string();
    let snake = ["systemInstruction", "functionCall", "functionResponse", "functionDeclarations", "thoughtSignature"]
        .iter()
        .fold(text, |text, name| text.replace(&format!("\"{name}\""), &format!("\"{}\"", check::snake(name))));
    let body: Value = serde_json::from_str(&snake).expect("only names were changed");

    assert_eq!(refusal_of(&body), None);
    assert_eq!(lines(&body).len(), 9);
}
