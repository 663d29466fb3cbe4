//! Settings from environment variables.

use std::ffi::OsStr;

use serde::de::DeserializeOwned;
use toml::Spanned;
use toml::de::{DeString, DeValue, Deserializer};

use super::check::{Problem, Rules};
use super::document::{self, Lines, Table};
use super::explain::nearest;
use super::{Finding, KeyPath, Layer, Place, Severity, renamed};
use crate::environment::Environment;

/// What the names of these variables start with.
pub(crate) const PREFIX: &str = "COWHAND__";

/// Reads every variable that names a setting: one layer each. An unknown name is a warning, a wrong value a problem.
pub(crate) fn check_variables<T: DeserializeOwned>(
    environment: &Environment,
    rules: &Rules,
) -> (Vec<Layer>, Vec<Finding>) {
    let mut layers = Vec::new();
    let mut findings = Vec::new();
    for (name, value) in environment.starting_with(PREFIX) {
        let mut find = |severity, text| {
            findings.push(Finding { severity, place: Place::Variable(name.to_owned()), text });
        };
        match check_variable::<T>(name, value, rules) {
            Ok((layer, warning)) => {
                layers.push(layer);
                warning.into_iter().for_each(|text| find(Severity::Warning, text));
            }
            Err((severity, text)) => find(severity, text),
        }
    }
    (layers, findings)
}

type Checked = Result<(Layer, Option<String>), (Severity, String)>;

fn check_variable<T: DeserializeOwned>(name: &str, value: &OsStr, rules: &Rules) -> Checked {
    let path = KeyPath::of_variable(&name[PREFIX.len()..]).with_dashes(&rules.names_with_dashes);
    let Some(text) = value.to_str() else { return Err((Severity::Fatal, "its value is not UTF-8".into())) };
    let mut problem = None;
    for candidate in candidates(text) {
        let is_section = candidate.get_ref().is_table();
        let mut table = Table::new();
        if document::insert(&mut table, &path, candidate).is_err() {
            break;
        }
        let warning = renamed::apply(&mut table, &Lines::of(""), rules.renamed).pop().map(|(_, text)| text);
        let root = Spanned::new(0..0, table.clone());
        match T::deserialize(Deserializer::from(root)) {
            Ok(_) => {
                let origin = |_| Place::Variable(name.to_owned()).to_string();
                return Ok((Layer(document::to_values(table, &origin)), warning));
            }
            // The name goes on below a setting that is no section.
            Err(error) if !is_section && error.message().starts_with("invalid type: map") => break,
            // The first candidate is the one that its writer most likely meant.
            Err(error) => problem = problem.or_else(|| Problem::locate(&table, &error, rules)),
        }
    }
    match problem {
        Some(problem) if !problem.unknown => Err((Severity::Fatal, problem.text)),
        _ => Err((Severity::Warning, unknown_variable(name, &path, rules))),
    }
}

/// What a value can stand for: a number, a truth value, a list or a table where it is written as one, and text.
fn candidates(text: &str) -> Vec<Spanned<DeValue<'_>>> {
    let typed = DeValue::parse(text.trim()).ok();
    let typed = typed.filter(|value| !matches!(value.get_ref(), DeValue::String(_) | DeValue::Datetime(_)));
    let plain = Spanned::new(0..0, DeValue::String(DeString::Borrowed(text)));
    typed.into_iter().map(|value| Spanned::new(0..0, value.into_inner())).chain([plain]).collect()
}

fn unknown_variable(name: &str, path: &KeyPath, rules: &Rules) -> String {
    let variables = |sections: bool| {
        let known = rules.known.iter().filter(move |known| known.is_section == sections);
        known.map(|known| known.path.named_as_in(path).variable()).collect::<Vec<_>>()
    };
    let near = |known: &[String]| nearest(name, known.iter().map(String::as_str)).map(str::to_owned);
    match near(&variables(false)).or_else(|| near(&variables(true)).map(|section| section + "__KEY")) {
        Some(meant) => format!("there is no such setting; did you mean {meant}?"),
        None => "there is no such setting; `cowhand config show` lists them".to_owned(),
    }
}
