//! What can be set: every crate's own settings, from files, variables and arguments.
//!
//! Two layers: as written (files and variables, each checked by itself so that a problem names its line) and as used
//! ([`Settings`], valid). A default is written once, in the `Default` of the crate that uses it.

mod check;
mod document;
mod explain;
mod finding;
mod key_path;
mod known;
mod language;
mod log;
pub(crate) mod models;
mod read;
mod renamed;
mod secret;
mod tool_rules;
mod variables;

#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};

use config::{Config, ConfigError, Map, Source, Value, ValueKind};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

pub(crate) use check::Rules;
use document::Lines;
pub(crate) use explain::nearest;
pub(crate) use finding::{Finding, Place, Severity};
pub(crate) use key_path::{KeyPath, toml_key};
pub(crate) use known::{ANY, KnownKey, known_keys};
pub(crate) use language::LanguageChoice;
pub(crate) use log::{LogFormat, LogSettings};

use crate::environment::Environment;
use crate::exit::Failure;
use crate::paths::ConfigPlaces;

/// Everything that can be set.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Settings {
    /// The language of the bot's own texts.
    pub(crate) language: LanguageChoice,
    /// Which model is asked, and what is other than usual about its vendor.
    pub(crate) models: llm::Settings,
    /// How far a turn may go.
    pub(crate) limits: turn::Limits,
    /// How conversations behave.
    pub(crate) conversations: agent::Settings,
    /// What of the built-in tools can be set.
    pub(crate) tools: tools::Settings,
    /// What of the ledger can be set.
    pub(crate) store: store::Settings,
    /// The bot in Telegram.
    pub(crate) telegram: channels::telegram::Settings,
    /// Who may talk to the bot, by chat service.
    pub(crate) access: AccessSettings,
    /// Where the data folder is.
    pub(crate) data: DataSettings,
    /// What is logged, and where.
    pub(crate) log: LogSettings,
}

/// Who may talk to the bot, by chat service.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct AccessSettings {
    /// In Telegram.
    pub(crate) telegram: agent::ChannelAccess,
}

/// Where the data folder is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct DataSettings {
    /// The folder; else the usual one is taken.
    pub(crate) folder: Option<PathBuf>,
}

/// Where settings are looked for.
pub(crate) struct Sources<'a> {
    /// The files.
    pub(crate) places: ConfigPlaces,
    /// The variables.
    pub(crate) environment: &'a Environment,
    /// What counts more than all others: where it was said, the setting, the value.
    pub(crate) overrides: Vec<(Place, KeyPath, String)>,
}

/// All that was read, good or bad.
pub(crate) struct Reading<T = Settings> {
    /// The files that were looked for.
    pub(crate) files: Vec<(PathBuf, FileState)>,
    /// What is wrong.
    pub(crate) findings: Vec<Finding>,
    /// The settings as used. Where a finding is fatal they are not to be used.
    pub(crate) settings: T,
    merged: Config,
}

/// What became of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FileState {
    /// It was read.
    Read,
    /// It is not there.
    Missing,
    /// It is there, and cannot be read.
    Unreadable,
}

/// What one source says, in the form that the `config` crate merges.
#[derive(Clone, Debug, Default)]
pub(crate) struct Layer(Map<String, Value>);

impl Source for Layer {
    fn clone_into_box(&self) -> Box<dyn Source + Send + Sync> {
        Box::new(self.clone())
    }

    fn collect(&self) -> Result<Map<String, Value>, ConfigError> {
        Ok(self.0.clone())
    }
}

impl Sources<'_> {
    /// Reads them all.
    pub(crate) fn read(&self) -> Reading {
        let mut reading = self.read_as(&rules());
        let of_rules = tool_rules::check(&reading);
        reading.findings.extend(of_rules);
        reading
    }

    /// Reads them all into another type, by other rules.
    fn read_as<T: DeserializeOwned + Default>(&self, rules: &Rules) -> Reading<T> {
        let mut files = Vec::new();
        let mut findings = Vec::new();
        let mut layers = Vec::new();
        for (file, required) in self.places.in_order() {
            let (state, layer, found) = read_file::<T>(file, required, rules);
            files.push((file.to_path_buf(), state));
            layers.push(layer);
            findings.extend(found);
        }
        let (variables, found) = variables::check_variables::<T>(self.environment, rules);
        layers.extend(variables);
        findings.extend(found);
        layers.extend(self.overrides.iter().map(|(place, path, value)| overriding(place, path, value)));
        let merged = merge(layers, off(&findings));
        let settings = merged.clone().try_deserialize().unwrap_or_else(|error| {
            // What is wrong in one source was told with its place.
            if findings.iter().all(|finding| finding.severity != Severity::Fatal) {
                findings.push(Finding { severity: Severity::Fatal, place: Place::Together, text: error.to_string() });
            }
            T::default()
        });
        Reading { files, findings, settings, merged }
    }
}

