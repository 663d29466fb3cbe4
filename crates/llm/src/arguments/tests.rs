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
    for text in ["", " \n", "null"] {
        assert_eq!(parse_arguments(text, CALLS), object(json!({})), "{text:?}");
    }
}

#[test]
fn no_text_at_the_output_limit_is_cut_off() {
    assert_eq!(refusal("", Some(Finish::Length)), Some(ArgumentsRefusal::Truncated));
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

    assert!(detail.contains("line 1 column 6"), "{detail}");
}
