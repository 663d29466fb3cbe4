//! A value is written with one kind of damage: it comes back equal, or is refused.

use proptest::prelude::*;
use serde_json::Value;

use super::valid::{objects, texts};
use crate::repair;
use writer::{Damage, write};

mod writer;

/// Damage that leaves one reading, whatever the value.
const CERTAIN: [Damage; 17] = [
    Damage::Controls,
    Damage::SingleQuotes,
    Damage::TrailingCommas,
    Damage::MissingCommas,
    Damage::BlockComments,
    Damage::LineComments,
    Damage::PythonWords,
    Damage::Tuples,
    Damage::UnquotedKeys,
    Damage::FullWidth,
    Damage::StrangeSpace,
    Damage::Fence,
    Damage::Prose,
    Damage::Tags,
    Damage::ByteOrderMark,
    Damage::NulPadding,
    Damage::SentTwice,
];

/// An object around one string.
fn holding(text: &str) -> Value {
    serde_json::json!({ "before": "x", "text": text, "after": { "n": 1 } })
}

/// The text with something between each quote and a delimiter, or what begins a comment.
fn loosened(text: &str) -> String {
    let mut parts = text.split('"');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| {
        let behind = part.trim_start_matches(|c: char| c.is_whitespace() || c == '\0');
        let is_close = behind.starts_with([',', ':', '}', ']', '，', '：', '｝', '/']);
        text + if is_close { "\"-" } else { "\"" } + part
    })
}

proptest! {
    #[test]
    fn certain_damage_is_repaired(value in objects(), damage in prop::sample::select(&CERTAIN[..])) {
        let text = write(&value, damage);

        let repaired = repair(text.as_bytes());
        prop_assert!(repaired.is_ok(), "{:?}: {} -> {:?}", damage, text, repaired);
        prop_assert_eq!(repaired.unwrap().value, value, "{:?}: {}", damage, text);
    }

    #[test]
    fn curly_quotes_are_repaired_or_refused(value in objects()) {
        let value: Value = serde_json::from_str(&value.to_string().replace(['“', '”'], "")).unwrap();
        let text = write(&value, Damage::CurlyQuotes);

        if let Ok(repaired) = repair(text.as_bytes()) {
            prop_assert_eq!(repaired.value, value, "{}", text);
        }
    }

    /// Where each backslash makes a legal escape the text is valid JSON, and nobody can tell.
    #[test]
    fn unescaped_backslashes_are_kept_or_refused(text in texts(), tail in texts()) {
        let content = format!("\\d{text}\\w{tail}");
        let damaged = write(&holding(&content), Damage::Backslashes);

        if let Ok(repaired) = repair(damaged.as_bytes()) {
            prop_assert_eq!(repaired.value, holding(&content), "{}", damaged);
        }
    }

    /// Where a delimiter follows such a quote, the text may be valid JSON, and nobody can tell.
    #[test]
    fn unescaped_quotes_are_kept_or_refused(before in texts(), quoted in texts(), behind in texts()) {
        let content = loosened(&format!("{before}\"{quoted}\"{behind}").replace('\\', ""));
        let damaged = write(&holding(&content), Damage::InnerQuotes);

        if let Ok(repaired) = repair(damaged.as_bytes()) {
            prop_assert_eq!(repaired.value, holding(&content), "{}", damaged);
        }
    }

    #[test]
    fn quoted_words_in_a_sentence_are_kept(before in "[a-z]{1,5}( [a-z]{1,5}){0,2}", quoted in "[a-z]{1,5}", behind in "[a-z]{1,5}") {
        let content = format!("{before} \"{quoted}\" {behind}");

        let repaired = repair(write(&holding(&content), Damage::InnerQuotes).as_bytes());
        prop_assert_eq!(repaired.unwrap().value, holding(&content));
    }

    #[test]
    fn patterns_without_escapes_are_kept(text in "([a-c]|\\\\[dswDSW.+*(){}\\[\\]-]){1,8}\\\\[dw]") {
        let repaired = repair(write(&holding(&text), Damage::Backslashes).as_bytes());

        prop_assert_eq!(repaired.unwrap().value, holding(&text));
    }
}
