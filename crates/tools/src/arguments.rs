//! The arguments of a call, held against the schema that the model was shown.

use chat::ToolSpec;
use serde::de::DeserializeOwned;
use serde_json::{Map, Number, Value};

use crate::text::clip;

/// Checks arguments against a tool's schema.
///
/// Missing required ones are all named; one of a wrong type is named with what was expected; names and values that are only written
/// differently (`oldText` for `old_text`, `"10"` for `10`) are taken for what they mean; `null` counts as absent where the schema has
/// no use for it. An argument that the schema does not know is an error where it is nearly one that it knows, else left as it is.
///
/// # Errors
///
/// A sentence for the model that says what to send instead.
pub fn check_arguments(spec: &ToolSpec, mut arguments: Map<String, Value>) -> Result<Map<String, Value>, String> {
    let empty = Map::new();
    let properties = spec.parameters.get("properties").and_then(Value::as_object).unwrap_or(&empty);
    let takes_null = |name: &String| properties.get(name).is_none_or(|schema| check(&Value::Null, schema).is_ok());
    arguments.retain(|name, value| !value.is_null() || takes_null(name));
    let absent = rename(&mut arguments, properties);
    check_none_is_missing(spec, &arguments, &absent)?;
    check_none_is_misspelt(spec, &arguments, &absent)?;
    for (name, schema) in properties {
        if let Some(value) = arguments.get_mut(name) {
            *value = check(value, schema).map_err(|expected| wrong(name, &expected, value))?;
        }
    }
    Ok(arguments)
}

/// Takes the arguments of a call for the type that the tool's spec was made of.
pub(crate) fn parse<T: DeserializeOwned>(spec: &ToolSpec, arguments: Map<String, Value>) -> Result<T, String> {
    let arguments = check_arguments(spec, arguments)?;
    serde_json::from_value(Value::Object(arguments)).map_err(|error| format!("these arguments do not fit: {error}"))
}

/// Gives arguments the names of the schema where they differ only in how they are written, and tells which names are not used.
fn rename(arguments: &mut Map<String, Value>, properties: &Map<String, Value>) -> Vec<String> {
    let mut absent: Vec<String> = properties.keys().filter(|name| !arguments.contains_key(*name)).cloned().collect();
    absent.retain(|name| {
        let same =
            arguments.keys().find(|given| !properties.contains_key(*given) && plain(given) == plain(name)).cloned();
        let value = same.and_then(|given| arguments.shift_remove(&given));
        value.is_none_or(|value| {
            arguments.insert(name.clone(), value);
            false
        })
    });
    absent
}

/// A name without what is only a way of writing.
fn plain(name: &str) -> String {
    name.chars().filter(|letter| letter.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// The name that may have been meant by another.
fn nearest<'a>(given: &str, names: impl IntoIterator<Item = &'a String>) -> Option<&'a str> {
    let given = plain(given);
    let near = names.into_iter().filter_map(|name| {
        let other = plain(name);
        let distance = strsim::damerau_levenshtein(&given, &other);
        let holds = other.len() >= 3 && given.contains(&other) || given.len() >= 3 && other.contains(&given);
        (holds || distance <= other.chars().count() / 3).then_some((distance, name.as_str()))
    });
    near.min().map(|(_, name)| name)
}

fn check_none_is_misspelt(spec: &ToolSpec, arguments: &Map<String, Value>, absent: &[String]) -> Result<(), String> {
    let known = spec.parameters.get("properties").and_then(Value::as_object);
    let unknown = arguments.keys().filter(|name| known.is_some_and(|known| !known.contains_key(*name)));
    let mut misspelt = unknown.filter_map(|name| Some((name, nearest(name, absent)?)));
    let Some((name, meant)) = misspelt.next() else { return Ok(()) };
    Err(format!("{} has no argument `{name}`; did you mean `{meant}`?", spec.name))
}

