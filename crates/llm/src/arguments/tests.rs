use serde_json::json;

use super::*;

fn object(value: Value) -> Arguments {
    object_or_refusal(value)
}

fn refusal(text: &str, finish: Option<Finish>) -> Option<ArgumentsRefusal> {
    match parse_arguments(text, finish) {
        Arguments::Object(_) => None,
        Arguments::Refused { reason, .. } => Some(reason),
    }
}

const CALLS: Option<Finish> = Some(Finish::ToolCalls);

#[test]
fn valid_json_is_taken_as_it_stands() {
    let text = r#" {"text":"it's \"so\", isn't it?","cut":"```json"} "#;

    assert_eq!(parse_arguments(text, CALLS), object(json!({"text": "it's \"so\", isn't it?", "cut": "```json"})));
    assert_eq!(parse_arguments(r#"{"a":1}"#, Some(Finish::Length)), object(json!({"a": 1})));
    assert_eq!(parse_arguments(r#"{"a":1}"#, None), object(json!({"a": 1})));
}

#[test]
fn no_text_means_no_arguments() {
    for text in ["", " \n", "\u{feff}", "null"] {
        assert_eq!(parse_arguments(text, CALLS), object(json!({})), "{text:?}");
    }
}

#[test]
fn no_text_at_the_output_limit_or_where_the_end_was_never_learnt_is_cut_off() {
    for finish in [Some(Finish::Length), None] {
        assert_eq!(refusal("", finish), Some(ArgumentsRefusal::Truncated), "{finish:?}");
        assert_eq!(refusal(" \n", finish), Some(ArgumentsRefusal::Truncated), "{finish:?}");
    }
}

#[test]
fn a_number_is_kept_as_it_is_or_refused_with_its_position() {
    for text in [r#"{"id":18446744073709551615}"#, r#"{"id":-9223372036854775808}"#, r#"{"id":0.1}"#, r#"{"id":1e300}"#]
    {
        assert_eq!(parse_arguments(text, CALLS), object(serde_json::from_str(text).unwrap()), "{text}");
    }
    for text in [
        r#"{"id":18446744073709551616}"#,
        r#"{"id":-9223372036854775809}"#,
        r#"{"id":123456789012345678901234567890,}"#,
        r#"{"id":1e400}"#,
        r#"{"id":NaN}"#,
        r#"{"id":-Infinity}"#,
    ] {
        let Arguments::Refused { reason, detail } = parse_arguments(text, CALLS) else { panic!("{text} was taken") };
        assert_eq!(reason, ArgumentsRefusal::Invalid, "{text}");
        assert!(detail.ends_with("at byte 6"), "{text}: {detail}");
    }
}

#[test]
fn what_is_no_object_is_invalid() {
    for text in ["[1]", "\"a\"", "1", "true"] {
        assert_eq!(refusal(text, CALLS), Some(ArgumentsRefusal::Invalid), "{text:?}");
    }
}

#[test]
fn a_cut_is_known_by_the_finish() {
    for text in [r#"{"path":"a","content":"first line""#, "```json\n{\"a\":\"<html>", r#"{"t":"\u4f"#, r#"{"a":1}{"#] {
        assert_eq!(refusal(text, Some(Finish::Length)), Some(ArgumentsRefusal::Truncated), "{text:?}");
        assert_eq!(refusal(text, None), Some(ArgumentsRefusal::Truncated), "{text:?}");
    }
}

#[test]
fn a_cut_is_known_by_an_open_end() {
    for text in [r#"{"command":"rm -rf build"#, r#"{"a": [1, 2"#, "{\"a\":\"raw\nnewline, then cut"] {
        assert_eq!(refusal(text, CALLS), Some(ArgumentsRefusal::Truncated), "{text:?}");
    }
}

#[test]
fn two_objects_in_a_row_are_invalid() {
    assert_eq!(refusal(r#"{"city":"a"}{"city":"b"}"#, CALLS), Some(ArgumentsRefusal::Invalid));
}

#[test]
fn deep_nesting_is_invalid() {
    let text = format!("{{\"a\":{}{}}}", "[".repeat(100_000), "]".repeat(100_000));

    assert_eq!(refusal(&text, CALLS), Some(ArgumentsRefusal::Invalid));
}

#[test]
fn a_refusal_tells_the_position() {
    let Arguments::Refused { detail, .. } = parse_arguments(r#"{"a" 1}"#, CALLS) else { panic!("it is no JSON") };

    assert!(detail.contains("a missing colon at byte 5"), "{detail}");
}

#[test]
fn broken_text_is_repaired_if_it_is_whole() {
    let text = "{path: 'a.md', \"content\": \"x\ny\",}";

    assert_eq!(parse_arguments(text, CALLS), object(json!({"path": "a.md", "content": "x\ny"})));
    assert_eq!(parse_arguments(text, Some(Finish::Stop)), object(json!({"path": "a.md", "content": "x\ny"})));
    for finish in [None, Some(Finish::Length)] {
        assert_eq!(refusal(text, finish), Some(ArgumentsRefusal::Truncated), "{finish:?}");
    }
}

#[test]
fn what_is_repaired_must_be_an_object_too() {
    assert_eq!(refusal("[1,2,]", CALLS), Some(ArgumentsRefusal::Invalid));
    assert_eq!(refusal("'a'", CALLS), Some(ArgumentsRefusal::Invalid));
}

#[test]
fn a_whole_object_in_an_open_fence_is_cut_off() {
    assert_eq!(refusal("```json\n{\"a\":1}", CALLS), Some(ArgumentsRefusal::Truncated));
}

#[test]
fn a_key_with_two_values_is_invalid() {
    assert_eq!(refusal(r#"{"path":"a","path":"b"}"#, CALLS), Some(ArgumentsRefusal::Invalid));
}

/// What must come of a fixture: `{"ok": object}` or `{"refuse": "truncated" | "invalid"}`.
fn outcome(case: &Value) -> Value {
    let finish: Option<Finish> = serde_json::from_value(case["finish_reason"].clone()).unwrap();
    match parse_arguments(case["raw"].as_str().unwrap(), finish) {
        Arguments::Object(object) => json!({"ok": object}),
        Arguments::Refused { reason: ArgumentsRefusal::Truncated, .. } => json!({"refuse": "truncated"}),
        Arguments::Refused { reason: ArgumentsRefusal::Invalid, .. } => json!({"refuse": "invalid"}),
    }
}

fn assert_expected(id: &str, case: &Value) {
    let outcome = outcome(case);
    let is_safe = case["alt"].as_array().is_some_and(|alt| alt.contains(&outcome));
    assert!(outcome == case["expect"] || is_safe, "{id}: {outcome}, but {}: {}", case["expect"], case["why"]);
}

const FIXTURES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../json-repair-rs/fixtures");

#[test]
fn public_failures_end_as_expected() {
    let mut paths: Vec<_> =
        std::fs::read_dir(format!("{FIXTURES}/B")).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();

    assert_eq!(paths.len(), 26);
    for path in paths {
        let case = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
        assert_expected(&path.display().to_string(), &case);
    }
}

#[test]
fn arguments_of_many_writers_end_as_expected() {
    let cases: Vec<Value> =
        serde_json::from_str(&std::fs::read_to_string(format!("{FIXTURES}/corpus.json")).unwrap()).unwrap();

    for case in cases {
        assert_expected(&case["id"].to_string(), &case);
    }
}
