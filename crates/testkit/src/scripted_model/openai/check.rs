//! The rules that a request has to keep to, in the order in which they are looked at. Each names where it was seen; the service
//! itself publishes no list.

use axum::http::{HeaderMap, header};
use serde_json::{Map, Value};

use super::messages;
use super::refuse::{empty_array, empty_string, invalid, missing, not_a_name, refusal, too_long, wrong_type};
use crate::scripted_model::format::Call;
use crate::scripted_model::refusal::Refusal;
use crate::scripted_model::rules::Rules;

/// Reads a request, or says which rule it breaks.
pub(crate) fn check(call: &Call<'_>, rules: &Rules) -> Result<Value, Refusal> {
    path(call)?;
    key(call.headers, rules)?;
    let body = json(call)?;
    fields(&body, rules)?;
    messages::check(&body["messages"], rules)?;
    tools(&body)?;
    Ok(Value::Object(body))
}

/// Source: <https://github.com/BytePioneer-AI/openclaw-china/issues/152>.
fn path(call: &Call<'_>) -> Result<(), Refusal> {
    if call.method == "POST" && call.path == "/v1/chat/completions" {
        return Ok(());
    }
    Err(refusal(404, format!("Invalid URL ({} {})", call.method, call.path), Value::Null, None))
}

/// Source: <https://github.com/continuedev/continue/issues/9634>.
pub(super) fn key(headers: &HeaderMap, rules: &Rules) -> Result<(), Refusal> {
    let given = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
    match given.and_then(|value| value.strip_prefix("Bearer ")) {
        Some(key) if key == rules.key => Ok(()),
        Some(key) => {
            let message = format!(
                "Incorrect API key provided: {}. \
                 You can find your API key at https://platform.openai.com/account/api-keys.",
                mask(key)
            );
            Err(refusal(401, message, Value::Null, Some("invalid_api_key")))
        }
        None => {
            let message = "You didn't provide an API key. You need to provide your API key in an Authorization header \
                           using Bearer auth (i.e. Authorization: Bearer YOUR_KEY).";
            Err(refusal(401, message, Value::Null, None))
        }
    }
}

fn mask(key: &str) -> String {
    let shown: String = key.chars().take(3).collect();
    format!("{shown}{}", "*".repeat(key.chars().count().saturating_sub(3)))
}

/// Source of the words: <https://github.com/ChatGPTNextWeb/NextChat/issues/4064>. That the content type has to say JSON is a rule
/// of this server; there is no public source for what the service does about another.
fn json(call: &Call<'_>) -> Result<Map<String, Value>, Refusal> {
    let content_type = call.headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let says_json = content_type.is_some_and(|value| value.starts_with("application/json"));
    match serde_json::from_slice(call.body) {
        Ok(Value::Object(body)) if says_json => Ok(body),
        _ => {
            let message = "We could not parse the JSON body of your request. (HINT: This likely means you aren't using \
                           your HTTP library correctly. The OpenAI API expects a JSON payload, but what was sent was \
                           not valid JSON.)";
            Err(invalid(message, Value::Null, None))
        }
    }
}

/// The fields of a request that the service knows, those for sound and prediction left out.
/// Source: <https://github.com/openai/openai-openapi>, `CreateChatCompletionRequest`.
const FIELDS: [&str; 26] = [
    "messages",
    "model",
    "stream",
    "stream_options",
    "tools",
    "tool_choice",
    "parallel_tool_calls",
    "max_tokens",
    "max_completion_tokens",
    "temperature",
    "top_p",
    "n",
    "stop",
    "seed",
    "user",
    "reasoning_effort",
    "verbosity",
    "response_format",
    "metadata",
    "store",
    "service_tier",
    "prompt_cache_key",
    "safety_identifier",
    "logit_bias",
    "frequency_penalty",
    "presence_penalty",
];

