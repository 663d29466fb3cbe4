//! What a server says went wrong, told as one of the classes of model errors.
//!
//! A class comes from status, code and type. Text is searched for the phrases of one table only, and only where a server gives
//! nothing better: a number in a message says nothing.

use chat::{ErrorClass, ModelError};
use serde_json::Value;

mod class;
mod mask;
mod report;
mod retry_after;
#[cfg(test)]
mod tests;

pub(crate) use mask::mask;
use report::Report;

/// Reads an HTTP answer whose status is no success.
pub(crate) fn from_response(status: u16, headers: &[(String, String)], body: &[u8]) -> ModelError {
    let report = match serde_json::from_slice(without_framing(body)) {
        Ok(value) => Report::of(&value).unwrap_or_default(),
        Err(_) => Report { message: readable_text(body), ..Report::default() },
    };
    let mut error = from_report(Some(status), &report);
    if error.class.is_transient() {
        let is_limited = error.class == ErrorClass::RateLimited;
        let asked = retry_after::from_headers(headers, retry_after::now(headers), is_limited);
        error.retry_after_ms = asked.or(error.retry_after_ms);
    }
    error
}

/// Reads an error out of an answer whose status was a success; `None` where it holds none.
pub(crate) fn from_value(value: &Value) -> Option<ModelError> {
    Report::of(value).map(|report| from_report(None, &report))
}

/// An answer that is not of the format.
pub(crate) fn protocol(message: &str) -> ModelError {
    ModelError::new(ErrorClass::Protocol, message)
}

fn from_report(status: Option<u16>, report: &Report) -> ModelError {
    let class = class::classify(status, &report.codes, &report.message);
    let mut message = one_line(&mask(&report.message, &[]));
    if message.is_empty() {
        message = "the server gave no reason".to_owned();
    }
    let number = status.map(|status| status.to_string());
    // A name says more to people than a number, and a number more than the status again.
    let names = report.codes.iter().filter(|code| code.parse::<u64>().is_err());
    let code = names.chain(&report.codes).find(|code| Some(*code) != number.as_ref());
    let code = code.map(|code| one_line(&mask(code, &[])));
    let origin: Vec<String> = number.map(|number| format!("HTTP {number}")).into_iter().chain(code).collect();
    if !origin.is_empty() {
        message = format!("{message} ({})", origin.join(", "));
    }
    ModelError { class, message, retry_after_ms: report.retry_after_ms.filter(|_| class.is_transient()) }
}

/// The data of the one event in the body of a server that streams errors too.
fn without_framing(body: &[u8]) -> &[u8] {
    let is_stream = body.starts_with(b"data:") || body.starts_with(b"event:");
    let data = body.windows(5).position(|window| window == b"data:").filter(|_| is_stream);
    data.map_or(body, |at| body[at + 5..].split(|byte| *byte == b'\n').next().unwrap_or_default())
}

/// The begin of a body that is no JSON, where people can read it: pages of gateways are left out.
fn readable_text(body: &[u8]) -> String {
    let text = String::from_utf8_lossy(&body[..body.len().min(4 * MESSAGE_LIMIT)]);
    if text.trim_start().starts_with('<') || text.contains('\u{FFFD}') { String::new() } else { text.into_owned() }
}

/// How many characters of a server's message people are shown.
const MESSAGE_LIMIT: usize = 300;

/// A message in one line, cut to what people read.
pub(crate) fn one_line(text: &str) -> String {
    let mut line = String::new();
    for word in text.split(|c: char| c.is_whitespace() || c.is_control()).filter(|word| !word.is_empty()) {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
        if line.len() > 4 * MESSAGE_LIMIT {
            break;
        }
    }
    match line.char_indices().nth(MESSAGE_LIMIT) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}
