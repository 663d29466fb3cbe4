use chat::{Arguments, ErrorClass, Finish, Reply, ToolCall, Usage};
use serde_json::{Value, json};

use crate::samples::{class, whole_reply};
use crate::{CapturedReply, Format, read_body};

/// The stream of these chunks and `[DONE]`.
fn stream(chunks: &[Value]) -> String {
    let events: String = chunks.iter().map(|chunk| format!("data: {chunk}\n\n")).collect();
    events + "data: [DONE]\n\n"
}

fn delta(delta: Value) -> Value {
    json!({"choices": [{"index": 0, "delta": delta, "finish_reason": null}]})
}

fn end(reason: &str) -> Value {
    json!({"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]})
}

fn calls(calls: Value) -> Value {
    delta(json!({ "tool_calls": calls }))
}

fn capture(body: &str) -> CapturedReply {
    let tools = ["get", "get_weather", "get_time", "read"].map(str::to_owned);
    read_body(Format::OpenAi, 200, &[], body.as_bytes(), &tools)
}

fn read(chunks: &[Value]) -> CapturedReply {
    capture(&stream(chunks))
}

fn reply(chunks: &[Value]) -> Reply {
    whole_reply(Format::OpenAi, &stream(chunks))
}

/// Names and arguments of the calls.
fn named(captured: &CapturedReply) -> Vec<(String, Value)> {
    let arguments = |call: &ToolCall| match &call.arguments {
        Arguments::Object(object) => Value::Object(object.clone()),
        Arguments::Refused { reason, .. } => json!(reason),
    };
    captured.calls.iter().map(|call| (call.name.clone(), arguments(call))).collect()
}

/// Checks the calls that pieces of calls, each in a chunk of its own, are joined to.
fn check_calls(pieces: &[Value], expected: &[(&str, Value)]) {
    let chunks: Vec<Value> = pieces.iter().map(|piece| calls(json!([piece]))).chain([end("tool_calls")]).collect();
    let expected: Vec<_> = expected.iter().map(|(name, arguments)| ((*name).to_owned(), arguments.clone())).collect();

    assert_eq!(named(&read(&chunks)), expected, "{pieces:?}");
}

fn call(index: Value, id: Value, name: Value, arguments: Value) -> Value {
    json!({"index": index, "id": id, "function": {"name": name, "arguments": arguments}})
}

#[test]
fn pieces_with_neither_index_nor_id_belong_to_the_last_call() {
    check_calls(
        &[
            json!({"function": {"name": "read", "arguments": "{\"a\""}}),
            json!({"function": {"arguments": ":1}"}}),
            json!({"function": {"name": "read", "arguments": "{\"a\":2}"}}),
            json!({"function": {"name": "get", "arguments": ""}}),
        ],
        &[("read", json!({"a": 1})), ("read", json!({"a": 2})), ("get", json!({}))],
    );
}

#[test]
fn a_new_id_in_each_piece_of_one_call_does_not_split_it() {
    check_calls(
        &[
            call(json!(0), json!("r1"), json!("read"), json!("{\"a\"")),
            call(json!(0), json!("r2"), json!(null), json!(":1}")),
        ],
        &[("read", json!({"a": 1}))],
    );
}

#[test]
fn calls_under_one_index_without_ids_are_told_apart_by_their_names() {
    check_calls(
        &[
            call(json!(0), json!(null), json!("get"), json!("")),
            call(json!(0), json!(null), json!("get_time"), json!("{}")),
            call(json!(0), json!(null), json!("get_time"), json!("{\"tz\":1}")),
        ],
        &[("get", json!({})), ("get_time", json!({})), ("get_time", json!({"tz": 1}))],
    );
}

#[test]
fn one_id_and_one_index_for_two_whole_calls_keep_both() {
    check_calls(
        &[
            call(json!(0), json!("x"), json!("read"), json!("{\"a\":1}")),
            call(json!(0), json!("x"), json!("read"), json!("{\"a\":2}")),
        ],
        &[("read", json!({"a": 1})), ("read", json!({"a": 2}))],
    );
    let both = calls(json!([{"id": "x", "function": {"name": "read", "arguments": "{}"}},
        {"id": "x", "function": {"name": "read", "arguments": "{}"}}]));
    assert_eq!(read(&[both, end("stop")]).calls.len(), 2);
}

#[test]
fn ids_are_unique_and_present_in_a_reply() {
    let both = calls(json!([{"index": 0, "id": "d", "function": {"name": "read"}},
        {"index": 1, "id": "d", "function": {"name": "read"}}, {"index": 2, "function": {"name": "read"}}]));

    let captured = read(&[both, end("tool_calls")]);

    let mut ids: Vec<&str> = captured.calls.iter().map(|call| call.id.as_str()).collect();
    assert_eq!(ids[0], "d");
    ids.sort_unstable();
    ids.dedup();
    assert!(ids.len() == 3 && !ids.contains(&""));
}

#[test]
fn a_name_in_three_pieces_is_joined_when_it_was_offered() {
    check_calls(
        &[
            call(json!(0), json!("x"), json!("get"), json!("")),
            call(json!(0), json!(null), json!("_wea"), json!("")),
            call(json!(0), json!(null), json!("ther"), json!("{}")),
        ],
        &[("get_weather", json!({}))],
    );
}

#[test]
fn a_name_that_grows_from_piece_to_piece_is_taken_as_it_ends() {
    check_calls(
        &[
            call(json!(0), json!("x"), json!("get_w"), json!(null)),
            call(json!(0), json!("x"), json!("get_weather"), json!("{}")),
        ],
        &[("get_weather", json!({}))],
    );
}

#[test]
fn an_empty_object_in_front_of_the_arguments_is_not_part_of_them() {
    check_calls(
        &[
            call(json!(0), json!("x"), json!("read"), json!({})),
            call(json!(0), json!(null), json!(null), json!("{\"a\":1}")),
        ],
        &[("read", json!({"a": 1}))],
    );
}

#[test]
fn arguments_as_an_array_are_refused() {
    check_calls(&[call(json!(0), json!("x"), json!("read"), json!([1]))], &[("read", json!("invalid"))]);
}

#[test]
fn an_index_in_quotes_is_an_index() {
    check_calls(
        &[
            call(json!("0"), json!("x"), json!("read"), json!("{\"a\"")),
            call(json!("1"), json!("y"), json!("get"), json!("{}")),
            call(json!("0"), json!(""), json!(""), json!(":1}")),
        ],
        &[("read", json!({"a": 1})), ("get", json!({}))],
    );
}

#[test]
fn the_older_form_of_a_call_is_a_call() {
    let chunks = [
        delta(json!({"function_call": {"name": "read", "arguments": "{\"a\""}})),
        delta(json!({"function_call": {"arguments": ":1}"}})),
        end("function_call"),
    ];

    let captured = read(&chunks);

    assert_eq!((named(&captured), captured.finish), (vec![("read".into(), json!({"a": 1}))], Some(Finish::ToolCalls)));
}

#[test]
fn arguments_cut_by_the_output_limit_are_refused_as_cut() {
    let chunks = [calls(json!([call(json!(0), json!("x"), json!("read"), json!("{\"a\":\"b"))])), end("length")];

    let captured = read(&chunks);

    assert_eq!(
        (named(&captured), captured.finish),
        (vec![("read".into(), json!("truncated"))], Some(Finish::ToolCalls))
    );
}

#[test]
fn a_last_chunk_that_comes_twice_counts_once() {
    let last = json!({"choices": [{"delta": {"content": "lo!"}, "finish_reason": "stop"}]});
    let whole = json!({"choices": [{"delta": {"content": "Hello!"}, "finish_reason": "length"}]});
    let call = calls(json!([call(json!(0), json!("x"), json!("read"), json!("{\"a\":1}"))]));

    let twice = read(&[delta(json!({"content": "Hel"})), last.clone(), last, whole]);
    assert_eq!((twice.text.as_str(), twice.finish), ("Hello!", Some(Finish::Stop)));
    assert_eq!(read(&[call.clone(), end("tool_calls"), call, end("tool_calls")]).calls.len(), 1);
}

#[test]
fn text_behind_the_finish_is_not_lost() {
    let captured = read(&[end("stop"), delta(json!({"content": "late"}))]);

    assert_eq!(captured.text, "late");
}

#[test]
fn finishes_are_mapped() {
    let finishes = [
        ("stop", Some(Finish::Stop)),
        ("length", Some(Finish::Length)),
        ("MAX_TOKENS", Some(Finish::Length)),
        ("content_filter", Some(Finish::ContentFilter)),
        ("eos", Some(Finish::Stop)),
        ("", None),
    ];
    for (reason, finish) in finishes {
        assert_eq!(read(&[delta(json!({"content": "x"})), end(reason)]).finish, finish, "{reason}");
    }
}

#[test]
fn a_finish_that_tells_of_a_failure_is_an_error() {
    let captured = read(&[delta(json!({"content": "x"})), end("insufficient_system_resource")]);

    assert_eq!((captured.text.as_str(), class(&captured)), ("x", Some(ErrorClass::Overloaded)));
}

#[test]
fn done_alone_is_a_terminal_signal() {
    let captured = read(&[delta(json!({"content": "x"}))]);

    assert_eq!((captured.text.as_str(), captured.finish, captured.error), ("x", None, None));
}

#[test]
fn errors_in_a_stream_end_it_with_what_came_before() {
    let errors = [
        (json!({"error": {"message": "m", "type": "None", "param": "None", "code": "500"}}), ErrorClass::Server),
        (json!({"error": "engine died"}), ErrorClass::Server),
        (json!({"object": "error", "message": "m", "code": 429}), ErrorClass::RateLimited),
        (json!({"choices": [{"delta": {}, "finish_reason": "error", "error": {"code": 529}}]}), ErrorClass::Overloaded),
        (json!({"choices": [{"delta": {"content": ""}, "finish_reason": "error"}]}), ErrorClass::Server),
    ];
    for (error, expected) in errors {
        let captured = read(&[delta(json!({"content": "so far"})), error.clone(), end("stop")]);

        assert_eq!((captured.text.as_str(), class(&captured)), ("so far", Some(expected)), "{error}");
    }
}

#[test]
fn an_error_behind_the_finish_does_not_undo_the_reply() {
    let captured = read(&[delta(json!({"content": "x"})), end("stop"), json!({"error": {"code": 500}})]);

    assert_eq!((captured.text.as_str(), captured.error), ("x", None));
}

#[test]
fn reasoning_is_read_under_every_name_and_only_once() {
    let thoughts = [
        json!({"reasoning_content": "a", "content": null}),
        json!({"reasoning": "b", "reasoning_content": null}),
        json!({"reasoning": "c", "reasoning_content": "c"}),
        json!({"reasoning": "d", "reasoning_details": [{"type": "reasoning.text", "index": 0, "text": "d"}]}),
        json!({"reasoning_details": [{"type": "reasoning.text", "index": 0, "text": "e", "signature": "s"}]}),
        json!({"content": [{"type": "thinking", "thinking": [{"type": "text", "text": "f"}]}]}),
        json!({"content": "<think>g</think>answer"}),
    ];
    let chunks: Vec<Value> = thoughts.into_iter().map(delta).chain([end("stop")]).collect();

    let reply = reply(&chunks);

    assert_eq!(reply.text, "answer");
    assert_eq!(reply.reasoning.len(), 1);
    assert_eq!(reply.reasoning[0].text, "abcdefg");
}

#[test]
fn reasoning_details_are_joined_and_kept_for_the_model_that_wrote_them() {
    let detail = |detail: Value| delta(json!({"reasoning_details": [detail]}));
    let chunks = [
        detail(json!({"type": "reasoning.text", "index": 0, "text": "th", "signature": null})),
        detail(json!({"type": "reasoning.text", "index": 0, "text": "ink", "signature": "sig"})),
        detail(json!({"type": "reasoning.encrypted", "index": 1, "data": "xyz"})),
        delta(json!({"content": "x"})),
        end("stop"),
    ];

    let provider = reply(&chunks).reasoning.remove(0).provider.expect("it has data");

    assert_eq!((provider.vendor.as_str(), provider.model.as_str()), ("v", "m"));
    let details = json!([{"type": "reasoning.text", "index": 0, "text": "think", "signature": "sig"},
        {"type": "reasoning.encrypted", "index": 1, "data": "xyz"}]);
    assert_eq!(provider.data, json!({ "reasoning_details": details }));
}

#[test]
fn usage_counts_cached_tokens_among_the_input() {
    let usages = [
        json!({"prompt_tokens": 10, "completion_tokens": 3, "prompt_tokens_details": {"cached_tokens": 4}}),
        json!({"prompt_tokens": 10, "completion_tokens": 3, "prompt_cache_hit_tokens": 4, "prompt_cache_miss_tokens": 6}),
        json!({"prompt_tokens": 10.0, "completion_tokens": "3", "cached_tokens": 4, "prompt_tokens_details": null}),
    ];
    for usage in usages {
        let chunks = [delta(json!({"content": "x"})), end("stop"), json!({"choices": [], "usage": usage})];

        assert_eq!(reply(&chunks).usage, Some(Usage { input: 10, cached: 4, output: 3 }), "{usage}");
    }
    assert_eq!(reply(&[delta(json!({"content": "x"})), end("stop")]).usage, None);
}

#[test]
fn a_body_that_is_one_completion_is_a_reply() {
    let message = json!({"role": "assistant", "content": "<think>t</think>hi", "tool_calls": [
        {"id": "c", "type": "function", "function": {"name": "read", "arguments": "{\"a\":1}"}}]});
    let body = json!({"choices": [{"index": 0, "message": message, "finish_reason": null}], "error": null});

    let captured = capture(&format!("\n {body}"));

    assert_eq!((captured.text.as_str(), captured.reasoning.as_str()), ("hi", "t"));
    assert_eq!((captured.calls.len(), captured.finish, captured.error), (1, Some(Finish::ToolCalls), None));
}

#[test]
fn a_completion_in_one_event_is_a_reply() {
    let body = json!({"choices": [{"message": {"content": "hi"}, "finish_reason": "stop"}]});

    assert_eq!(read(&[body]).text, "hi");
}

#[test]
fn a_last_chunk_with_the_whole_message_again_adds_nothing() {
    let last = json!({"choices": [{"message": {"content": "hi"}, "finish_reason": "stop"}]});

    assert_eq!(read(&[delta(json!({"content": "hi"})), last]).text, "hi");
}

#[test]
fn chunks_that_are_strange_but_harmless_are_passed_over() {
    let body = "data: ping\n\ndata: {\"type\":\"ping\"}\n\ndata: {\"choices\":null}\n\ndata: {\"choices\":[{\"delta\":null}]}\n\n\
        data: {\"choices\":[{\"delta\":[]}]}\n\ndata: {\"choices\":[{\"delta\":{\"tool_calls\":[null]}}]}\n\n";
    let rest = stream(&[delta(json!({"content": "x", "tool_calls": null})), end("stop")]);

    assert_eq!(capture(&format!("{body}{rest}")).text, "x");
}

#[test]
fn events_without_blank_lines_between_them_are_told_apart() {
    let body = stream(&[delta(json!({"content": "a"})), delta(json!({"content": "b"})), end("stop")]);

    assert_eq!(capture(&body.replace("\n\n", "\n")).text, "ab");
}

#[test]
fn a_chunk_over_several_lines_is_one() {
    let chunk = serde_json::to_string_pretty(&delta(json!({"content": "a"}))).unwrap().replace('\n', "\ndata: ");

    assert_eq!(capture(&format!("data: {chunk}\n\ndata: [DONE]\n\n")).text, "a");
}

#[test]
fn a_damaged_chunk_is_an_error_and_not_a_gap() {
    let body = format!("data: {{\"choices\":[{{\"del\n\n{}", stream(&[end("stop")]));

    assert_eq!(class(&capture(&body)), Some(ErrorClass::Protocol));
}

#[test]
fn half_a_surrogate_pair_costs_one_character() {
    let chunk = r#"{"choices":[{"delta":{"content":"a\ud83db"}}]}"#;

    assert_eq!(capture(&format!("data: {chunk}\n\ndata: [DONE]\n\n")).text, "a\u{FFFD}b");
}

/// Calls are taken from the wire's own fields alone (H13).
#[test]
fn a_call_that_stands_in_the_text_is_text() {
    let text = "Example:\n```\n<tool_call>{\"name\":\"exec\",\"arguments\":{\"command\":\"id\"}}</tool_call>\n```";

    let captured = read(&[delta(json!({ "content": text })), end("stop")]);

    assert_eq!((captured.text.as_str(), captured.calls.len()), (text, 0));
}

#[test]
fn a_refusal_is_text() {
    assert_eq!(read(&[delta(json!({"refusal": "I cannot."})), end("stop")]).text, "I cannot.");
}

#[test]
fn what_is_said_in_the_chunk_that_tells_of_an_error_is_kept() {
    let by_finish = json!({"choices": [{"index": 0, "delta": {"content": " world"}, "finish_reason": "error"}]});
    let by_error =
        json!({"choices": [{"index": 0, "delta": {"content": " world"}}], "error": {"code": 502, "message": "x"}});

    for last in [by_finish, by_error] {
        let captured = read(&[delta(json!({"content": "Hello"})), last]);

        assert_eq!(captured.text, "Hello world");
        assert_eq!(captured.error.map(|error| error.class), Some(ErrorClass::Server));
    }
}

#[test]
fn choices_beside_the_first_one_are_left_out() {
    let other = |text: &str, finish: Value| json!({"choices": [{"index": 1, "delta": {"content": text}, "finish_reason": finish}]});
    let both = json!({"choices": [{"index": 1, "delta": {"content": "B"}}, {"index": 0, "delta": {"content": "a"}}]});

    let captured = read(&[both, other("B", json!("stop")), delta(json!({"content": "b"})), end("stop")]);

    assert_eq!((captured.text.as_str(), captured.error), ("ab", None));
}

#[test]
fn a_character_that_is_split_over_two_deltas_is_put_together() {
    let chunk = |delta: &str| format!("data: {{\"choices\":[{{\"index\":0,\"delta\":{delta}}}]}}\n\n");
    let call = |text: &str| {
        format!(r#"{{"tool_calls":[{{"index":0,"id":"c","function":{{"name":"get","arguments":"{text}"}}}}]}}"#)
    };
    let body = [
        chunk(r#"{"reasoning":"r\ud83d"}"#),
        chunk(r#"{"reasoning":"\ude00"}"#),
        chunk(r#"{"content":"x\ud83d"}"#),
        chunk(r#"{"content":"\ude00y"}"#),
        chunk(&call(r#"{\"t\":\"\ud83d"#)),
        chunk(&call(r#"\ude00\"}"#).replace("get", "")),
        "data: [DONE]\n\n".to_owned(),
    ];

    let captured = capture(&body.concat());

    assert_eq!((captured.reasoning.as_str(), captured.text.as_str()), ("r😀", "x😀y"));
    assert_eq!(named(&captured), [("get".to_owned(), json!({"t": "😀"}))]);
}

#[test]
fn an_object_of_arguments_whose_whole_number_would_be_rounded_is_refused() {
    let chunk = |number: &str| {
        let call = format!(r#"{{"index":0,"id":"c","function":{{"name":"get","arguments":{{"id":{number}}}}}}}"#);
        format!("data: {{\"choices\":[{{\"index\":0,\"delta\":{{\"tool_calls\":[{call}]}}}}]}}\n\ndata: [DONE]\n\n")
    };

    let kept = capture(&chunk("18446744073709551615"));
    let refused = capture(&chunk("18446744073709551616"));

    assert_eq!(named(&kept), [("get".to_owned(), json!({"id": u64::MAX}))]);
    assert!(matches!(&refused.calls[0].arguments, Arguments::Refused { .. }), "{refused:?}");
}

#[test]
fn a_finish_reason_that_is_the_word_null_is_none() {
    let chunk = |reason: &str| json!({"choices": [{"index": 0, "delta": {"content": "hi"}, "finish_reason": reason}]});
    let body = |reason: &str| format!("data: {}\n\n", chunk(reason));

    assert_eq!(class(&capture(&body("null"))), Some(ErrorClass::Truncated));
    assert_eq!(class(&capture(&body("None"))), Some(ErrorClass::Truncated));
    assert_eq!(class(&capture(&body("eos"))), None);
}

#[test]
fn text_and_reasoning_are_found_under_their_other_names() {
    let old = json!({"choices": [{"index": 0, "text": "hi"}]});
    let thoughts = [delta(json!({"thinking": "a"})), delta(json!({"reasoning_text": "b"})), old, end("stop")];

    let captured = read(&thoughts);

    assert_eq!((captured.text.as_str(), captured.reasoning.as_str()), ("hi", "ab"));
}

#[test]
fn space_around_a_name_and_small_letters_at_the_end_do_no_harm() {
    let chunk = calls(json!([call(json!(0), json!("c"), json!(" get"), json!("{}"))]));

    let captured = capture(&format!("data: {chunk}\n\ndata: [done]\n\n"));

    assert_eq!(named(&captured), [("get".to_owned(), json!({}))]);
    assert_eq!(captured.error, None);
}
