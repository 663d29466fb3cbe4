//! The settings as a whole; `machinery` has a type of its own, with everything that settings may have some day.

mod files;
mod machinery;
mod variables;

use std::path::{Path, PathBuf};

use tempfile::TempDir;

use super::*;

/// A machine with files of its own.
pub(super) struct Machine {
    folder: TempDir,
    variables: Vec<(String, String)>,
    arguments: Vec<(&'static str, KeyPath, String)>,
    named: Option<PathBuf>,
}

impl Machine {
    pub(super) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        Self { folder, variables: Vec::new(), arguments: Vec::new(), named: None }
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(super) fn file(self, name: &str, bytes: impl AsRef<[u8]>) -> Self {
        std::fs::write(self.path(name), bytes).unwrap();
        self
    }

    pub(super) fn system(self, text: &str) -> Self {
        self.file("system.toml", text)
    }

    pub(super) fn user(self, text: &str) -> Self {
        self.file("user.toml", text)
    }

    pub(super) fn named(mut self, name: &str) -> Self {
        self.named = Some(self.path(name));
        self
    }

    pub(super) fn variable(mut self, name: &str, value: &str) -> Self {
        self.variables.push((name.into(), value.into()));
        self
    }

    pub(super) fn argument(mut self, name: &'static str, path: &str, value: &str) -> Self {
        self.arguments.push((name, KeyPath::dotted(path), value.into()));
        self
    }

    pub(super) fn read(&self) -> Reading {
        self.read_as(&rules())
    }

    pub(super) fn read_as<T: DeserializeOwned + Default>(&self, rules: &Rules) -> Reading<T> {
        let usual = || ConfigPlaces::Usual { system: self.path("system.toml"), user: Some(self.path("user.toml")) };
        let places = self.named.clone().map_or_else(usual, ConfigPlaces::Named);
        let environment = &self.variables.iter().cloned().collect();
        Sources { places, environment, arguments: self.arguments.clone() }.read_as(rules)
    }
}

/// What was found, in words, without the name of the test's folder.
pub(super) fn told<T>(machine: &Machine, reading: &Reading<T>) -> Vec<String> {
    let folder = format!("{}/", machine.folder.path().display());
    reading.findings.iter().map(|finding| finding.to_string().replace(&folder, "")).collect()
}

fn shipped_file() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../config/cowhand.toml");
    std::fs::read_to_string(path).unwrap()
}

/// The shipped file with its settings switched on: those that have a default, or those that have none.
fn switched_on(with_default: bool) -> String {
    let mut text = String::new();
    let mut unset = false;
    for line in shipped_file().lines() {
        match line.strip_prefix('#') {
            Some(setting) if setting.starts_with(|first: char| first.is_ascii_lowercase()) => {
                if unset != with_default {
                    text += &format!("{setting}\n");
                }
            }
            Some(comment) => unset = comment.contains("Not set by default"),
            None => text += &format!("{line}\n"),
        }
    }
    text
}

#[test]
fn the_shipped_file_lists_every_setting_with_its_default() {
    let listed: serde_json::Value = toml::from_str(&switched_on(true)).unwrap();
    let mut defaults = serde_json::to_value(Settings::default()).unwrap();
    remove_nulls(&mut defaults);

    assert_eq!(listed, defaults);
}

#[test]
fn the_shipped_file_lists_every_setting_that_has_no_default() {
    let listed: toml::Value = toml::from_str(&switched_on(false)).unwrap();
    let defaults = serde_json::to_value(Settings::default()).unwrap();

    let mut unset: Vec<KeyPath> = Vec::new();
    for path in known_keys(&Settings::default()) {
        let value = path.keys().iter().fold(&defaults, |value, key| &value[key]);
        unset.extend(value.is_null().then_some(path));
    }
    let listed: Vec<KeyPath> = known_keys(&listed).into_iter().filter(|path| path.keys().len() > 1).collect();

    assert_eq!(listed, unset);
}

#[test]
fn the_shipped_file_is_accepted_as_it_is_and_with_its_examples_switched_on() {
    for text in [shipped_file(), switched_on(true), switched_on(false)] {
        let machine = Machine::new().user(&text);

        assert_eq!(told(&machine, &machine.read()), [] as [&str; 0]);
    }
}

fn remove_nulls(value: &mut serde_json::Value) {
    if let Some(entries) = value.as_object_mut() {
        entries.retain(|_, value| !value.is_null());
        entries.values_mut().for_each(remove_nulls);
    }
}
