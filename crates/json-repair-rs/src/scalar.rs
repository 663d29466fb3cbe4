//! Numbers and words.

use serde_json::Value;

use crate::Error;
use crate::integer::fits;
use crate::punctuation::{begins_name, is_in_name};
use crate::reader::Reader;
use crate::repaired::RepairKind;

/// The words that are values.
pub(crate) const WORDS: [(&str, Value); 6] = [
    ("true", Value::Bool(true)),
    ("false", Value::Bool(false)),
    ("null", Value::Null),
    ("True", Value::Bool(true)),
    ("False", Value::Bool(false)),
    ("None", Value::Null),
];

/// Whether a number begins with `c`, or what somebody may have taken for one.
pub(crate) fn begins_number(c: char) -> bool {
    c.is_ascii_digit() || matches!(c, '-' | '+' | '.')
}

/// Reads a number as `serde_json` does. Other spellings (`+1`, `.5`, `0x1F`, `1_000`) are refused: what was meant is a guess. So is
/// a whole number that `serde_json` would round, and a number that is larger than any float.
pub(crate) fn read_number(reader: &mut Reader<'_>) -> Result<Value, Error> {
    let at = reader.at();
    let token = reader.take_while(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '+' | '.' | '_'));
    if !fits(token) {
        return Err(Error::invalid("a whole number of more than 64 bits", at));
    }
    if let Ok(number) = serde_json::from_str(token) {
        return Ok(number);
    }
    let lacks_digits = reader.peek().is_none() && serde_json::from_str::<Value>(&format!("{token}0")).is_ok();
    Err(if lacks_digits {
        Error::Truncated { open: "number", at }
    } else {
        Error::invalid("a number that is not JSON's", at)
    })
}

/// Reads `true`, `false`, `null`, and what Python calls them.
pub(crate) fn read_word(reader: &mut Reader<'_>) -> Result<Value, Error> {
    let at = reader.at();
    if !reader.peek().is_some_and(begins_name) {
        return Err(Error::invalid("no value", at));
    }
    let word = reader.take_while(is_in_name);
    if let Some((_, value)) = WORDS.iter().find(|(known, _)| *known == word) {
        if word.starts_with(char::is_uppercase) {
            reader.note(RepairKind::Word, at);
        }
        return Ok(value.clone());
    }
    let lacks_letters = reader.peek().is_none() && WORDS.iter().any(|(known, _)| known.starts_with(word));
    Err(if lacks_letters {
        Error::Truncated { open: "word", at }
    } else {
        Error::invalid("a value without quotes", at)
    })
}
