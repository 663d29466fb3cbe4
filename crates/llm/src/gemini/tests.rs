use chat::{ErrorClass, Finish, Reply, Usage};
use serde_json::{Value, json};

use crate::samples::{class, whole_reply};
use crate::{CapturedReply, Format, read_body};

fn stream(chunks: &[Value]) -> String {
    chunks.iter().map(|chunk| format!("data: {chunk}\r\n\r\n")).collect()
}

fn parts(parts: Value) -> Value {
    json!({"candidates": [{"index": 0, "content": {"role": "model", "parts": parts}}]})
}

fn end(reason: &str) -> Value {
    json!({"candidates": [{"index": 0, "finishReason": reason}]})
}

fn read(chunks: &[Value]) -> CapturedReply {
    read_body(Format::Gemini, 200, &[], stream(chunks).as_bytes(), &[])
}

fn reply(chunks: &[Value]) -> Reply {
    whole_reply(Format::Gemini, &stream(chunks))
}

#[test]
fn thoughts_are_reasoning_and_the_rest_is_text() {
    let chunks = [
        parts(json!([{"text": "plan", "thought": true}])),
        parts(json!([{"text": "Hel"}])),
        json!({"candidates": [{"content": {"parts": [{"text": "lo"}]}, "finishReason": "STOP"}]}),
    ];

    let captured = read(&chunks);

    assert_eq!((captured.text.as_str(), captured.reasoning.as_str()), ("Hello", "plan"));
    assert_eq!((captured.finish, captured.error), (Some(Finish::Stop), None));
}

#[test]
fn a_finish_on_every_chunk_loses_no_text() {
    let chunk = |text: &str| json!({"candidates": [{"content": {"parts": [{"text": text}]}, "finishReason": "STOP"}]});

    assert_eq!(read(&[chunk("ha"), chunk(" ha"), chunk(" ha")]).text, "ha ha ha");
}

#[test]
fn a_calls_signature_and_id_stay_with_it() {
    let call = json!({"functionCall": {"id": "f1", "name": "read", "args": {"a": 1}}, "thoughtSignature": "sig"});

    let reply = reply(&[parts(json!([call, {"functionCall": {"name": "get"}}])), end("STOP")]);

    let provider = reply.calls[0].provider.as_ref().expect("it is signed");
    assert_eq!((provider.vendor.as_str(), provider.model.as_str()), ("v", "m"));
    assert_eq!(provider.data, json!({"thoughtSignature": "sig", "id": "f1"}));
    assert_eq!(reply.calls[0].id, "f1");
    assert_eq!(reply.calls[1].provider, None);
}

#[test]
fn a_texts_signature_is_kept_apart_from_the_thoughts() {
    let chunks = [
        parts(json!([{"text": "plan", "thought": true}])),
        parts(json!([{"text": "hi"}, {"text": "", "thoughtSignature": "sig"}])),
        end("STOP"),
    ];

    let reasoning = reply(&chunks).reasoning;

    assert_eq!(reasoning.len(), 2);
    assert_eq!((reasoning[0].text.as_str(), reasoning[1].text.as_str()), ("plan", ""));
    assert_eq!(reasoning[1].provider.as_ref().expect("it is signed").data, json!({"thoughtSignature": "sig"}));
}

#[test]
fn a_blocked_prompt_is_an_empty_reply_of_the_filter() {
    let captured =
        read(&[json!({"promptFeedback": {"blockReason": "SAFETY"}, "usageMetadata": {"promptTokenCount": 4}})]);

    assert_eq!((captured.finish, class(&captured)), (Some(Finish::ContentFilter), Some(ErrorClass::Empty)));
}

#[test]
fn finishes_are_mapped() {
    let finishes = [
        ("STOP", Finish::Stop),
        ("MAX_TOKENS", Finish::Length),
        ("SAFETY", Finish::ContentFilter),
        ("RECITATION", Finish::ContentFilter),
        ("MALFORMED_FUNCTION_CALL", Finish::Stop),
    ];
    for (reason, finish) in finishes {
        assert_eq!(read(&[parts(json!([{"text": "x"}])), end(reason)]).finish, Some(finish), "{reason}");
    }
}

