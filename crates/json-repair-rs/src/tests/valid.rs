//! Valid JSON, and its beginnings.

use proptest::prelude::*;
use serde_json::{Map, Number, Value};

use crate::reader::Reader;
use crate::{Error, Limits, attempt, repair};

/// Texts made of what strings trip over.
pub(super) fn texts() -> impl Strategy<Value = String> {
    let signs = "[abnut1 \"'\\\\\n\t\r,:;(){}\\[\\]/*+<>`“”‘’，：（）｛｝北é😀\u{0}\u{1b}-]{0,12}";
    prop_oneof![
        4 => signs,
        1 => prop_oneof![Just("True"), Just("//"), Just("```"), Just("</p>"), Just("\",\""), Just("\":"), Just("C:\\new")].prop_map(str::to_owned),
    ]
}

fn scalars() -> impl Strategy<Value = Value> {
    prop_oneof![
        1 => Just(Value::Null),
        1 => any::<bool>().prop_map(Value::from),
        2 => any::<i64>().prop_map(Value::from),
        1 => (-1e6..1e6_f64).prop_map(|number| Number::from_f64(number).map_or(Value::Null, Value::Number)),
        5 => texts().prop_map(Value::from),
    ]
}

/// Values of every shape.
pub(super) fn values() -> impl Strategy<Value = Value> {
    scalars().prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((texts(), inner), 0..4)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

/// What a call's arguments are.
pub(super) fn objects() -> impl Strategy<Value = Value> {
    prop::collection::vec((texts(), values()), 1..4)
        .prop_map(|members| settled(&Value::Object(members.into_iter().collect::<Map<_, _>>())))
}

/// The value as it comes back from text: the last digit of a fraction may differ.
pub(super) fn settled(value: &Value) -> Value {
    serde_json::from_str(&value.to_string()).unwrap()
}

fn serialised(value: &Value, pretty: bool) -> String {
    if pretty { serde_json::to_string_pretty(value).unwrap() } else { value.to_string() }
}

proptest! {
    #[test]
    fn valid_json_is_read_as_serde_json_reads_it(value in values(), pretty: bool) {
        let text = serialised(&value, pretty);

        let repaired = repair(text.as_bytes()).unwrap();
        prop_assert_eq!(repaired.value, settled(&value));
        prop_assert!(repaired.repairs.is_empty());
    }

    #[test]
    fn the_lenient_parser_agrees_on_valid_json(value in values(), pretty: bool) {
        let text = serialised(&value, pretty);
        let mut reader = Reader::over(&text);

        let (read, _) = attempt::read_text(&mut reader, Limits::default()).unwrap();
        prop_assert_eq!(read, settled(&value));
        prop_assert!(reader.into_repairs().is_empty());
    }

    #[test]
    fn every_beginning_of_an_object_is_cut_off(value in objects(), pretty: bool) {
        let text = serialised(&value, pretty);

        for end in 1..text.len() {
            let outcome = repair(&text.as_bytes()[..end]);
            prop_assert!(matches!(outcome, Err(Error::Truncated { .. })), "{:?}: {:?}", &text.as_bytes()[..end], outcome);
        }
    }

    #[test]
    fn every_beginning_of_a_value_is_refused_or_valid_itself(value in values()) {
        let text = value.to_string();

        for end in 0..text.len() {
            let beginning = &text.as_bytes()[..end];
            if let Ok(repaired) = repair(beginning) {
                prop_assert_eq!(serde_json::from_slice::<Value>(beginning).ok(), Some(repaired.value));
            }
        }
    }
}
