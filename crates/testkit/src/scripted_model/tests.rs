//! The server through its socket, by a bare client.

use chat::ErrorClass;
use futures_util::StreamExt;
use reqwest::{Client, Response};
use serde_json::{Value, json};

use super::*;
use crate::Gate;

fn body_of(text: &str) -> Value {
    json!({"model": "m", "stream": true, "messages": [{"role": "user", "content": text}]})
}

async fn post(model: &ScriptedModel, body: &Value) -> Response {
    let url = format!("{}/chat/completions", model.openai_url());
    Client::new().post(url).bearer_auth(model.key()).json(body).send().await.expect("the server answers")
}

async fn say(model: &ScriptedModel, text: &str) -> String {
    post(model, &body_of(text)).await.text().await.expect("the body is whole")
}

/// The texts in a body of event stream, joined.
fn texts(body: &str) -> String {
    let data = body.lines().filter_map(|line| line.strip_prefix("data: ")).filter(|data| *data != "[DONE]");
    let chunks = data.map(|data| serde_json::from_str::<Value>(data).expect("each event is JSON"));
    chunks.filter_map(|chunk| chunk["choices"][0]["delta"]["content"].as_str().map(str::to_owned)).collect()
}

#[tokio::test]
async fn steps_are_played_in_order() {
    let model = ScriptedModel::start().await;
    model.script([Step::text("one"), Step::text("two").chars_per_event(1)]);

    let (one, two) = (say(&model, "a").await, say(&model, "b").await);

    assert_eq!((texts(&one).as_str(), texts(&two).as_str()), ("one", "two"));
    assert!(two.ends_with("data: [DONE]\n\n"), "{two}");
    assert_eq!(model.request(2).await.turn_text(), "b");
    model.finish();
}

