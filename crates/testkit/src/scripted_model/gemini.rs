//! Gemini's `generateContent` and `streamGenerateContent`.

use serde_json::{Value, json};

use super::format::Call;
use super::received::Line;
use super::refusal::Refusal;
use super::rules::Rules;

mod check;
mod contents;
mod render;
mod schema;
#[cfg(test)]
mod tests;

pub(crate) use check::check;
pub(crate) use render::{error, stream, whole};

/// Answers a look at which models there are.
pub(crate) fn models(call: &Call<'_>, rules: &Rules) -> Option<Result<Value, Refusal>> {
    let path = call.path.split('?').next().unwrap_or_default();
    if call.method != "GET" || path != "/v1beta/models" {
        return None;
    }
    let methods = ["generateContent"];
    let model = json!({"name": "models/scripted", "displayName": "Scripted", "supportedGenerationMethods": methods});
    Some(check::key(call, rules).map(|()| json!({"models": [model]})))
}

/// What a request says, part by part.
pub(crate) fn lines(body: &Value) -> Vec<Line> {
    let system = parts(field(body, "systemInstruction")).iter().map(|part| Line::System(text_of(&part["text"])));
    let contents = body["contents"].as_array().into_iter().flatten();
    let said = contents.flat_map(|content| parts(content).iter().filter_map(|part| line_of(part, &content["role"])));
    system.chain(said).collect()
}

fn line_of(part: &Value, role: &Value) -> Option<Line> {
    let call = field(part, "functionCall");
    let response = field(part, "functionResponse");
    let data = field(part, "inlineData");
    Some(if call.is_object() {
        // Without ids a call is known by its name.
        let name = text_of(&call["name"]);
        let id = call["id"].as_str().map_or_else(|| name.clone(), str::to_owned);
        Line::Call { id, name, arguments: call["args"].clone() }
    } else if response.is_object() {
        let id = response["id"].as_str().unwrap_or_else(|| response["name"].as_str().unwrap_or_default());
        Line::Result { id: id.to_owned(), content: content_of(&response["response"]) }
    } else if data.is_object() {
        Line::Image(text_of(field(data, "mimeType")))
    } else if part["thought"] == Value::Bool(true) {
        return None;
    } else {
        let line = if role == "model" { Line::Assistant } else { Line::User };
        line(text_of(&part["text"]))
    })
}

/// What a tool gave back: the one text in the object, or the object.
fn content_of(response: &Value) -> String {
    let values: Vec<&Value> = response.as_object().into_iter().flat_map(|fields| fields.values()).collect();
    match values.as_slice() {
        [Value::String(text)] => text.clone(),
        _ => response.to_string(),
    }
}

/// A field by its name in camel case, or in snake case.
fn field<'a>(object: &'a Value, name: &str) -> &'a Value {
    object.get(name).unwrap_or_else(|| &object[check::snake(name)])
}

fn parts(content: &Value) -> &[Value] {
    content["parts"].as_array().map_or(&[], Vec::as_slice)
}

fn text_of(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

/// The function declarations of a request.
fn declarations(body: &Value) -> impl Iterator<Item = &Value> {
    let tools = body["tools"].as_array().into_iter().flatten();
    tools.flat_map(|tool| field(tool, "functionDeclarations").as_array().into_iter().flatten())
}

/// The names of the tools that a request offers.
pub(crate) fn tool_names(body: &Value) -> Vec<String> {
    declarations(body).map(|tool| text_of(&tool["name"])).collect()
}
