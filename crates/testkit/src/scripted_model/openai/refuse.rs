//! Refusals in OpenAI's form.

use serde_json::{Value, json};

use crate::scripted_model::refusal::Refusal;

/// A refusal with status 400 that names a parameter.
pub(super) fn invalid(message: impl Into<String>, param: impl Into<Value>, code: Option<&str>) -> Refusal {
    refusal(400, message, param.into(), code)
}

/// A refusal of any status.
pub(super) fn refusal(status: u16, message: impl Into<String>, param: Value, code: Option<&str>) -> Refusal {
    let message = message.into();
    let body = json!({"error": {"message": message, "type": "invalid_request_error", "param": param, "code": code}});
    Refusal { status, body, message }
}

/// A list that has to hold something.
/// Source: <https://github.com/home-assistant/core/pull/118577>.
pub(super) fn empty_array(param: &str) -> Refusal {
    let message = format!(
        "Invalid '{param}': empty array. Expected an array with minimum length 1, but got an empty array instead."
    );
    invalid(message, param, Some("empty_array"))
}

/// A text that has to say something.
/// Source: <https://github.com/continuedev/continue/issues/9784>.
pub(super) fn empty_string(param: &str) -> Refusal {
    let message = format!(
        "Invalid '{param}': empty string. Expected a string with minimum length 1, but got an empty string instead."
    );
    invalid(message, param, Some("empty_string"))
}

/// A text that is too long.
/// Source: <https://github.com/vercel/ai/issues/5171>.
pub(super) fn too_long(param: &str, most: usize, length: usize) -> Refusal {
    let message = format!(
        "Invalid '{param}': string too long. Expected a string with maximum length {most}, \
         but got a string with length {length} instead."
    );
    invalid(message, param, Some("string_above_max_length"))
}

/// A name with other characters than it may have.
/// Source: <https://github.com/brekkylab/ailoy/pull/109>.
pub(super) fn not_a_name(param: &str) -> Refusal {
    let message = format!(
        "Invalid '{param}': string does not match pattern. \
         Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'."
    );
    invalid(message, param, Some("invalid_value"))
}

/// A value of another type than it has to be.
/// Source: <https://github.com/pydantic/pydantic-ai/issues/2653>.
pub(super) fn wrong_type(param: &str, expected: &str) -> Refusal {
    let message = format!("Invalid type for '{param}': expected {expected}.");
    invalid(message, param, Some("invalid_type"))
}

/// A field that has to be there.
/// Source: <https://github.com/SilasMarvin/lsp-ai/issues/108>.
pub(super) fn missing(param: &str) -> Refusal {
    invalid(format!("Missing required parameter: '{param}'."), param, Some("missing_required_parameter"))
}
