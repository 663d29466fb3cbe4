//! From the text of a call's arguments to an object, or to why there is none.

use chat::{Arguments, ArgumentsRefusal, Finish};
use json_repair_rs::{Error, repair};
use serde_json::{Map, Value};

#[cfg(test)]
mod tests;

/// Reads the text of a call's arguments. `finish` is why the reply ended, as the server said: it tells whether the text may be cut
/// off. Text that is broken but whole is repaired where there is exactly one way to.
#[must_use]
pub fn parse_arguments(text: &str, finish: Option<Finish>) -> Arguments {
    match repair(text.as_bytes()) {
        Ok(read) if read.repairs.is_empty() || (is_whole(finish) && !read.truncated) => object_or_refusal(read.value),
        Err(Error::Empty) if finish == Some(Finish::Length) => {
            truncated("the output limit was reached before the arguments began")
        }
        Err(Error::Empty) if finish.is_none() => truncated("the reply broke off before the arguments began"),
        Err(Error::Empty) => Arguments::Object(Map::new()),
        Err(error) if is_whole(finish) && !error.is_truncated() => {
            invalid(format!("the arguments are not valid JSON: {error}"))
        }
        Ok(_) | Err(_) => truncated(&format!(
            "the arguments are cut off after {} characters: the call did not run",
            text.trim_end().chars().count()
        )),
    }
}

/// Whether the server said that the reply has its end. Where it did not, text that is no JSON as it stands is taken for cut off.
fn is_whole(finish: Option<Finish>) -> bool {
    !matches!(finish, None | Some(Finish::Length))
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

/// Refuses arguments that came as an object of which a whole number was rounded.
pub(crate) fn refuse_if_rounded(arguments: Arguments) -> Arguments {
    match arguments {
        Arguments::Object(object) if object.values().any(holds_float) => invalid(
            "the arguments hold a whole number of more than 64 bits, which may be written as a string".to_owned(),
        ),
        other => other,
    }
}

fn holds_float(value: &Value) -> bool {
    match value {
        Value::Number(number) => number.is_f64(),
        Value::Array(values) => values.iter().any(holds_float),
        Value::Object(object) => object.values().any(holds_float),
        _ => false,
    }
}

fn truncated(detail: &str) -> Arguments {
    Arguments::Refused { reason: ArgumentsRefusal::Truncated, detail: detail.to_owned() }
}

fn invalid(detail: String) -> Arguments {
    Arguments::Refused { reason: ArgumentsRefusal::Invalid, detail }
}