fn fields(body: &Map<String, Value>, rules: &Rules) -> Result<(), Refusal> {
    let unknown = body.keys().find(|field| !FIELDS.contains(&field.as_str()));
    if let (Some(field), true) = (unknown, rules.known_fields_only) {
        // Source: https://github.com/davidmigloz/langchain_dart/issues/712
        return Err(invalid(format!("Unrecognized request argument supplied: {field}"), Value::Null, None));
    }
    match body.get("model") {
        Some(Value::String(model)) if !model.is_empty() => {}
        // Source: https://github.com/danielmiessler/Fabric/issues/239
        _ => return Err(invalid("you must provide a model parameter", Value::Null, None)),
    }
    if body.contains_key("stream_options") && body.get("stream") != Some(&Value::Bool(true)) {
        // Source: https://github.com/BerriAI/litellm/issues/5803
        let message = "The 'stream_options' parameter is only allowed when 'stream' is enabled.";
        return Err(invalid(message, "stream_options", None));
    }
    Ok(())
}

fn tools(body: &Map<String, Value>) -> Result<(), Refusal> {
    let Some(tools) = body.get("tools") else {
        if body.contains_key("tool_choice") {
            // Source: https://github.com/dapr/dapr-agents/issues/248
            let message = "Invalid value for 'tool_choice': 'tool_choice' is only allowed when 'tools' are specified.";
            return Err(invalid(message, "tool_choice", None));
        }
        return Ok(());
    };
    let tools = tools.as_array().ok_or_else(|| wrong_type("tools", "an array of objects"))?;
    if tools.is_empty() {
        // Source that this list is one of them: https://github.com/vllm-project/vllm/pull/39780
        return Err(empty_array("tools"));
    }
    tools.iter().enumerate().try_for_each(|(at, one)| tool(one, &format!("tools[{at}]")))?;
    names_differ(tools)
}

fn tool(tool: &Value, param: &str) -> Result<(), Refusal> {
    if tool["type"] != "function" {
        return Err(missing(&format!("{param}.type")));
    }
    let name_param = format!("{param}.function.name");
    let name = tool["function"]["name"].as_str().ok_or_else(|| missing(&name_param))?;
    function_name(name, &name_param)?;
    let description = tool["function"]["description"].as_str().unwrap_or_default();
    // Source: https://github.com/nanbingxyz/5ire/issues/33
    if description.chars().count() > 1024 {
        return Err(too_long(&format!("{param}.function.description"), 1024, description.chars().count()));
    }
    parameters(name, &tool["function"], &format!("{param}.function.parameters"))
}

/// Source: <https://github.com/brekkylab/ailoy/pull/109>; the length is that of the API reference ("maximum length of 64").
pub(super) fn function_name(name: &str, param: &str) -> Result<(), Refusal> {
    if name.is_empty() {
        return Err(empty_string(param));
    }
    if !name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-') {
        return Err(not_a_name(param));
    }
    if name.len() > 64 {
        return Err(too_long(param, 64, name.len()));
    }
    Ok(())
}

/// Source: <https://github.com/FoundationAgents/OpenManus/issues/1162> and
/// <https://github.com/spring-projects/spring-ai/issues/4776>.
fn parameters(name: &str, function: &Value, param: &str) -> Result<(), Refusal> {
    let wrong = |what: &str| {
        Err(invalid(
            format!("Invalid schema for function '{name}': {what}"),
            param,
            Some("invalid_function_parameters"),
        ))
    };
    let Some(schema) = function.get("parameters") else { return Ok(()) };
    match schema {
        Value::Object(schema) if schema.get("type") != Some(&Value::from("object")) => {
            let given = schema.get("type").and_then(Value::as_str).unwrap_or("None");
            wrong(&format!("schema must be a JSON Schema of 'type: \"object\"', got 'type: \"{given}\"'."))
        }
        Value::Object(schema) if !schema.get("properties").is_some_and(Value::is_object) => {
            wrong("In context=(), object schema missing properties.")
        }
        Value::Object(_) => Ok(()),
        other => wrong(&format!("{other} is not of type 'object', 'boolean'.")),
    }
}

/// No public source for the service's words; that names have to differ follows from calls being made by name.
fn names_differ(tools: &[Value]) -> Result<(), Refusal> {
    let mut seen = std::collections::BTreeSet::new();
    let repeated = tools.iter().map(|tool| tool["function"]["name"].as_str()).find(|name| !seen.insert(*name));
    match repeated {
        Some(name) => Err(invalid(format!("Duplicate tool name: {}", name.unwrap_or_default()), "tools", None)),
        None => Ok(()),
    }
}
