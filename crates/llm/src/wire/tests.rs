use serde::Deserialize;
use serde_json::json;

use super::*;

#[derive(Debug, Default, Deserialize, PartialEq)]
#[serde(default)]
struct Fields<'a> {
    #[serde(borrow)]
    id: Text<'a>,
    index: Number,
    #[serde(borrow)]
    content: Content<'a>,
}

fn read(text: &str) -> Fields<'_> {
    serde_json::from_str(text).expect("it is JSON")
}

#[test]
fn a_text_without_escapes_is_not_copied() {
    assert!(matches!(read(r#"{"id":"a"}"#).id, Text(Cow::Borrowed("a"))));
    assert_eq!(read(r#"{"id":"a\n"}"#).id.as_str(), "a\n");
}

#[test]
fn what_is_no_text_is_empty_and_a_number_is_its_digits() {
    for text in [r#"{"id":null}"#, r#"{"id":[1]}"#, r#"{"id":{}}"#, r#"{"id":true}"#, "{}"] {
        assert!(read(text).id.is_empty(), "{text}");
    }
    assert_eq!(read(r#"{"id":7}"#).id.as_str(), "7");
}

#[test]
fn a_number_may_be_in_quotes() {
    let numbers = [("3", Some(3)), ("\"3\"", Some(3)), ("3.0", Some(3)), ("null", None), ("\"x\"", None), ("-1", None)];
    for (text, number) in numbers {
        assert_eq!(read(&format!("{{\"index\":{text}}}")).index, Number(number), "{text}");
    }
}

#[test]
fn content_is_a_text_or_a_value() {
    assert_eq!(read(r#"{"content":"x"}"#).content, Content::Text("x".into()));
    assert_eq!(read(r#"{"content":[{"a":1}]}"#).content, Content::Value(Box::new(json!([{"a": 1}]))));
    assert_eq!(read(r#"{"content":null}"#).content, Content::Nothing);
}

#[test]
fn half_a_surrogate_pair_is_replaced_and_a_whole_one_kept() {
    let value = lenient_value(r#"{"a":"x\ud83dy\\ud83d","b":"\ud83c\udf78","c":"\udf78"}"#).expect("it is repaired");

    assert_eq!(value, json!({"a": "x\u{FFFD}y\\ud83d", "b": "🍸", "c": "\u{FFFD}"}));
}

#[test]
fn halves_of_a_character_in_two_events_are_put_together() {
    let mut halves = Halves::default();
    let mut joined = |event| halves.join(event).into_owned();

    assert_eq!(joined(r#"{"a":"x\ud83d","b":"x\ud83d"}"#), r#"{"a":"x","b":"x"}"#);
    assert_eq!(joined(r#"{"ping":1}"#), r#"{"ping":1}"#);
    assert_eq!(joined(r#"{"a":"\ude00y\uD83D","b":"\ude00"}"#), r#"{"a":"\ud83d\ude00y","b":"\ud83d\ude00"}"#);
    assert_eq!(joined(r#"{"a":"\ude01"}"#), r#"{"a":"\ud83d\ude01"}"#);
}

#[test]
fn halves_that_do_not_meet_stay_where_they_are() {
    for event in [
        r#"{"a":"\ude00"}"#,
        r#"{"a":"\ud83dx"}"#,
        r#"{"a":"\"\ude00"}"#,
        r#"{"a":"\ud83c\udf78"}"#,
        r#"{"a":"\\ud83d"}"#,
    ] {
        assert_eq!(Halves { first: Some(0xd83d) }.join("{}"), "{}");
        assert_eq!(Halves::default().join(event), event);
    }
    assert_eq!(Halves { first: Some(0xd83d) }.join(r#"{"a":"\"\ude00"}"#), r#"{"a":"\"\ude00"}"#);
}

#[test]
fn what_is_no_json_stays_an_error() {
    assert!(lenient_value(r#"{"a":"\ud83d"#).is_err());
    assert!(lenient_value("ping").is_err());
}
