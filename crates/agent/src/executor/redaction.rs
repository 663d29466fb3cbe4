//! Secrets taken out of what a turn tells. What the model asked for is run as it was asked; only what is shown of it is changed.

use chat::{Outcome, Progress, ToolResult};
use serde_json::Value;
use tools::redact::Secrets;

/// What a tool gave back, for the model and for people.
pub(super) fn result(secrets: &Secrets, mut result: ToolResult) -> ToolResult {
    secrets.redact_in(&mut result.content);
    result.display.iter_mut().for_each(|text| secrets.redact_in(text));
    result
}

/// How the turn ended.
pub(super) fn outcome(secrets: &Secrets, mut outcome: Outcome) -> Outcome {
    secrets.redact_in(&mut outcome.text);
    outcome.error.iter_mut().for_each(|error| secrets.redact_in(&mut error.message));
    outcome
}

/// What happens in it. The pieces of a text are redacted where they are collected; what the person wrote stays theirs.
pub(super) fn progress(secrets: &Secrets, mut progress: Progress) -> Progress {
    match &mut progress {
        Progress::ToolStarted { arguments, .. } => {
            arguments
                .iter_mut()
                .flat_map(|arguments| arguments.values_mut())
                .for_each(|value| redact_value(secrets, value));
        }
        Progress::ToolProgress { text, .. } | Progress::Notice { text } => secrets.redact_in(text),
        Progress::ToolFinished { display, .. } => display.iter_mut().for_each(|text| secrets.redact_in(text)),
        Progress::TurnStarted { .. }
        | Progress::StepStarted { .. }
        | Progress::TextDelta { .. }
        | Progress::ReasoningDelta { .. }
        | Progress::TextReset { .. } => {}
    }
    progress
}

fn redact_value(secrets: &Secrets, value: &mut Value) {
    match value {
        Value::String(text) => secrets.redact_in(text),
        Value::Array(values) => values.iter_mut().for_each(|value| redact_value(secrets, value)),
        Value::Object(values) => values.values_mut().for_each(|value| redact_value(secrets, value)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}
