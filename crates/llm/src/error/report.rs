//! Where servers put what went wrong.

use serde_json::Value;

use super::retry_after;

/// What a server said went wrong, taken out of its own form.
#[derive(Debug, Default)]
pub(super) struct Report {
    /// Codes and types, the most special first.
    pub(super) codes: Vec<String>,
    pub(super) message: String,
    pub(super) retry_after_ms: Option<u64>,
}

impl Report {
    /// Reads a body or an event; `None` where it tells of no error.
    pub(super) fn of(value: &Value) -> Option<Self> {
        let value = match value {
            Value::Array(values) => values.first()?,
            value => value,
        };
        let is_said = |error: &&Value| !matches!(error, Value::Null | Value::Bool(false)) && **error != "";
        let Some(error) = value.get("error").filter(is_said) else { return Self::of_bare(value) };
        let Value::Object(_) = error else {
            return Some(Self { codes: codes_of(value), message: text_of(error), ..Self::default() });
        };
        let mut report =
            Self { codes: codes_of(error), message: message_of(error), retry_after_ms: retry_after_of(error) };
        report.add_metadata(&error["metadata"]);
        Some(report)
    }

    /// Reads the forms that have no `error` in them.
    fn of_bare(value: &Value) -> Option<Self> {
        let base = &value["base_resp"];
        if base["status_code"].as_i64().is_some_and(|code| code != 0) {
            let codes = vec![format!("base_resp {}", base["status_code"])];
            return Some(Self { codes, message: text_of(&base["status_msg"]), ..Self::default() });
        }
        let is_reply = ["choices", "candidates", "content", "delta"].iter().any(|key| value.get(key).is_some());
        let message = message_of(value);
        (!is_reply && !message.is_empty()).then(|| Self { codes: codes_of(value), message, ..Self::default() })
    }

    /// OpenRouter's `metadata`: what the vendor behind it said.
    fn add_metadata(&mut self, metadata: &Value) {
        self.codes.extend(code(&metadata["error_type"]));
        if let Some(raw) = metadata["raw"].as_str().filter(|raw| !raw.is_empty()) {
            self.message = format!("{}: {raw}", self.message);
        }
        if let Value::Object(headers) = &metadata["headers"] {
            let headers: Vec<_> = headers.iter().map(|(name, value)| (name.clone(), text_of(value))).collect();
            let now = retry_after::now(&headers);
            self.retry_after_ms = self.retry_after_ms.or(retry_after::from_headers(&headers, now, true));
        }
    }
}

fn codes_of(error: &Value) -> Vec<String> {
    let inner = ["code", "type", "status", "http_code"].map(|key| &error[key]);
    let details = error["details"].as_array().into_iter().flatten();
    let reasons = details.flat_map(|detail| {
        let quotas = detail["violations"].as_array().into_iter().flatten().map(|violation| &violation["quotaId"]);
        [&detail["reason"]].into_iter().chain(quotas)
    });
    // `"type": "error"` is a mark of the envelope, not of what went wrong.
    reasons.chain([&error["innererror"]["code"]]).chain(inner).filter_map(code).filter(|code| code != "error").collect()
}

fn code(value: &Value) -> Option<String> {
    match value {
        Value::String(code) if !code.is_empty() => Some(code.clone()),
        Value::Number(code) => Some(code.to_string()),
        _ => None,
    }
}

fn message_of(error: &Value) -> String {
    let known = ["message", "msg", "detail", "error_msg"].into_iter().map(|key| &error[key]);
    known.map(text_of).find(|text| !text.is_empty()).unwrap_or_default()
}

fn text_of(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        value => value.to_string(),
    }
}

/// Google's `RetryInfo`.
fn retry_after_of(error: &Value) -> Option<u64> {
    let details = error["details"].as_array()?;
    details.iter().find_map(|detail| retry_after::duration(detail["retryDelay"].as_str()?))
}
