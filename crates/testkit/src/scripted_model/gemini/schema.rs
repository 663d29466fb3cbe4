//! The rules for what functions are declared with.

use serde_json::{Map, Value};

use super::check::invalid;
use super::{declarations, field};
use crate::scripted_model::refusal::Refusal;

/// The words of a schema that the service knows under `parameters`.
/// Source: <https://ai.google.dev/api/caching#Schema>.
const WORDS: [&str; 22] = [
    "type",
    "format",
    "title",
    "description",
    "nullable",
    "enum",
    "maxItems",
    "minItems",
    "properties",
    "required",
    "minProperties",
    "maxProperties",
    "minLength",
    "maxLength",
    "pattern",
    "example",
    "anyOf",
    "propertyOrdering",
    "default",
    "items",
    "minimum",
    "maximum",
];

pub(super) fn check(body: &Value) -> Result<(), Refusal> {
    for (at, declaration) in declarations(body).enumerate() {
        let place = format!("tools[0].function_declarations[{at}]");
        name(declaration["name"].as_str().unwrap_or_default(), &place)?;
        // A whole JSON Schema has a field of its own.
        if !field(declaration, "parametersJsonSchema").is_null() {
            continue;
        }
        let parameters = &declaration["parameters"];
        if !parameters.is_null() {
            schema(parameters, &format!("{place}.parameters"))?;
        }
    }
    Ok(())
}

/// Source: <https://ai.google.dev/api/caching#FunctionDeclaration> for the characters; the words have no public source.
fn name(name: &str, place: &str) -> Result<(), Refusal> {
    let starts = name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_');
    let is_legal = |byte: u8| byte.is_ascii_alphanumeric() || b"_.-".contains(&byte);
    if starts && name.len() <= 64 && name.bytes().all(is_legal) {
        return Ok(());
    }
    Err(invalid(format!(
        "* GenerateContentRequest.{place}.name: Invalid function name. Must start with a letter or an underscore. Must be \
         alphameric (a-z, A-Z, 0-9), underscores (_), dots (.) or dashes (-), with a maximum length of 64."
    )))
}

/// Source: <https://github.com/openswarm-ai/openswarm/issues/24>; of a list of types:
/// <https://github.com/zed-industries/zed/issues/53919>.
fn schema(schema: &Value, place: &str) -> Result<(), Refusal> {
    let words = schema.as_object().into_iter().flat_map(Map::iter);
    for (word, value) in words {
        if !WORDS.contains(&word.as_str()) {
            let unknown = format!("Unknown name \"{word}\" at '{place}': Cannot find field.");
            return Err(invalid(format!("Invalid JSON payload received. {unknown}")));
        }
        if word == "type" && value.is_array() {
            let list = format!("Unknown name \"type\" at '{place}': Proto field is not repeating, cannot start list.");
            return Err(invalid(format!("Invalid JSON payload received. {list}")));
        }
    }
    let inner = schema["properties"].as_object().into_iter().flat_map(Map::values);
    for (at, property) in inner.enumerate() {
        self::schema(property, &format!("{place}.properties[{at}].value"))?;
    }
    if schema["items"].is_object() {
        self::schema(&schema["items"], &format!("{place}.items"))?;
    }
    for (at, choice) in schema["anyOf"].as_array().into_iter().flatten().enumerate() {
        self::schema(choice, &format!("{place}.any_of[{at}]"))?;
    }
    Ok(())
}
