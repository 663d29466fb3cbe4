//! The rules for the contents of a request.

use serde_json::Value;

use super::check::invalid;
use super::{field, parts};
use crate::scripted_model::format::signature;
use crate::scripted_model::refusal::Refusal;

pub(super) fn check(body: &Value) -> Result<(), Refusal> {
    let contents = body["contents"].as_array().map_or(&[][..], Vec::as_slice);
    if contents.is_empty() {
        // Source: https://github.com/vercel/ai/issues/3775
        return Err(invalid("* GenerateContentRequest.contents: contents is not specified"));
    }
    for (at, content) in contents.iter().enumerate() {
        role(content)?;
        data(content, at)?;
    }
    pairs(contents)?;
    if contents.last().is_some_and(is_model) {
        // No public source for the words.
        return Err(invalid(
            "Please ensure that single turn requests end with a user role or the role field is empty.",
        ));
    }
    signatures(contents)
}

fn is_model(content: &Value) -> bool {
    content["role"] == "model"
}

/// Source: <https://ai.google.dev/api/caching#Content> for which roles there are.
fn role(content: &Value) -> Result<(), Refusal> {
    match content["role"].as_str() {
        Some("user" | "model") => Ok(()),
        _ => Err(invalid("Please use a valid role: user, model.")),
    }
}

/// Source of no parts: <https://github.com/egoist/chatwise-releases/issues/250>; of an empty part:
/// <https://github.com/router-for-me/CLIProxyAPI/issues/1292>.
fn data(content: &Value, at: usize) -> Result<(), Refusal> {
    let place = format!("* GenerateContentRequest.contents[{at}].parts");
    if parts(content).is_empty() {
        return Err(invalid(format!("{place}: contents.parts must not be empty.")));
    }
    for (part_at, part) in parts(content).iter().enumerate() {
        let has_text = part["text"].as_str().is_some_and(|text| !text.is_empty());
        let kinds = ["functionCall", "functionResponse", "inlineData", "fileData"];
        if !has_text && !kinds.iter().any(|kind| field(part, kind).is_object()) {
            let oneof = "required oneof field 'data' must have one initialized field";
            return Err(invalid(format!("{place}[{part_at}].data: {oneof}")));
        }
        objects(part)?;
    }
    Ok(())
}

/// Arguments and responses are objects.
/// Source: <https://ai.google.dev/api/caching#FunctionCall>; the words have no public source.
fn objects(part: &Value) -> Result<(), Refusal> {
    let call = field(part, "functionCall");
    if call.is_object() && !(call["args"].is_null() || call["args"].is_object()) {
        return Err(invalid("Invalid value at 'function_call.args' (type.googleapis.com/google.protobuf.Struct)"));
    }
    let response = field(part, "functionResponse");
    if response.is_object() && !response["response"].is_object() {
        return Err(invalid(
            "Invalid value at 'function_response.response' (type.googleapis.com/google.protobuf.Struct)",
        ));
    }
    Ok(())
}

fn pairs(contents: &[Value]) -> Result<(), Refusal> {
    let mut open: Vec<&Value> = Vec::new();
    for content in contents {
        let responses = of_kind(content, "functionResponse");
        if responses.len() != open.len() {
            // Source: https://github.com/google-gemini/gemini-cli/issues/5443
            return Err(invalid(
                "Please ensure that the number of function response parts is equal to the number of function call parts \
                 of the function call turn.",
            ));
        }
        // No public source: the service pairs by place and name, and this server makes sure that both fit.
        let differ = |(call, response): (&&Value, &&Value)| call["name"] != response["name"];
        if open.iter().zip(&responses).any(differ) {
            return Err(invalid("The names of function responses differ from those of the function calls."));
        }
        open = of_kind(content, "functionCall");
        if !open.is_empty() && !is_model(content) {
            return Err(invalid("Please ensure that function call turn comes from the model."));
        }
    }
    if open.is_empty() {
        return Ok(());
    }
    Err(invalid("Please ensure that function response turn comes immediately after a function call turn."))
}

fn of_kind<'a>(content: &'a Value, kind: &str) -> Vec<&'a Value> {
    parts(content).iter().map(|part| field(part, kind)).filter(|value| value.is_object()).collect()
}

/// In the turn that runs, the first call of each step carries its signature.
/// Source: <https://ai.google.dev/gemini-api/docs/thought-signatures>.
fn signatures(contents: &[Value]) -> Result<(), Refusal> {
    let is_new = |content: &Value| !is_model(content) && of_kind(content, "functionResponse").is_empty();
    let start = contents.iter().rposition(is_new).unwrap_or(0);
    for (at, content) in contents.iter().enumerate().skip(start) {
        let Some(part) = parts(content).iter().find(|part| field(part, "functionCall").is_object()) else { continue };
        let name = field(part, "functionCall")["name"].as_str().unwrap_or_default();
        match field(part, "thoughtSignature").as_str() {
            Some(given) if given == signature(name) => {}
            // No public source for the words of this one.
            Some(_) => return Err(invalid("Thought signature is not valid")),
            None => {
                return Err(invalid(format!(
                    "Function call is missing a thought_signature in functionCall parts. This is required for tools to \
                     work correctly, and missing thought_signature may lead to degraded model performance. Additional \
                     data, function call `default_api:{name}` , position {at}."
                )));
            }
        }
    }
    Ok(())
}
