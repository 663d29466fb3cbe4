//! `cowhand doctor`: whether everything is in order.

mod data;
mod model;
mod sandbox;
mod settings;

use serde::Serialize;
use serde_json::json;

use super::{print, sources};
use crate::cli::{DoctorArgs, PlaceArgs};
use crate::environment::Environment;
use crate::exit::{Exit, Failure};
use crate::guard;
use crate::paths::{ConfigPlaces, Paths};

pub(crate) use sandbox::{tell_what_is_missing, try_plan};

/// What was looked at, and what came of it.
#[derive(Clone, Debug, PartialEq, Serialize)]
struct Check {
    name: &'static str,
    state: State,
    text: String,
    fix: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum State {
    Ok,
    Warning,
    Problem,
}

impl Check {
    fn ok(name: &'static str, text: impl Into<String>) -> Self {
        Self { name, state: State::Ok, text: text.into(), fix: None }
    }

    fn warning(name: &'static str, text: impl Into<String>, fix: impl Into<String>) -> Self {
        Self { name, state: State::Warning, text: text.into(), fix: Some(fix.into()) }
    }

    fn problem(name: &'static str, text: impl Into<String>, fix: impl Into<String>) -> Self {
        Self { name, state: State::Problem, text: text.into(), fix: Some(fix.into()) }
    }
}

/// Looks at everything and tells.
pub(crate) fn run(args: &DoctorArgs, places: &PlaceArgs, environment: &Environment) -> Result<Exit, Failure> {
    let reading = sources(places, None, environment).read();
    let secrets = guard::secrets(&reading.settings, environment);
    let mut checks = settings::check(&reading, environment);
    let usable = reading.fatal().next().is_none();
    let config = ConfigPlaces::find(places.config.as_deref(), environment);
    match Paths::find(places.data_dir.as_deref(), environment, reading.settings.data.folder.as_deref()) {
        Ok(paths) => {
            checks.extend(data::check(&paths));
            let mut tools = reading.settings.tools.clone();
            tools.places = guard::places(&paths, &config, &reading.settings, environment);
            checks.extend(sandbox::check(&tools));
        }
        Err(failure) => checks.push(Check::problem("data folder", failure.message, "set HOME, or COWHAND_DATA_DIR")),
    }
    if usable {
        checks.push(model::check(&reading, environment));
    }
    let ok = checks.iter().all(|check| check.state != State::Problem);
    print(&secrets.redact(&if args.json { as_json(&checks, ok) } else { as_text(&checks) }));
    Ok(if ok { Exit::Done } else { Exit::TurnFailed })
}

fn as_json(checks: &[Check], ok: bool) -> String {
    format!("{}\n", json!({ "ok": ok, "checks": checks }))
}

fn as_text(checks: &[Check]) -> String {
    checks.iter().map(line).collect()
}

fn line(check: &Check) -> String {
    let state = match check.state {
        State::Ok => "ok",
        State::Warning => "warning",
        State::Problem => "problem",
    };
    let fix = check.fix.as_ref().map(|fix| format!("\n{:24}to mend it: {fix}", "")).unwrap_or_default();
    format!("{state:<9}{:<15}{}{fix}\n", check.name, check.text)
}

#[cfg(test)]
mod tests;
