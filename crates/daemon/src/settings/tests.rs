//! The settings as a whole; `machinery` has a type of its own, with everything that settings may have some day.

mod files;
mod machinery;
mod model_choice;
mod variables;

use std::collections::BTreeSet;

use tempfile::TempDir;

use super::*;

/// A machine with files of its own.
pub(super) struct Machine {
    folder: TempDir,
    variables: Vec<(String, String)>,
    overrides: Vec<(Place, KeyPath, String)>,
    named: Option<PathBuf>,
}

impl Machine {
    pub(super) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        Self { folder, variables: Vec::new(), overrides: Vec::new(), named: None }
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
        self.overrides.push((Place::Argument(name), KeyPath::dotted(path), value.into()));
        self
    }

    pub(super) fn environment(&self) -> Environment {
        self.variables.iter().cloned().collect()
    }

    pub(super) fn read(&self) -> Reading {
        self.sources(&self.environment()).read()
    }

    pub(super) fn read_as<T: DeserializeOwned + Default>(&self, rules: &Rules) -> Reading<T> {
        self.sources(&self.environment()).read_as(rules)
    }

    fn sources<'a>(&self, environment: &'a Environment) -> Sources<'a> {
        let usual = || ConfigPlaces::Usual { system: self.path("system.toml"), user: Some(self.path("user.toml")) };
        let places = self.named.clone().map_or_else(usual, ConfigPlaces::Named);
        Sources { places, environment, overrides: self.overrides.clone() }
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

/// The shipped file with settings switched on: those that have a default, or those that have none. The latter are said to be
/// "Not set by default", or stand in a section that is switched off as a whole.
fn switched_on(with_default: bool) -> String {
    let mut text = String::new();
    let (mut unset, mut in_example) = (false, false);
    for line in shipped_file().lines() {
        match line.strip_prefix('#') {
            Some(header) if header.starts_with('[') => {
                in_example = true;
                text += &if with_default { String::new() } else { format!("{header}\n") };
            }
            Some(setting) if setting.starts_with(|first: char| first.is_ascii_lowercase()) => {
                text += &if with_default == (unset || in_example) { String::new() } else { format!("{setting}\n") };
            }
            Some(comment) => unset = comment.contains("Not set by default"),
            None => {
                in_example &= !line.starts_with('[');
                text += &format!("{line}\n");
            }
        }
    }
    text
}

/// Every value below a section, as lines such as `limits.retries = 3`.
fn values(section: &toml::Value, path: &KeyPath) -> BTreeSet<String> {
    match section.as_table() {
        Some(table) => table.iter().flat_map(|(key, value)| values(value, &path.child(key))).collect(),
        None => BTreeSet::from([format!("{path} = {section}")]),
    }
}

/// The keys that the shipped file lists without a default; its example of a vendor stands for them all.
fn listed_without_default() -> BTreeSet<String> {
    let listed = values(&toml::from_str(&switched_on(false)).unwrap(), &KeyPath::default());
    let key = |line: &String| line.split(" = ").next().unwrap_or_default().replace("vendors.mine", "vendors.\"*\"");
    listed.iter().map(key).collect()
}

#[test]
fn the_shipped_file_lists_every_setting_with_its_default() {
    let listed = values(&toml::from_str(&switched_on(true)).unwrap(), &KeyPath::default());
    let defaults = values(&toml::Value::try_from(Settings::default()).unwrap(), &KeyPath::default());

    let missing: Vec<_> = defaults.difference(&listed).collect();
    let wrong: Vec<_> = listed.difference(&defaults).collect();

    assert!(missing.is_empty() && wrong.is_empty(), "config/cowhand.toml lacks {missing:?}, has {wrong:?}");
}

#[test]
fn the_shipped_file_lists_every_setting_that_has_no_default() {
    let defaults = serde_json::to_value(Settings::default()).unwrap();
    let has_none = |path: &KeyPath| path.keys().iter().fold(&defaults, |value, key| &value[key]).is_null();
    let settings = known_keys::<Settings>().into_iter().filter(|known| !known.is_section && has_none(&known.path));
    let expected: BTreeSet<String> = settings.map(|known| known.path.to_string()).collect();
    let listed = listed_without_default();

    let missing: Vec<_> = expected.difference(&listed).collect();
    let wrong: Vec<_> = listed.difference(&expected).collect();

    assert!(missing.is_empty() && wrong.is_empty(), "config/cowhand.toml lacks {missing:?}, has {wrong:?}");
}

#[test]
fn the_shipped_file_is_accepted_as_it_is_and_with_its_examples_switched_on() {
    for text in [shipped_file(), switched_on(true), switched_on(false)] {
        let machine = Machine::new().user(&text);

        assert_eq!(told(&machine, &machine.read()), [] as [&str; 0]);
    }
}

#[test]
fn keys_are_known_with_and_without_a_default_and_by_any_name() {
    let known: Vec<(String, bool)> =
        known_keys::<Settings>().into_iter().map(|known| (known.path.to_string(), known.is_section)).collect();

    for (path, is_section) in [
        ("language", false),
        ("models", true),
        ("models.model", false),
        ("models.vendors.\"*\"", true),
        ("models.vendors.\"*\".key", false),
        ("models.vendors.\"*\".quirks.images", false),
        ("log.file", false),
    ] {
        assert!(known.contains(&(path.to_owned(), is_section)), "{path}: {known:?}");
    }
}
