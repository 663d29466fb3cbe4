use serde_json::json;

use super::*;

fn response(status: u16, body: Value) -> ModelError {
    from_response(status, &[], body.to_string().as_bytes())
}

fn class_of(status: u16, body: Value) -> ErrorClass {
    response(status, body).class
}

fn event_class(body: Value) -> Option<ErrorClass> {
    from_value(&body).map(|error| error.class)
}

fn pause_of(status: u16, headers: &[(&str, &str)]) -> Option<u64> {
    let headers: Vec<_> = headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    from_response(status, &headers, b"{}").retry_after_ms
}

#[test]
fn a_status_alone_gives_the_class() {
    let classes = [
        (400, ErrorClass::BadRequest),
        (401, ErrorClass::Auth),
        (402, ErrorClass::Quota),
        (403, ErrorClass::Auth),
        (404, ErrorClass::BadRequest),
        (408, ErrorClass::Server),
        (413, ErrorClass::Overflow),
        (422, ErrorClass::BadRequest),
        (429, ErrorClass::RateLimited),
        (500, ErrorClass::Server),
        (502, ErrorClass::Server),
        (503, ErrorClass::Overloaded),
        (504, ErrorClass::Server),
        (529, ErrorClass::Overloaded),
    ];
    for (status, class) in classes {
        assert_eq!(from_response(status, &[], b"").class, class, "{status}");
    }
}

#[test]
fn a_code_says_more_than_the_status() {
    let error = |kind: &str, code: Value| json!({"error": {"message": "m", "type": kind, "code": code}});

    assert_eq!(class_of(429, error("insufficient_quota", json!("insufficient_quota"))), ErrorClass::Quota);
    assert_eq!(class_of(400, error("invalid_request_error", json!("context_length_exceeded"))), ErrorClass::Overflow);
    assert_eq!(class_of(400, error("exceed_context_size_error", json!(400))), ErrorClass::Overflow);
    assert_eq!(class_of(400, error("invalid_request_error", json!("content_filter"))), ErrorClass::ContentFilter);
    assert_eq!(class_of(401, error("invalid_request_error", Value::Null)), ErrorClass::Auth);
    assert_eq!(class_of(429, error("x", json!("1113"))), ErrorClass::Quota);
}

