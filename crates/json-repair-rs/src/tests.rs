use super::*;

mod costs;
mod damage;
mod fixtures;
mod kept;
mod losses;
mod valid;

fn kinds(text: &str) -> Vec<RepairKind> {
    repair(text.as_bytes()).unwrap().repairs.into_iter().map(|repair| repair.kind).collect()
}

#[test]
fn valid_json_needs_no_repair() {
    assert_eq!(kinds(r#" {"text":"it's","list":[1,2.5,null]} "#), []);
}

#[test]
fn repairs_are_told_with_their_places() {
    let repairs = repair(b"{a: 'x',}").unwrap().repairs;

    let found: Vec<_> = repairs.into_iter().map(|repair| (repair.kind, repair.at)).collect();
    assert_eq!(found, [(RepairKind::UnquotedKey, 1), (RepairKind::Quotes, 4), (RepairKind::TrailingComma, 7)]);
}

#[test]
fn a_whole_value_in_an_open_fence_is_told_apart() {
    assert!(repair(b"```json\n{\"a\":1}").unwrap().truncated);
    assert!(!repair(b"```json\n{\"a\":1}\n```").unwrap().truncated);
}

#[test]
fn white_space_alone_is_empty() {
    for text in ["", " \n\t", "\u{feff}", "\0"] {
        assert_eq!(repair(text.as_bytes()), Err(Error::Empty), "{text:?}");
    }
}

#[test]
fn bytes_that_are_no_text_are_refused_where_they_stand() {
    assert_eq!(repair(b"{\"a\":\"\xff\"}"), Err(Error::invalid("a byte that is not UTF-8", 6)));
}

#[test]
fn a_character_without_its_end_is_a_cut() {
    assert_eq!(repair(b"{\"a\":\"\xe4\xbd"), Err(Error::Truncated { open: "character", at: 6 }));
}

#[test]
fn a_text_above_the_limit_is_refused_unread() {
    let limits = Limits { bytes: 4, ..Limits::default() };

    assert!(repair_with(b"[11]", limits).is_ok());
    assert_eq!(repair_with(b"[111]", limits), Err(Error::TooLarge { size: 5, limit: 4 }));
}

#[test]
fn nesting_ends_where_that_of_serde_json_ends() {
    let nested = |depth: usize, comma: &str| format!("{}1{comma}{}", "[".repeat(depth), "]".repeat(depth));

    for comma in ["", ","] {
        assert!(repair(nested(127, comma).as_bytes()).is_ok());
        assert_eq!(repair(nested(128, comma).as_bytes()), Err(Error::TooDeep { at: 127, limit: 128 }));
    }
    assert!(serde_json::from_str::<serde_json::Value>(&nested(127, "")).is_ok());
    assert!(serde_json::from_str::<serde_json::Value>(&nested(128, "")).is_err());
}

#[test]
fn a_lower_limit_of_nesting_holds_for_valid_json_too() {
    let limits = Limits { depth: 3, ..Limits::default() };

    assert!(repair_with(b"[[1]]", limits).is_ok());
    assert_eq!(repair_with(b"[[[1]]]", limits), Err(Error::TooDeep { at: 2, limit: 3 }));
}

#[test]
fn no_limit_of_nesting_is_higher_than_that_of_serde_json() {
    let limits = Limits { depth: 1_000_000, ..Limits::default() };

    let text = "[".repeat(100_000) + &"]".repeat(100_000);
    assert_eq!(repair_with(text.as_bytes(), limits), Err(Error::TooDeep { at: 127, limit: 128 }));
}

#[test]
fn errors_say_what_is_wrong_and_where() {
    let message = |text: &str| repair(text.as_bytes()).unwrap_err().to_string();

    assert_eq!(message(r#"{"a" 1}"#), "a missing colon at byte 5");
    assert_eq!(message(r#"{"a":["x"#), "the string that begins at byte 6 has no end");
    assert_eq!(message(r#"{"a":"b "c", d"}"#), "an unescaped quote at byte 10, which can be read in more than one way");
}
