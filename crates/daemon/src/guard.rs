//! What the process knows of secrets: their values, and where they lie.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use llm::KeyReference;
use rustix::process::{DumpableBehavior, Resource, Rlimit, set_dumpable_behavior, setrlimit};
use tools::redact::{Secrets, is_secret_name};
use tools::sandbox::Places;

use crate::environment::Environment;
use crate::paths::{ConfigPlaces, Paths, expand_home};
use crate::settings::Settings;

/// Keeps other processes of the same user from reading this one's memory and environment, and memory out of dumps.
pub(crate) fn keep_to_itself() {
    // Where that is not to be had, nothing else depends on it.
    let _ = set_dumpable_behavior(DumpableBehavior::NotDumpable);
    let _ = setrlimit(Resource::Core, Rlimit { current: Some(0), maximum: Some(0) });
}

/// The values that nobody is shown: keys that settings refer to, and variables whose names say that they are secret.
pub(crate) fn secrets(settings: &Settings, environment: &Environment) -> Secrets {
    let lookup = |name: &str| environment.text(name).map(str::to_owned);
    let references = key_references(settings);
    let keys = references.iter().filter_map(|key| key.resolve(&lookup).ok()).map(|key| key.expose().to_owned());
    let variables = environment.starting_with("").filter(|(name, _)| is_secret_name(name));
    let variables = variables.filter_map(|(_, value)| OsStr::to_str(value)).filter(|value| is_token(value));
    Secrets::new(keys.chain(variables.map(str::to_owned)))
}

/// Where the keys of models and the tokens of chat services are.
fn key_references(settings: &Settings) -> Vec<KeyReference> {
    let of_models = settings.models.vendors.values().filter_map(|vendor| vendor.key.clone());
    let token = settings.telegram.token.clone().and_then(|token| String::from(token).parse().ok());
    of_models.chain(token).collect()
}

/// A path or a word in a variable such as `SSH_KEY_FILE` is no secret, and would be missed in every answer.
fn is_token(value: &str) -> bool {
    let is_word = value.bytes().all(|byte| byte.is_ascii_lowercase());
    !value.starts_with(['/', '~', '.']) && !is_word && !value.contains("://localhost")
}

/// Where the things are that commands are kept from, and those that they work with.
pub(crate) fn places(paths: &Paths, config: &ConfigPlaces, settings: &Settings, environment: &Environment) -> Places {
    Places {
        data: Some(paths.data().to_path_buf()),
        workspace: Some(paths.workspace()),
        home: environment.path("HOME").filter(|home| home.is_absolute()),
        secrets: secret_files(config, settings, environment),
        temporary: environment.path("TMPDIR").into_iter().collect(),
    }
}

/// Files with keys, settings, and the log.
fn secret_files(config: &ConfigPlaces, settings: &Settings, environment: &Environment) -> Vec<PathBuf> {
    let keys = key_references(settings).into_iter().filter_map(|key| match key {
        KeyReference::File(path) => Some(expand_home(&path, environment)),
        _ => None,
    });
    let credentials = environment.path("CREDENTIALS_DIRECTORY");
    let log = settings.log.file.as_deref().map(|file| expand_home(file, environment));
    keys.chain(credentials).chain(log).chain(config_places(config)).collect()
}

/// The folder of the usual files has keys in it too; a file that is named may stand in any folder.
fn config_places(config: &ConfigPlaces) -> Vec<PathBuf> {
    match config {
        ConfigPlaces::Named(file) => vec![file.clone()],
        ConfigPlaces::Usual { system, user } => {
            let folders = [Some(system), user.as_ref()].into_iter().flatten().filter_map(|file| file.parent());
            folders.map(Path::to_path_buf).collect()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn redacted(variables: &[(&str, &str)], text: &str) -> String {
        let environment = variables.iter().copied().collect();
        secrets(&Settings::default(), &environment).redact(text).into_owned()
    }

    #[test]
    fn a_variable_that_is_called_a_secret_is_one() {
        let variables = [("TELEGRAM_TOKEN", "0-very-9"), ("MY_PASSWORD", "hunter-2000"), ("EDITOR", "some-editor")];

        assert_eq!(redacted(&variables, "0-very-9 hunter-2000 some-editor"), "[redacted] [redacted] some-editor");
    }

    #[test]
    fn a_path_or_a_word_is_none() {
        let variables = [("SSH_KEY_FILE", "/home/ada/key"), ("KEYBOARD_LAYOUT_KEY", "american")];

        assert_eq!(redacted(&variables, "/home/ada/key american"), "/home/ada/key american");
    }

    #[test]
    fn a_key_in_a_file_is_a_secret_by_value_and_by_place() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("key");
        std::fs::write(&file, "open-sesame-42\n").unwrap();
        let mut settings = Settings::default();
        let vendor = llm::VendorSettings { key: Some(KeyReference::File(file.clone())), ..Default::default() };
        settings.models.vendors.insert("mine".into(), vendor);
        let token = folder.path().join("token");
        std::fs::write(&token, "abracadabra-77\n").unwrap();
        settings.telegram.token = Some(format!("file:{}", token.display()).try_into().unwrap());
        let environment = Environment::from_iter([("HOME", folder.path())]);
        let paths = Paths::find(None, &environment, None).unwrap();

        let places = places(&paths, &ConfigPlaces::Named("/c.toml".into()), &settings, &environment);

        let redacted = secrets(&settings, &environment).redact("open-sesame-42 abracadabra-77").into_owned();
        assert_eq!(redacted, "[redacted] [redacted]");
        assert_eq!(places.secrets, [file, token, "/c.toml".into()]);
    }
}
