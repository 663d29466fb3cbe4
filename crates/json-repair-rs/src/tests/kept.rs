//! What is read, whatever the text, holds what the text holds.

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use serde_json::Value;

use crate::{RepairKind, repair};

/// Content, as far as it can be told from structure without a parser: letters of a script that no escape and no word uses, and digits.
fn content(text: &str) -> Vec<char> {
    text.chars().filter(|c| matches!(c, 'α'..='ω' | '0'..='9')).collect()
}

/// The content of a value in the order of its text.
fn content_of(value: &Value) -> Vec<char> {
    content(&value.to_string())
}

/// Texts that look like JSON with damage in many places.
fn broken() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        3 => "[αβγδ]{1,3}",
        2 => "[1-9]{1,2}",
        6 => "[{}\\[\\]():,\"'“”，： \n]{1,2}",
        2 => "\"[αβγ ]{0,3}\"",
        2 => "\"[αβ]{1,2}\":",
        1 => "'[αβγ ]{0,3}'",
        1 => "\\\\[αβ]",
        1 => Just("true".to_owned()),
    ];
    prop::collection::vec(piece, 0..8).prop_map(|pieces| pieces.concat())
}

/// Broken texts inside of brackets, so that many are read.
fn enclosed() -> impl Strategy<Value = String> {
    let string = prop_oneof!["[αβγδ ]{0,4}", "[αβγ \n\t,:]{0,6}", "[αβ]{1,2} \"[γδ]{1,2}\" [αβ]{0,2}", "[αβ]\\\\[γδ]",];
    let member = ("[αβγ]{1,2}", string, broken(), 0..8_u8).prop_map(|(key, text, broken, style)| match style {
        0 => format!("{key}: \"{text}\","),
        1 => format!("'{key}': '{text}',"),
        2 => format!("\"{key}\": [{broken}],"),
        3 => format!("“{key}”： “{text}”，"),
        4 => format!("\"{key}\": \"{text}\" "),
        5 => format!("\"{key}\": {broken},"),
        _ => format!("\"{key}\": \"{text}\","),
    });
    prop::collection::vec(member, 0..4).prop_map(|members| format!("{{{}}}", members.concat()))
}

/// Whether what was left out is more than structure.
fn leaves_out_content(kind: RepairKind) -> bool {
    matches!(kind, RepairKind::Prose | RepairKind::RepeatedMember | RepairKind::RepeatedValue)
}

fn check(text: &str) -> Result<(), TestCaseError> {
    if let Ok(repaired) = repair(text.as_bytes())
        && !repaired.repairs.iter().any(|repair| leaves_out_content(repair.kind))
    {
        prop_assert_eq!(content(text), content_of(&repaired.value), "{:?} -> {}", text, repaired.value);
    }
    Ok(())
}

proptest! {
    #[test]
    fn content_is_kept_in_order(text in broken()) {
        check(&text)?;
    }

    #[test]
    fn content_of_objects_is_kept_in_order(text in enclosed()) {
        check(&text)?;
    }

    #[test]
    fn no_text_makes_it_panic(text in "[{}\\[\\]():,\"'“”‘’，\\\\ud83cDE0nbf/*`~<>|\n\t \u{0}\u{feff}a-c1.+-]{0,40}") {
        let _ = repair(text.as_bytes());
    }

    #[test]
    fn no_bytes_make_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..64)) {
        let _ = repair(&bytes);
    }
}

#[test]
fn many_broken_objects_are_read() {
    let mut runner = TestRunner::deterministic();

    let read = (0..500).filter(|_| {
        let text = enclosed().new_tree(&mut runner).unwrap().current();
        repair(text.as_bytes()).is_ok_and(|repaired| !repaired.repairs.is_empty())
    });
    assert!(read.count() > 100);
}