#[test]
fn googles_details_name_the_reason() {
    let bad_key = json!([{"error": {"code": 400, "message": "API key not valid.", "status": "INVALID_ARGUMENT",
        "details": [{"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "API_KEY_INVALID"}]}}]);
    let daily = json!({"error": {"code": 429, "message": "m", "status": "RESOURCE_EXHAUSTED", "details": [
        {"violations": [{"quotaId": "GenerateRequestsPerDayPerProjectPerModel-FreeTier"}]}, {"retryDelay": "20s"}]}});

    assert_eq!(class_of(400, bad_key), ErrorClass::Auth);
    assert_eq!(class_of(429, daily), ErrorClass::Quota);
}

#[test]
fn errors_inside_a_stream_have_their_class() {
    let gateway = json!({"error": {"message": "m", "type": "None", "param": "None", "code": "500"}});
    let throttled = json!({"error": {"message": "m", "type": "throttling_error", "code": "429"}});
    let behind = json!({"choices": [], "error": {"code": 502, "message": "m",
        "metadata": {"error_type": "provider_unavailable"}}});

    assert_eq!(event_class(gateway), Some(ErrorClass::Server));
    assert_eq!(event_class(throttled), Some(ErrorClass::RateLimited));
    assert_eq!(event_class(behind), Some(ErrorClass::Server));
    assert_eq!(
        event_class(json!({"type": "error", "error": {"type": "overloaded_error"}})),
        Some(ErrorClass::Overloaded)
    );
    assert_eq!(event_class(json!({"error": {"type": "authentication_error"}})), Some(ErrorClass::Auth));
    assert_eq!(event_class(json!({"error": {"type": "invalid_request_error"}})), Some(ErrorClass::BadRequest));
    assert_eq!(event_class(json!({"error": "something broke"})), Some(ErrorClass::Server));
    assert_eq!(event_class(json!({"object": "error", "message": "m", "code": 400})), Some(ErrorClass::BadRequest));
    assert_eq!(
        event_class(json!({"base_resp": {"status_code": 1004, "status_msg": "login fail"}})),
        Some(ErrorClass::Auth)
    );
}

#[test]
fn what_tells_of_no_error_is_none() {
    for value in [
        json!({}),
        json!({"error": null}),
        json!({"error": "", "choices": []}),
        json!({"choices": [], "message": "m"}),
        json!([]),
        json!(1),
    ] {
        assert_eq!(event_class(value.clone()), None, "{value}");
    }
    assert_eq!(event_class(json!({"base_resp": {"status_code": 0, "status_msg": "success"}})), None);
}

#[test]
fn phrases_count_only_where_the_request_is_to_blame() {
    let too_long = json!({"error": {"message": "This model's maximum context length is 8192 tokens.", "code": null}});
    let unpaired = json!({"type": "error", "error": {"type": "invalid_request_error",
        "message": "messages.2: `tool_use` ids were found without `tool_result` blocks immediately after: toolu_1."}});

    assert_eq!(class_of(400, too_long.clone()), ErrorClass::Overflow);
    assert_eq!(class_of(500, too_long.clone()), ErrorClass::Server);
    assert_eq!(event_class(too_long), Some(ErrorClass::Overflow));
    assert_eq!(class_of(400, unpaired), ErrorClass::MalformedHistory);
}

/// Upstream searches messages for "500", "retry" or "too large" (W18).
#[test]
fn w18_numbers_and_words_in_a_message_say_nothing() {
    let error = |message: &str| json!({"error": {"message": message, "type": "invalid_request_error"}});

    assert_eq!(class_of(400, error("image 500 of 502 is too large, 429 left")), ErrorClass::BadRequest);
    assert_eq!(class_of(401, error("expired, please retry with a new key; server is overloaded")), ErrorClass::Auth);
    assert_eq!(event_class(error("timeout must be under 503")), Some(ErrorClass::BadRequest));
}

#[test]
fn the_pause_is_read_in_all_its_spellings() {
    let date = ("Date", "Wed, 21 Oct 2026 07:28:00 GMT");

    assert_eq!(pause_of(429, &[("Retry-After", "7")]), Some(7_000));
    assert_eq!(pause_of(429, &[("retry-after", "0.5")]), Some(500));
    assert_eq!(pause_of(503, &[date, ("retry-after", "Wed, 21 Oct 2026 07:28:30 GMT")]), Some(30_000));
    assert_eq!(pause_of(503, &[date, ("retry-after", "Wed, 21 Oct 2026 07:27:30 GMT")]), Some(0));
    assert_eq!(pause_of(429, &[("retry-after-ms", "1200"), ("retry-after", "2")]), Some(1_200));
    assert_eq!(pause_of(429, &[("llm_provider-retry-after", "9")]), Some(9_000));
    assert_eq!(pause_of(429, &[("retry-after", "soon")]), None);
}

#[test]
fn a_limit_that_is_used_up_tells_when_it_is_reset() {
    let requests = [("x-ratelimit-remaining-requests", "0"), ("x-ratelimit-reset-requests", "1m30.5s")];
    let tokens = [("x-ratelimit-remaining-tokens", "100"), ("x-ratelimit-reset-tokens", "6m0s")];
    let date = ("date", "Wed, 21 Oct 2026 07:28:00 GMT");

    assert_eq!(pause_of(429, &[requests, tokens].concat()), Some(90_500));
    assert_eq!(pause_of(429, &[date, ("anthropic-ratelimit-tokens-reset", "2026-10-21T07:28:05Z")]), Some(5_000));
    assert_eq!(pause_of(429, &[date, ("X-RateLimit-Reset", "1792567682500")]), Some(2_500));
    assert_eq!(pause_of(500, &requests), None);
}

#[test]
fn googles_retry_info_and_openrouters_metadata_are_pauses_too() {
    let google = json!({"error": {"code": 429, "status": "RESOURCE_EXHAUSTED", "details": [{"retryDelay": "34.5s"}]}});
    let openrouter = json!({"error": {"code": 429, "metadata": {"headers": {"Retry-After": 3}}}});

    assert_eq!(response(429, google).retry_after_ms, Some(34_500));
    assert_eq!(response(429, openrouter).retry_after_ms, Some(3_000));
}

#[test]
fn an_error_that_stays_asks_for_no_pause() {
    assert_eq!(pause_of(401, &[("retry-after", "7")]), None);
}

#[test]
fn a_message_is_one_line_with_its_origin() {
    let error =
        response(400, json!({"error": {"message": "bad\n role\u{0}", "type": "invalid_request_error", "code": null}}));

    assert_eq!(error.message, "bad role (HTTP 400, invalid_request_error)");
    let numbered = response(400, json!({"error": {"message": "m", "type": "exceed_context_size_error", "code": 400}}));
    assert_eq!(numbered.message, "m (HTTP 400, exceed_context_size_error)");
    assert_eq!(from_response(502, &[], b"<html>nginx</html>").message, "the server gave no reason (HTTP 502)");
    assert_eq!(from_response(500, &[], b"out of memory\n").message, "out of memory (HTTP 500)");
    assert!(response(400, json!({"error": "x".repeat(5000)})).message.len() < 400);
}

#[test]
fn an_error_that_is_streamed_is_read_as_well() {
    let body = b"event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"billing_error\",\"message\":\"m\"}}\n\n";

    assert_eq!(from_response(400, &[], body).class, ErrorClass::Quota);
}

#[test]
fn secrets_are_masked() {
    let cases = [
        ("Incorrect API key provided: sk-test-abc.", "Incorrect API key provided: ***"),
        ("header Authorization: Bearer abcdef.1234", "header Authorization: Bearer ***"),
        (
            "POST https://api.telegram.org/bot123456:AAFake-x_y/sendMessage failed",
            "POST https://api.telegram.org/bot123456:***/sendMessage failed",
        ),
        ("GET https://u:p@h.example/v1?key=AIzaSy&x=1 \"x\"", "GET https://***@h.example/v1?*** \"x\""),
        ("{\"api_key\": \"hunter2\"}", "{\"api_key\": \"***\"}"),
        ("at 12:30 on 127.0.0.1:8080, task-12 risk-averse", "at 12:30 on 127.0.0.1:8080, task-12 risk-averse"),
        ("the configured one: open-sesame!", "the configured one: ***!"),
    ];
    for (text, masked) in cases {
        assert_eq!(mask(text, &["open-sesame"]), masked);
    }
}

#[test]
fn a_prompt_that_is_too_long_is_known_by_the_words_of_each_server() {
    for message in [
        "Input is too long for requested model.",
        "prompt is too long: 210000 tokens > 200000 maximum",
        "the request exceeds the available context size, try increasing it",
        "This model's maximum context length is 8192 tokens. However, you requested 9000 tokens",
        "Too many tokens: the limit is 4096",
        "Your input exceeds the context window of this model.",
        "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
        "prompt too long; exceeded max context length by 12 tokens",
        "This model's maximum prompt length is 131072 but the request contains 140000 tokens.",
        "Please reduce the length of the messages or completion.",
    ] {
        let body = json!({"error": {"message": message, "type": "invalid_request_error"}});

        assert_eq!(class_of(400, body.clone()), ErrorClass::Overflow, "{message}");
        assert_eq!(event_class(body), Some(ErrorClass::Overflow), "{message}");
        assert_eq!(event_class(json!({"error": message})), Some(ErrorClass::Overflow), "{message}");
    }
}

#[test]
fn a_limit_on_output_or_on_tokens_per_minute_is_no_overflow() {
    let output = "max_tokens is too large: 99999. This model supports at most 16384 completion tokens";
    let throttled = json!({"message": "Too many tokens, please wait before trying again."});

    assert_eq!(class_of(400, json!({"error": {"message": output}})), ErrorClass::BadRequest);
    assert_eq!(event_class(json!({"error": {"message": output}})), Some(ErrorClass::BadRequest));
    assert_eq!(event_class(throttled), Some(ErrorClass::RateLimited));
}

#[test]
fn words_tell_the_class_where_there_is_nothing_else() {
    for (message, class) in [
        ("Invalid API key provided", ErrorClass::Auth),
        ("Insufficient Balance", ErrorClass::Quota),
        ("Rate limit reached for requests", ErrorClass::RateLimited),
        ("The engine is currently overloaded", ErrorClass::Overloaded),
        ("Unsupported parameter: 'temperature'", ErrorClass::BadRequest),
        ("The model `gpt-9` does not exist", ErrorClass::BadRequest),
        ("Something went wrong, error 401", ErrorClass::Server),
    ] {
        assert_eq!(event_class(json!({"error": {"message": message}})), Some(class), "{message}");
    }
    assert_eq!(class_of(500, json!({"error": {"message": "Invalid API key provided"}})), ErrorClass::Server);
}

#[test]
fn a_code_may_be_a_number_in_quotes() {
    for (code, class) in [
        (json!("401"), ErrorClass::Auth),
        (json!("402"), ErrorClass::Quota),
        (json!("413"), ErrorClass::Overflow),
        (json!("429"), ErrorClass::RateLimited),
        (json!("502"), ErrorClass::Server),
        (json!(529), ErrorClass::Overloaded),
    ] {
        assert_eq!(event_class(json!({"error": {"message": "m", "code": code}})), Some(class), "{code}");
    }
}

#[test]
fn googles_quota_of_a_minute_is_a_limit_that_passes() {
    let body = json!({"error": {"code": 429, "message": "m", "status": "RESOURCE_EXHAUSTED", "details": [
        {"violations": [{"quotaId": "GenerateRequestsPerMinutePerProjectPerModel"}]}, {"retryDelay": "20.5s"}]}});

    let error = response(429, body);

    assert_eq!((error.class, error.retry_after_ms), (ErrorClass::RateLimited, Some(20_500)));
}