impl<T> Reading<T> {
    /// What keeps everything from starting.
    pub(crate) fn fatal(&self) -> impl Iterator<Item = &Finding> {
        self.findings.iter().filter(|finding| finding.severity == Severity::Fatal)
    }

    /// The sections that are off, as something in them is wrong.
    pub(crate) fn off(&self) -> Vec<KeyPath> {
        off(&self.findings).cloned().collect()
    }

    /// The settings, where nothing is in the way of using them.
    pub(crate) fn usable(self) -> Result<Self, Failure> {
        let fatal: Vec<String> = self.fatal().map(Finding::to_string).collect();
        match fatal.as_slice() {
            [] => Ok(self),
            [one] => Err(Failure::config(one)),
            many => {
                Err(Failure::config(format!("{} problems in the configuration\n  {}", many.len(), many.join("\n  "))))
            }
        }
    }

    /// Where a value comes from.
    pub(crate) fn origin(&self, path: &KeyPath) -> String {
        self.written(path).and_then(Value::origin).unwrap_or("default").to_owned()
    }

    /// Whether nothing says what a value is.
    pub(crate) fn is_default(&self, path: &KeyPath) -> bool {
        self.written(path).is_none()
    }

    fn written(&self, path: &KeyPath) -> Option<&Value> {
        path.keys().iter().try_fold(&self.merged.cache, |value, key| match &value.kind {
            ValueKind::Table(table) => table.get(key),
            _ => None,
        })
    }
}

/// Reads one file: what became of it, what it says, what is wrong with it.
fn read_file<T: DeserializeOwned>(file: &Path, required: bool, rules: &Rules) -> (FileState, Layer, Vec<Finding>) {
    let unusable = |text: String| vec![Finding::of_file(file, text)];
    match read::read(file) {
        Ok(Some(text)) => {
            let (layer, findings) = check::check_file::<T>(file, &text, rules);
            (FileState::Read, layer, findings)
        }
        Ok(None) if required => (FileState::Missing, Layer::default(), unusable("there is no such file".into())),
        Ok(None) => (FileState::Missing, Layer::default(), Vec::new()),
        Err(text) => (FileState::Unreadable, Layer::default(), unusable(text)),
    }
}

/// What is special about some keys of [`Settings`].
fn rules() -> Rules {
    Rules {
        renamed: renamed::RENAMED,
        separate: &["models.vendors.*", "telegram"],
        secret: &["models.vendors.*.key", "telegram.token"],
        known: known_keys::<Settings>(),
        names_with_dashes: models::names_with_dashes(),
    }
}

/// One setting, as a layer.
fn overriding(place: &Place, path: &KeyPath, value: &str) -> Layer {
    let origin = place.to_string();
    let leaf = Value::new(Some(&origin), value);
    let value = path
        .keys()
        .iter()
        .rev()
        .fold(leaf, |inner, key| Value::new(Some(&origin), Map::from_iter([(key.clone(), inner)])));
    Layer(value.into_table().unwrap_or_default())
}

/// The sections that are off, as something in them is wrong.
fn off(findings: &[Finding]) -> impl Iterator<Item = &KeyPath> {
    findings.iter().filter_map(|finding| match &finding.severity {
        Severity::Off(section) => Some(section),
        Severity::Fatal | Severity::Warning => None,
    })
}

/// All layers in one, a later one above the earlier ones, without the sections that are off.
fn merge<'a>(layers: Vec<Layer>, off: impl Iterator<Item = &'a KeyPath>) -> Config {
    let builder = layers.into_iter().fold(Config::builder(), |builder, layer| builder.add_source(layer));
    let mut merged = builder.build().expect("layers are in memory: collecting them cannot fail");
    for section in off {
        let parent = section.parent();
        let found = parent.keys().iter().try_fold(&mut merged.cache, |value, key| table_of(value)?.get_mut(key));
        found.and_then(table_of).and_then(|table| table.remove(section.last()));
    }
    merged
}

fn table_of(value: &mut Value) -> Option<&mut Map<String, Value>> {
    match &mut value.kind {
        ValueKind::Table(table) => Some(table),
        _ => None,
    }
}
