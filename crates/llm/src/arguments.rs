//! From the text of a call's arguments to an object, or to why there is none.

use chat::{Arguments, ArgumentsRefusal, Finish};
use serde_json::{Map, Value};

#[cfg(test)]
mod tests;

/// Reads the text of a call's arguments. `finish` is why the reply ended, as the server said: it tells whether the text may be cut
/// off. Text that is no object as it stands is refused rather than guessed at.
#[must_use]
pub fn parse_arguments(text: &str, finish: Option<Finish>) -> Arguments {
    if text.trim().is_empty() {
        return match finish {
            Some(Finish::Length) => truncated("the output limit was reached before the arguments began"),
            _ => Arguments::Object(Map::new()),
        };
    }
    match serde_json::from_str(text) {
        Ok(value) => object_or_refusal(value),
        Err(error) if is_cut_off(text, &error, finish) => truncated(&format!(
            "the arguments are cut off after {} characters: the call did not run",
            text.trim_end().chars().count()
        )),
        Err(error) => repair(text, &error),
    }
}

/// The place where broken but whole JSON is repaired.
fn repair(_text: &str, error: &serde_json::Error) -> Arguments {
    invalid(format!("the arguments are not valid JSON: {error}"))
}

/// Takes what is an object, and says of anything else what it is.
pub(crate) fn object_or_refusal(value: Value) -> Arguments {
    let found = match value {
        Value::Object(object) => return Arguments::Object(object),
        Value::Array(_) => "an array",
        Value::String(_) => "a string",
        Value::Number(_) => "a number",
        Value::Bool(_) => "a truth value",
        Value::Null => return Arguments::Object(Map::new()),
    };
    invalid(format!("the arguments are {found}: a JSON object is needed"))
}

/// Whether a text that is no JSON lacks its end: the server says so, or never said that the reply was whole, or it is open at its end.
fn is_cut_off(text: &str, error: &serde_json::Error, finish: Option<Finish>) -> bool {
    matches!(finish, None | Some(Finish::Length))
        || error.is_eof()
        || (!text.trim_end().ends_with('}') && is_open(text))
}

/// Whether a string, an object or an array that began in `text` does not end in it.
fn is_open(text: &str) -> bool {
    let (mut depth, mut in_string, mut escaped) = (0_i64, false, false);
    for byte in text.bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            b'{' | b'[' if !in_string => depth += 1,
            b'}' | b']' if !in_string => depth -= 1,
            _ => {}
        }
    }
    in_string || depth > 0
}

fn truncated(detail: &str) -> Arguments {
    Arguments::Refused { reason: ArgumentsRefusal::Truncated, detail: detail.to_owned() }
}

fn invalid(detail: String) -> Arguments {
    Arguments::Refused { reason: ArgumentsRefusal::Invalid, detail }
}