fn check_none_is_missing(spec: &ToolSpec, arguments: &Map<String, Value>, absent: &[String]) -> Result<(), String> {
    let required = spec.parameters.get("required").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let required = required.iter().filter_map(Value::as_str);
    let missing: Vec<_> = required.filter(|name| !arguments.contains_key(*name)).collect();
    if missing.is_empty() {
        return Ok(());
    }
    let got = if arguments.is_empty() { "none".to_owned() } else { quoted(arguments.keys().map(String::as_str)) };
    let known = spec.parameters.get("properties").and_then(Value::as_object);
    let unknown = arguments.keys().filter(|name| known.is_some_and(|known| !known.contains_key(*name)));
    let meant = unknown.filter_map(|name| Some(format!("; by `{name}`, did you mean `{}`?", nearest(name, absent)?)));
    let meant: String = meant.collect();
    Err(format!("{} is called without {}; got {got}{meant}", spec.name, quoted(missing)))
}

fn quoted<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    names.into_iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

fn wrong(name: &str, expected: &str, value: &Value) -> String {
    format!("`{name}` must be {expected}, not {}", clip(&value.to_string(), 60))
}

/// The value as the schema wants it, or what the schema wants.
fn check(value: &Value, schema: &Value) -> Result<Value, String> {
    let types: Vec<&str> = match schema.get("type") {
        Some(Value::String(name)) => vec![name],
        Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    };
    let value = match types.iter().find_map(|name| as_type(value, name)) {
        Some(value) => value,
        None if types.is_empty() => value.clone(),
        None => return Err(types.iter().map(|name| with_article(name)).collect::<Vec<_>>().join(" or ")),
    };
    match schema.get("enum").and_then(Value::as_array) {
        Some(choices) if !choices.contains(&value) => {
            Err(format!("one of {}", choices.iter().map(Value::to_string).collect::<Vec<_>>().join(", ")))
        }
        _ => Ok(value),
    }
}

/// The value read as this JSON type, where it can mean only one thing.
fn as_type(value: &Value, name: &str) -> Option<Value> {
    match (name, value) {
        ("string", Value::String(_))
        | ("boolean", Value::Bool(_))
        | ("array", Value::Array(_))
        | ("object", Value::Object(_))
        | ("null", Value::Null)
        | ("number", Value::Number(_)) => Some(value.clone()),
        ("integer", Value::Number(number)) => integer(number).map(Value::from),
        ("integer", Value::String(text)) => text.trim().parse::<i64>().ok().map(Value::from),
        ("number", Value::String(text)) => text.trim().parse().ok().and_then(Number::from_f64).map(Value::Number),
        ("boolean", Value::String(text)) => text.trim().to_ascii_lowercase().parse::<bool>().ok().map(Value::from),
        ("string", Value::Number(_) | Value::Bool(_)) => Some(Value::String(value.to_string())),
        ("array" | "object", Value::String(text)) => {
            let inner = serde_json::from_str::<Value>(text).ok()?;
            let fits = if name == "array" { inner.is_array() } else { inner.is_object() };
            fits.then_some(inner)
        }
        _ => None,
    }
}

/// A whole number, `10.0` among them; 2^53 is where floats stop being exact about that.
fn integer(number: &Number) -> Option<i64> {
    let exact = |float: f64| float.fract() == 0.0 && float.abs() <= 9_007_199_254_740_992.0;
    #[allow(clippy::cast_possible_truncation)]
    number.as_i64().or_else(|| number.as_f64().filter(|float| exact(*float)).map(|float| float as i64))
}

