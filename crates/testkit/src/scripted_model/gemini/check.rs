//! The rules that a request has to keep to, in the order in which they are looked at.

use serde_json::{Map, Value, json};

use super::{contents, field, schema};
use crate::scripted_model::format::Call;
use crate::scripted_model::refusal::Refusal;
use crate::scripted_model::rules::Rules;

/// Reads a request, or says which rule it breaks.
pub(crate) fn check(call: &Call<'_>, rules: &Rules) -> Result<Value, Refusal> {
    path(call)?;
    key(call, rules)?;
    let body = Value::Object(json(call)?);
    fields(&body, rules)?;
    schema::check(&body)?;
    contents::check(&body)?;
    Ok(body)
}

/// A refusal with status 400.
pub(super) fn invalid(message: impl Into<String>) -> Refusal {
    refusal(400, "INVALID_ARGUMENT", message)
}

fn refusal(status: u16, name: &str, message: impl Into<String>) -> Refusal {
    let message = message.into();
    Refusal { status, body: json!({"error": {"code": status, "message": message, "status": name}}), message }
}

/// Source: <https://ai.google.dev/api/generate-content>. Without `alt=sse` the service streams an array; this server does not.
fn path(call: &Call<'_>) -> Result<(), Refusal> {
    let (path, query) = call.path.split_once('?').unwrap_or((call.path, ""));
    let method = path.strip_prefix("/v1beta/models/").and_then(|rest| rest.split_once(':')).map(|(_, method)| method);
    match method {
        Some("generateContent") if call.method == "POST" => Ok(()),
        Some("streamGenerateContent") if call.method == "POST" && query.split('&').any(|it| it == "alt=sse") => Ok(()),
        _ => Err(refusal(404, "NOT_FOUND", "Requested entity was not found.")),
    }
}

/// Source: <https://ai.google.dev/gemini-api/docs/api-key> for the header; the words have no public source.
pub(super) fn key(call: &Call<'_>, rules: &Rules) -> Result<(), Refusal> {
    let in_header = call.headers.get("x-goog-api-key").and_then(|value| value.to_str().ok());
    let query = call.path.split_once('?').map_or("", |(_, query)| query);
    match in_header.or_else(|| query.split('&').find_map(|pair| pair.strip_prefix("key="))) {
        Some(key) if key == rules.key => Ok(()),
        Some(_) => Err(invalid("API key not valid. Please pass a valid API key.")),
        None => {
            let message = "Method doesn't allow unregistered callers (callers without established identity). Please \
                           use API Key or other form of API consumer identity to call this API.";
            Err(refusal(403, "PERMISSION_DENIED", message))
        }
    }
}

/// No public source for the words.
fn json(call: &Call<'_>) -> Result<Map<String, Value>, Refusal> {
    match serde_json::from_slice(call.body) {
        Ok(Value::Object(body)) => Ok(body),
        _ => Err(invalid("Invalid JSON payload received.")),
    }
}

/// Source: <https://ai.google.dev/api/generate-content>.
const FIELDS: [&str; 7] =
    ["contents", "tools", "toolConfig", "safetySettings", "systemInstruction", "generationConfig", "cachedContent"];

/// Source of the words: <https://github.com/nanbingxyz/5ire/issues/42>.
fn fields(body: &Value, rules: &Rules) -> Result<(), Refusal> {
    let known = |name: &String| FIELDS.iter().any(|field| field == name || snake(field) == *name);
    let unknown = body.as_object().into_iter().flat_map(Map::keys).find(|name| !known(name));
    if let (Some(name), true) = (unknown, rules.known_fields_only) {
        return Err(invalid(format!("Invalid JSON payload received. Unknown name \"{name}\": Cannot find field.")));
    }
    let system = field(body, "systemInstruction");
    if !system.is_null() && super::parts(system).iter().all(|part| !part["text"].is_string()) {
        return Err(invalid("* GenerateContentRequest.system_instruction.parts: must hold a text"));
    }
    Ok(())
}

/// A name in snake case: the service takes it too.
pub(super) fn snake(camel: &str) -> String {
    let mut snake = String::new();
    for letter in camel.chars() {
        if letter.is_ascii_uppercase() {
            snake.push('_');
        }
        snake.push(letter.to_ascii_lowercase());
    }
    snake
}
