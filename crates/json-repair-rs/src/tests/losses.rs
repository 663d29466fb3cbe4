//! One sign of a valid text is lost or doubled.

use proptest::prelude::*;
use serde_json::Value;

use super::valid::objects;
use crate::repair;

/// The places of the signs outside of strings, and of the quotes around them.
fn signs(text: &str) -> Vec<(usize, char)> {
    let (mut signs, mut in_string, mut escaped) = (Vec::new(), false, false);
    for (at, c) in text.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' if in_string => escaped = true,
            '"' => {
                in_string = !in_string;
                signs.push((at, c));
            }
            '{' | '}' | '[' | ']' | ',' | ':' if !in_string => signs.push((at, c)),
            _ => {}
        }
    }
    signs
}

fn pretty(value: &Value) -> String {
    serde_json::to_string_pretty(value).unwrap()
}

proptest! {
    #[test]
    fn a_lost_quote_is_refused(value in objects(), pick: prop::sample::Index) {
        let text = value.to_string();
        let quotes: Vec<_> = signs(&text).into_iter().filter(|(_, sign)| *sign == '"').collect();
        let (at, _) = quotes[pick.index(quotes.len())];

        let damaged = [&text[..at], &text[at + 1..]].concat();
        prop_assert!(repair(damaged.as_bytes()).is_err(), "{} -> {:?}", damaged, repair(damaged.as_bytes()));
    }

    #[test]
    fn a_lost_bracket_or_colon_is_refused(value in objects(), pick: prop::sample::Index) {
        let text = pretty(&value);
        let signs: Vec<_> = signs(&text).into_iter().filter(|(_, sign)| !matches!(sign, '"' | ',')).collect();
        let (at, _) = signs[pick.index(signs.len())];

        let damaged = [&text[..at], &text[at + 1..]].concat();
        prop_assert!(repair(damaged.as_bytes()).is_err(), "{} -> {:?}", damaged, repair(damaged.as_bytes()));
    }

    #[test]
    fn a_lost_comma_is_repaired_or_refused(value in objects(), pick: prop::sample::Index) {
        let text = pretty(&value);
        let commas: Vec<_> = signs(&text).into_iter().filter(|(_, sign)| *sign == ',').collect();
        let Some((at, _)) = commas.get(pick.index(commas.len().max(1))) else { return Ok(()) };

        let damaged = [&text[..*at], &text[at + 1..]].concat();
        if let Ok(repaired) = repair(damaged.as_bytes()) {
            prop_assert_eq!(repaired.value, value, "{}", damaged);
        }
    }

    #[test]
    fn a_doubled_sign_is_refused(value in objects(), pick: prop::sample::Index) {
        let text = pretty(&value);
        let signs = signs(&text);
        let (at, sign) = signs[pick.index(signs.len())];

        let damaged = format!("{}{sign}{}", &text[..at], &text[at..]);
        prop_assert!(repair(damaged.as_bytes()).is_err(), "{} -> {:?}", damaged, repair(damaged.as_bytes()));
    }
}