#[test]
fn a_stream_without_a_finish_is_cut_off() {
    let captured = read(&[parts(json!([{"text": "half"}])), end("FINISH_REASON_UNSPECIFIED")]);

    assert_eq!((captured.text.as_str(), class(&captured)), ("half", Some(ErrorClass::Truncated)));
}

#[test]
fn usage_counts_thoughts_among_the_output() {
    let usage = json!({"promptTokenCount": 10, "cachedContentTokenCount": 4, "candidatesTokenCount": 3, "thoughtsTokenCount": 5});
    let last = json!({"candidates": [{"content": {"parts": [{"text": "x"}]}, "finishReason": "STOP"}], "usageMetadata": usage});

    assert_eq!(reply(&[last]).usage, Some(Usage { input: 10, cached: 4, output: 8 }));
}

#[test]
fn an_error_in_a_stream_ends_it() {
    let error = json!({"error": {"code": 503, "message": "The model is overloaded.", "status": "UNAVAILABLE"}});

    let captured = read(&[parts(json!([{"text": "so far"}])), error]);

    assert_eq!((captured.text.as_str(), class(&captured)), ("so far", Some(ErrorClass::Overloaded)));
}

#[test]
fn a_body_that_is_an_array_of_chunks_is_a_reply() {
    let body = json!([parts(json!([{"text": "a"}])), parts(json!([{"text": "b"}])), end("STOP")]).to_string();

    let captured = read_body(Format::Gemini, 200, &[], body.as_bytes(), &[]);

    assert_eq!((captured.text.as_str(), captured.error), ("ab", None));
}

#[test]
fn a_body_that_is_an_array_with_an_error_is_an_error() {
    let body = json!([{"error": {"code": 429, "status": "RESOURCE_EXHAUSTED"}}]).to_string();

    assert_eq!(class(&read_body(Format::Gemini, 200, &[], body.as_bytes(), &[])), Some(ErrorClass::RateLimited));
}

#[test]
fn a_character_that_is_split_over_two_chunks_is_put_together() {
    let chunk =
        |text: &str| format!(r#"data: {{"candidates":[{{"content":{{"parts":[{{"text":"{text}"}}]}}}}]}}"#) + "\n\n";
    let body = chunk("x\\ud83d") + &chunk("\\ude00y") + &stream(&[end("STOP")]);

    assert_eq!(read_body(Format::Gemini, 200, &[], body.as_bytes(), &[]).text, "x😀y");
}

#[test]
fn what_is_said_in_the_chunk_that_tells_of_an_error_is_kept() {
    let last =
        json!({"candidates": [{"content": {"parts": [{"text": "lo"}]}}], "error": {"code": 503, "message": "m"}});

    let captured = read(&[parts(json!([{"text": "Hel"}])), last]);

    assert_eq!((captured.text.as_str(), class(&captured)), ("Hello", Some(ErrorClass::Overloaded)));
}

#[test]
fn arguments_whose_whole_number_would_be_rounded_are_refused() {
    let call = |number: &str| {
        let part = format!(r#"{{"functionCall":{{"name":"get","args":{{"id":{number}}}}}}}"#);
        let body =
            format!("data: {{\"candidates\":[{{\"content\":{{\"parts\":[{part}]}},\"finishReason\":\"STOP\"}}]}}\n\n");
        read_body(Format::Gemini, 200, &[], body.as_bytes(), &[]).calls.remove(0).arguments
    };

    assert!(matches!(call("18446744073709551615"), chat::Arguments::Object(_)));
    assert!(matches!(call("18446744073709551616"), chat::Arguments::Refused { .. }));
    assert!(matches!(call("1.5"), chat::Arguments::Object(_)));
}