#[tokio::test]
async fn calls_come_in_fragments_with_ids_of_their_own() {
    let model = ScriptedModel::start().await;
    model.script([Step::calls([("ls", json!({"path": "."})), ("read", json!({}))]).chars_per_event(4)]);

    let body = say(&model, "look").await;

    for piece in
        [r#""id":"call_1_0""#, r#""id":"call_1_1""#, r#""arguments":"{\"pa""#, r#""finish_reason":"tool_calls""#]
    {
        assert!(body.contains(piece), "{piece} in {body}");
    }
}

#[tokio::test]
async fn usage_is_told_when_it_is_asked_for() {
    let model = ScriptedModel::start().await;
    model.respond_with(|_| Step::text("hi"));
    let mut asks = body_of("a");
    asks["stream_options"] = json!({"include_usage": true});

    let told = post(&model, &asks).await.text().await.expect("the body is whole");
    let untold = say(&model, "a").await;

    assert!(told.contains(r#""prompt_tokens":100"#), "{told}");
    assert!(!untold.contains("prompt_tokens"), "{untold}");
}

#[tokio::test]
async fn without_streaming_the_reply_is_one_object() {
    let model = ScriptedModel::start().await;
    model.script([Step::reasoning("hm").then_text("hi").then_calls([("ls", json!({}))])]);
    let mut body = body_of("a");
    body["stream"] = false.into();

    let reply: Value = post(&model, &body).await.json().await.expect("it is JSON");

    let message = &reply["choices"][0]["message"];
    assert_eq!(message["content"], "hi");
    assert_eq!(message["reasoning_content"], "hm");
    assert_eq!(message["tool_calls"][0]["function"], json!({"name": "ls", "arguments": "{}"}));
    assert_eq!(reply["usage"]["total_tokens"], 110);
}

#[tokio::test]
async fn conversations_have_scripts_of_their_own() {
    let model = ScriptedModel::start().await;
    model.when("plum", [Step::text("purple")]);
    model.when("pear", [Step::text("green")]);

    let (pear, plum) = tokio::join!(say(&model, "a pear?"), say(&model, "a plum?"));

    assert_eq!((texts(&pear).as_str(), texts(&plum).as_str()), ("green", "purple"));
}

#[tokio::test]
async fn what_was_said_earlier_does_not_choose_the_conversation() {
    let model = ScriptedModel::start().await;
    model.when("plum", [Step::text("purple")]);
    model.script([Step::text("green")]);
    let earlier = |text| json!({"role": "user", "content": text});
    let said = |text| json!({"role": "assistant", "content": text});
    let mut body = body_of("");
    body["messages"] = json!([earlier("a plum?"), said("purple"), earlier("a pear?")]);

    let pear = post(&model, &body).await.text().await.expect("the body is whole");

    assert_eq!(texts(&pear), "green");
    say(&model, "a plum?").await;
}

#[tokio::test]
async fn a_gate_holds_the_stream_until_it_is_opened() {
    let (model, gate) = (ScriptedModel::start().await, Gate::new());
    model.script([Step::text("be").gate(&gate).then_text("fore")]);

    let mut stream = post(&model, &body_of("a")).await.bytes_stream();
    gate.reached().await;
    let mut before = String::new();
    while !before.contains("\"be\"") {
        let bytes = stream.next().await.expect("there is more").expect("the connection holds");
        before.push_str(&String::from_utf8_lossy(&bytes));
    }
    assert!(!before.contains("fore"), "{before}");
    gate.open();
    let after: Vec<_> = stream.map(|bytes| bytes.expect("the connection holds")).collect().await;

    assert!(String::from_utf8_lossy(&after.concat()).contains("fore"));
}

#[tokio::test]
async fn errors_come_in_the_services_form() {
    let model = ScriptedModel::start().await;
    model.script([Step::retry_after(429, 35), Step::overflow(), Step::status(500), Step::no_quota()]);

    let limited = post(&model, &body_of("a")).await;
    assert_eq!((limited.status().as_u16(), &limited.headers()["retry-after"]), (429, &"35".parse().expect("ASCII")));
    assert_eq!(code(limited).await, "rate_limit_exceeded");

    let overflow = post(&model, &body_of("a")).await;
    assert_eq!((overflow.status().as_u16(), code(overflow).await.as_str()), (400, "context_length_exceeded"));
    assert_eq!(post(&model, &body_of("a")).await.status(), 500);
    assert_eq!(code(post(&model, &body_of("a")).await).await, "insufficient_quota");
}

async fn code(response: Response) -> String {
    let body: Value = response.json().await.expect("it is JSON");
    body["error"]["code"].as_str().expect("there is a code").to_owned()
}

#[tokio::test]
async fn a_cut_breaks_the_body_and_an_early_end_does_not() {
    let model = ScriptedModel::start().await;
    model.script([Step::cut_after("half"), Step::ends_after("half")]);

    let cut: Vec<_> = post(&model, &body_of("a")).await.bytes_stream().collect().await;
    let ended = say(&model, "a").await;

    let before: Vec<u8> = cut.iter().flatten().flatten().copied().collect();
    assert_eq!(texts(&String::from_utf8_lossy(&before)), "half");
    assert!(cut.last().expect("it broke").is_err());
    assert_eq!(texts(&ended), "half");
    assert!(!ended.contains("finish_reason\":\"stop") && !ended.contains("[DONE]"), "{ended}");
}

#[tokio::test]
async fn a_closed_connection_gives_no_answer() {
    let model = ScriptedModel::start().await;
    model.script([Step::disconnect(), Step::text("still here")]);
    let url = format!("{}/chat/completions", model.openai_url());

    let closed = Client::new().post(url).bearer_auth(model.key()).json(&body_of("a")).send().await;

    assert!(closed.is_err());
    assert_eq!(texts(&say(&model, "b").await), "still here");
}

#[tokio::test]
async fn who_hangs_up_is_noticed_during_a_stall_and_during_silence() {
    let model = ScriptedModel::start().await;
    model.script([Step::stall_after("half"), Step::silence()]);

    drop(post(&model, &body_of("a")).await);
    model.await_hangup(1).await;

    let body = body_of("b");
    tokio::select! {
        _ = post(&model, &body) => panic!("silence was answered"),
        () = model.await_request(2) => {}
    }
    model.await_hangup(2).await;
}

#[tokio::test]
async fn bytes_may_be_cut_anywhere_and_bodies_be_anything() {
    let model = ScriptedModel::start().await;
    let raw = Step::raw(200, "text/html", [b"<html>".to_vec(), b"</html>".to_vec()]).header("x-request-id", "r1");
    model.script([Step::text("drei Äpfel").bytes_per_write(1), raw]);

    let cut = say(&model, "a").await;
    let html = post(&model, &body_of("a")).await;

    assert_eq!(texts(&cut), "drei Äpfel");
    assert_eq!(html.headers()["x-request-id"], "r1");
    assert_eq!(html.text().await.expect("the body is whole"), "<html></html>");
}

#[tokio::test]
async fn an_error_inside_the_stream_follows_the_text() {
    let model = ScriptedModel::start().await;
    model.script([Step::text("half").then_error(ErrorClass::Server).unfinished()]);

    let body = say(&model, "a").await;

    assert!(body.contains(r#"data: {"error":{"#), "{body}");
}

#[tokio::test]
async fn the_models_are_listed_without_a_step() {
    let model = ScriptedModel::start().await;
    let url = format!("{}/models", model.openai_url());

    let list: Value =
        Client::new().get(url).bearer_auth(model.key()).send().await.expect("it answers").json().await.expect("JSON");

    assert_eq!(list["data"][0]["id"], "scripted");
    assert!(model.requests().is_empty());
}

#[tokio::test]
#[should_panic(expected = "Unrecognized request argument supplied: top_k")]
async fn a_broken_rule_fails_the_test_at_its_end() {
    let model = ScriptedModel::start().await;
    let mut body = body_of("a");
    body["top_k"] = 3.into();

    post(&model, &body).await;

    model.finish();
}

#[tokio::test]
async fn a_broken_rule_may_be_what_the_test_is_about() {
    let model = ScriptedModel::start_with(Rules { max_body_bytes: 1000, ..Rules::default() });

    let refused = post(&model, &body_of(&"x".repeat(1000))).await;

    assert_eq!(refused.status(), 413);
    assert_eq!(model.take_refusals().len(), 1);
    model.finish();
}

#[tokio::test]
#[should_panic(expected = "steps left over: 1, the first is Step")]
async fn a_step_that_is_left_over_fails_the_test() {
    let model = ScriptedModel::start().await;
    model.script([Step::text("one"), Step::text("two")]);

    say(&model, "a").await;
}

#[tokio::test]
#[should_panic(expected = "steps left over for \"plum\": 1")]
async fn a_step_of_a_conversation_that_is_left_over_fails_the_test() {
    let model = ScriptedModel::start().await;

    model.when("plum", [Step::text("purple")]);
}

#[tokio::test]
#[should_panic(expected = "request 1 has no step left; it says \"a\"")]
async fn a_request_without_a_step_fails_the_test() {
    let model = ScriptedModel::start().await;

    assert_eq!(post(&model, &body_of("a")).await.status(), 500);
}

#[test]
fn it_serves_a_test_that_blocks_its_thread() {
    let model = ScriptedModel::start_with(Rules::default());
    model.script([Step::text("hi")]);
    let address = model.openai_url().replace("http://", "").replace("/v1", "");

    let mut stream = std::net::TcpStream::connect(address).expect("it listens");
    let body = body_of("a").to_string();
    let head = format!(
        "POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\nconnection: close\r\nauthorization: Bearer {}\r\n\
         content-type: application/json\r\ncontent-length: {}\r\n\r\n",
        model.key(),
        body.len()
    );
    std::io::Write::write_all(&mut stream, (head + &body).as_bytes()).expect("it reads");
    let mut answer = String::new();
    std::io::Read::read_to_string(&mut stream, &mut answer).expect("it closes after the answer");

    assert!(answer.starts_with("HTTP/1.1 200 OK"), "{answer}");
    model.finish();
}

#[tokio::test]
async fn one_script_serves_every_format() {
    let model = ScriptedModel::start().await;
    model.respond_with(|_| Step::reasoning("hm").then_text("hi").then_calls([("ls", json!({"path": "."}))]));
    let say = json!({"role": "user", "content": "a"});
    let anthropic = json!({"model": "m", "max_tokens": 100, "stream": true, "messages": [say]});
    let gemini = json!({"contents": [{"role": "user", "parts": [{"text": "a"}]}]});
    let client = Client::new();

    let request = client.post(format!("{}/v1/messages", model.anthropic_url())).header("x-api-key", model.key());
    let request = request.header("anthropic-version", "2023-06-01").json(&anthropic);
    let events = request.send().await.expect("it answers").text().await.expect("the body is whole");
    let url = format!("{}/v1beta/models/m:streamGenerateContent?alt=sse", model.gemini_url());
    let request = client.post(url).header("x-goog-api-key", model.key()).json(&gemini);
    let chunks = request.send().await.expect("it answers").text().await.expect("the body is whole");

    for piece in [
        "event: message_start",
        r#""delta":{"type":"signature_delta","signature":"signed-"#,
        r#""delta":{"type":"text_delta","text":"hi"}"#,
        r#""partial_json":"{\"path\":\".\"}""#,
        r#""stop_reason":"tool_use""#,
        "event: message_stop",
    ] {
        assert!(events.contains(piece), "{piece} in {events}");
    }
    for piece in [
        r#"{"text":"hm","thought":true}"#,
        r#"{"text":"hi"}"#,
        r#"{"functionCall":{"name":"ls","args":{"path":"."}},"thoughtSignature":"signed-"#,
        r#""finishReason":"STOP""#,
    ] {
        assert!(chunks.contains(piece), "{piece} in {chunks}");
    }
    assert_eq!(model.request(1).await.transcript(), model.request(2).await.transcript());
}

#[tokio::test]
async fn a_whole_reply_and_an_error_come_in_the_form_that_was_asked_for() {
    let model = ScriptedModel::start().await;
    model.script([Step::text("hi").finish("length"), Step::text("hi").finish("length"), Step::status(529)]);
    let say = json!({"role": "user", "content": "a"});
    let anthropic = json!({"model": "m", "max_tokens": 100, "messages": [say]});
    let gemini = json!({"contents": [{"role": "user", "parts": [{"text": "a"}]}]});
    let ask_anthropic = async || {
        let request = Client::new().post(format!("{}/v1/messages", model.anthropic_url()));
        let request = request.header("x-api-key", model.key()).header("anthropic-version", "2023-06-01");
        let response = request.json(&anthropic).send().await.expect("it answers");
        response.json::<Value>().await.expect("it is JSON")
    };

    let message = ask_anthropic().await;
    let url = format!("{}/v1beta/models/m:generateContent", model.gemini_url());
    let request = Client::new().post(url).header("x-goog-api-key", model.key()).json(&gemini);
    let response: Value = request.send().await.expect("it answers").json().await.expect("it is JSON");
    let overloaded = ask_anthropic().await;

    assert_eq!((&message["content"][0]["text"], &message["stop_reason"]), (&json!("hi"), &json!("max_tokens")));
    assert_eq!(response["candidates"][0]["finishReason"], "MAX_TOKENS");
    assert_eq!(overloaded["error"], json!({"type": "overloaded_error", "message": "Overloaded"}));
}