fn with_article(name: &str) -> String {
    let article = if name.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" };
    format!("{article} {name}")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn spec() -> ToolSpec {
        let parameters = json!({
            "type": "object",
            "properties": {
                "path": {"type": "string"},
                "content": {"type": "string"},
                "count": {"type": "integer"},
                "ratio": {"type": "number"},
                "all": {"type": "boolean"},
                "list": {"type": "array"},
                "until": {"type": ["string", "null"]},
                "mode": {"type": "string", "enum": ["fast", "slow"]},
            },
            "required": ["path", "content"],
        });
        ToolSpec { name: "sample".into(), description: String::new(), parameters }
    }

    fn checked(extra: Value) -> Result<Map<String, Value>, String> {
        let Value::Object(mut arguments) = json!({"path": "a", "content": "b"}) else { unreachable!() };
        let Value::Object(extra) = extra else { unreachable!() };
        arguments.extend(extra);
        check_arguments(&spec(), arguments)
    }

    #[test]
    fn all_missing_arguments_are_named_with_what_came_instead() {
        let Value::Object(arguments) = json!({"file": "a", "content": null}) else { unreachable!() };

        let error = check_arguments(&spec(), arguments).unwrap_err();

        assert_eq!(error, "sample is called without `path`, `content`; got `file`");
    }

    #[test]
    fn a_value_that_is_only_written_differently_is_taken_for_what_it_means() {
        let arguments = checked(json!({
            "count": "10", "ratio": "0.5", "all": "True", "path": 7, "list": "[1, 2]",
        }));

        let arguments = Value::Object(arguments.unwrap());
        let expected = json!({
            "path": "7", "content": "b", "count": 10, "ratio": 0.5, "all": true, "list": [1, 2],
        });
        assert_eq!(arguments, expected);
    }

    #[test]
    fn a_whole_float_is_an_integer_and_another_is_not() {
        assert_eq!(checked(json!({"count": 10.0})).unwrap()["count"], json!(10));
        assert_eq!(checked(json!({"count": 1.5})).unwrap_err(), "`count` must be an integer, not 1.5");
    }

    #[test]
    fn a_wrong_type_is_named_with_what_was_expected() {
        assert_eq!(checked(json!({"count": "many"})).unwrap_err(), "`count` must be an integer, not \"many\"");
        assert_eq!(checked(json!({"path": ["a"]})).unwrap_err(), "`path` must be a string, not [\"a\"]");
        assert_eq!(
            checked(json!({"mode": "odd"})).unwrap_err(),
            "`mode` must be one of \"fast\", \"slow\", not \"odd\""
        );
    }

    #[test]
    fn a_name_that_is_only_written_differently_is_taken_for_what_it_means() {
        let Value::Object(arguments) = json!({"Path": "a", "con-tent": "b", "COUNT": "3"}) else { unreachable!() };

        let arguments = Value::Object(check_arguments(&spec(), arguments).unwrap());

        assert_eq!(arguments, json!({"path": "a", "content": "b", "count": 3}));
    }

    #[test]
    fn the_name_that_was_meant_is_told() {
        let Value::Object(arguments) = json!({"file_path": "a", "text": "b"}) else { unreachable!() };

        let error = check_arguments(&spec(), arguments).unwrap_err();

        assert_eq!(
            error,
            "sample is called without `path`, `content`; got `file_path`, `text`; by `file_path`, did you mean `path`?"
        );
        assert_eq!(checked(json!({"cuont": 3})).unwrap_err(), "sample has no argument `cuont`; did you mean `count`?");
        assert!(checked(json!({"count": 3, "cuont": 3})).is_ok());
    }

    #[test]
    fn an_argument_that_the_schema_does_not_know_is_left_alone() {
        assert_eq!(checked(json!({"reason": {"a": 1}})).unwrap()["reason"], json!({"a": 1}));
    }

    #[test]
    fn null_is_absence_unless_the_schema_takes_it() {
        let arguments = checked(json!({"count": null, "until": null, "unknown": null})).unwrap();

        let names: Vec<&str> = arguments.keys().map(String::as_str).collect();
        assert_eq!(names, ["path", "content", "until", "unknown"]);
    }

    #[test]
    fn a_schema_without_properties_checks_nothing() {
        let spec = ToolSpec { name: "any".into(), description: String::new(), parameters: json!({"type": "object"}) };
        let Value::Object(arguments) = json!({"a": 1}) else { unreachable!() };

        assert_eq!(check_arguments(&spec, arguments.clone()).unwrap(), arguments);
    }

    proptest! {
        #[test]
        fn what_was_accepted_is_accepted_again_unchanged(text in ".{0,20}", number in any::<f64>(), flag in any::<bool>()) {
            let once = checked(json!({"path": text, "count": text, "all": flag, "ratio": number}))
                .or_else(|_| checked(json!({"path": text, "ratio": number, "all": flag.to_string()})));
            if let Ok(once) = once {
                prop_assert_eq!(check_arguments(&spec(), once.clone()).unwrap(), once);
            }
        }
    }
}
