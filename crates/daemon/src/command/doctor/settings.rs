//! Whether the settings are valid.

use super::Check;
use crate::environment::Environment;
use crate::settings::{FileState, Reading, Severity, models};

const NAME: &str = "settings";

pub(super) fn check(reading: &Reading, environment: &Environment) -> Vec<Check> {
    let of_models = if reading.fatal().next().is_none() { models::check(reading, environment) } else { Vec::new() };
    let mut checks: Vec<Check> = Vec::new();
    for finding in reading.findings.iter().chain(&of_models) {
        let fix = "put it right in that place; `cowhand config check` then says ok";
        checks.push(match finding.severity {
            Severity::Warning => Check::warning(NAME, finding.to_string(), fix),
            Severity::Fatal | Severity::Off(_) => Check::problem(NAME, finding.to_string(), fix),
        });
    }
    if checks.is_empty() {
        checks.push(Check::ok(NAME, where_from(reading)));
    }
    checks
}

fn where_from(reading: &Reading) -> String {
    let read = reading.files.iter().filter(|(_, state)| *state == FileState::Read);
    let read: Vec<String> = read.map(|(file, _)| file.display().to_string()).collect();
    if read.is_empty() {
        "valid; there is no file, so the defaults hold".to_owned()
    } else {
        format!("valid: {}", read.join(", "))
    }
}
