//! `cowhand config check` and `cowhand config show`.

use std::fmt::Write;

use serde_json::Value;
use tools::redact::Secrets;

use super::{print, sources};
use crate::cli::{ConfigCommand, PlaceArgs};
use crate::environment::Environment;
use crate::exit::{Exit, Failure};
use crate::paths::Paths;
use crate::settings::{ANY, FileState, KeyPath, KnownKey, Reading, Settings, Severity, known_keys, models, toml_key};

/// Checks or shows the settings.
pub(crate) fn run(command: &ConfigCommand, places: &PlaceArgs, environment: &Environment) -> Result<Exit, Failure> {
    let reading = sources(places, None, environment).read();
    let data = |reading: &Reading| {
        Paths::find(places.data_dir.as_deref(), environment, reading.settings.data.folder.as_deref())
    };
    match command {
        ConfigCommand::Check => {
            let (report, exit) = check(&reading, data(&reading), environment);
            print(&report);
            Ok(exit)
        }
        ConfigCommand::Show => {
            let reading = reading.usable()?;
            let data = data(&reading);
            print(&show(&reading, data));
            Ok(Exit::Done)
        }
    }
}

/// Which files were read, and everything that is wrong.
fn check(reading: &Reading, data: Result<Paths, Failure>, environment: &Environment) -> (String, Exit) {
    let mut report = files(reading, "");
    let mut problems = 0;
    let of_models = if reading.fatal().next().is_none() { models::check(reading, environment) } else { Vec::new() };
    for finding in reading.findings.iter().chain(&of_models) {
        let warning = finding.severity == Severity::Warning;
        problems += usize::from(!warning);
        report += &format!("{}: {finding}\n", if warning { "warning" } else { "problem" });
    }
    if let Err(failure) = data {
        report += &format!("warning: {}\n", failure.message);
    }
    match problems {
        0 => (report + "ok\n", Exit::Done),
        1 => (report + "1 problem\n", Exit::Config),
        many => (report + &format!("{many} problems\n"), Exit::Config),
    }
}

/// The settings in effect, as TOML.
fn show(reading: &Reading, data: Result<Paths, Failure>) -> String {
    let mut text = files(reading, "# ");
    for finding in &reading.findings {
        text += &format!("# {finding}\n");
    }
    text += &match data {
        Ok(paths) => format!("# data folder: {}\n", paths.data().display()),
        Err(failure) => format!("# {}\n", failure.message),
    };
    let values = serde_json::to_value(&reading.settings).expect("settings are plain data");
    let mut show = Show { reading, known: &known_keys::<Settings>(), text };
    show.section(&KeyPath::default(), &KeyPath::default(), &values);
    show.text
}

/// Settings on their way into text.
struct Show<'a> {
    reading: &'a Reading,
    known: &'a [KnownKey],
    text: String,
}

impl Show<'_> {
    /// Shows a section: its values first, then the sections in it. `kind` is its path with `*` in place of names that people give.
    fn section(&mut self, kind: &KeyPath, path: &KeyPath, values: &Value) {
        let known = self.known;
        let (sections, settings): (Vec<&KnownKey>, Vec<&KnownKey>) =
            known.iter().filter(|known| known.path.parent() == *kind).partition(|known| known.is_section);
        if !path.keys().is_empty() && !settings.is_empty() {
            let _ = writeln!(self.text, "\n[{path}]");
        }
        for setting in settings {
            for key in names(&setting.path, values) {
                // Of a vendor only what is said of it is worth a line.
                if kind == path || !values[key].is_null() {
                    self.setting(&path.child(key), &values[key]);
                }
            }
        }
        for section in sections {
            for key in names(&section.path, values).into_iter().filter(|key| values[*key].is_object()) {
                self.section(&section.path, &path.child(key), &values[key]);
            }
        }
    }

    /// Shows a setting and where it comes from. References to secrets are shown; a secret itself never stands in settings.
    fn setting(&mut self, path: &KeyPath, value: &Value) {
        let key = toml_key(path.last());
        let origin = self.reading.origin(path);
        let value = shown(value);
        let line = match toml::Value::try_from(&value) {
            _ if value.is_null() => format!("# {key} is not set"),
            Err(_) => format!("# {key} has no form in TOML"),
            Ok(value) => match format!("{key} = {value}") {
                lines if lines.contains('\n') => format!("# {origin}\n{lines}"),
                line => format!("{line:<40}  # {origin}"),
            },
        };
        let _ = writeln!(self.text, "{line}");
    }
}

/// What a key is called here: by its name, or in place of a `*` by all the names there are.
fn names<'a>(known: &'a KeyPath, values: &'a Value) -> Vec<&'a str> {
    match known.last() {
        ANY => values.as_object().into_iter().flatten().map(|(name, _)| name.as_str()).collect(),
        name => vec![name],
    }
}

/// A text without what is secret in it: who asks and what is asked in an address, and whatever looks like a token.
fn without_secrets(text: &str) -> String {
    Secrets::default().redact(&without_password(text)).into_owned()
}

/// A URL without what may be secret in it: who asks, and what is asked for; any other text as it is.
fn without_password(text: &str) -> String {
    let Some((scheme, rest)) = text.split_once("://") else { return text.to_owned() };
    let (rest, query) = rest.split_once('?').map_or((rest, None), |(rest, query)| (rest, Some(query)));
    let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    let authority = authority.rsplit_once('@').map_or(authority.to_owned(), |(_, host)| format!("***@{host}"));
    let query = query.map(|query| format!("?{}", query.split('&').map(masked).collect::<Vec<_>>().join("&")));
    format!("{scheme}://{authority}{path}{}", query.unwrap_or_default())
}

/// A part of a query without its value; one that has no name is all value.
fn masked(part: &str) -> String {
    part.split_once('=').map_or_else(|| "***".to_owned(), |(name, _)| format!("{name}=***"))
}

/// The same in every text of a value.
fn shown(value: &Value) -> Value {
    match value {
        Value::String(text) => without_secrets(text).into(),
        Value::Array(values) => values.iter().map(shown).collect(),
        Value::Object(values) => values.iter().map(|(key, value)| (key.clone(), shown(value))).collect(),
        other => other.clone(),
    }
}

/// The files that were looked for, one per line.
fn files(reading: &Reading, start: &str) -> String {
    let state = |state: &FileState| match state {
        FileState::Read => "read",
        FileState::Missing => "not there",
        FileState::Unreadable => "cannot be read",
    };
    reading.files.iter().map(|(file, found)| format!("{start}{}: {}\n", file.display(), state(found))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::paths::ConfigPlaces;
    use crate::settings::Sources;

    struct Shown {
        report: String,
        exit: Exit,
        show: String,
    }

    fn with(text: &str, variables: &[(&str, &str)]) -> Shown {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), text).unwrap();
        let environment = variables.iter().copied().collect();
        let places = ConfigPlaces::Named(file.path().into());
        let reading = Sources { places, environment: &environment, overrides: Vec::new() }.read();
        let data = || Paths::find(None, &environment, None);
        let without_path = |text: String| text.replace(file.path().to_str().unwrap(), "FILE");
        let (report, exit) = check(&reading, data(), &environment);
        Shown { report: without_path(report), exit, show: without_path(show(&reading, data())) }
    }

    const HOME: (&str, &str) = ("HOME", "/home/ada");

    /// One section of what is shown.
    fn section<'a>(shown: &'a str, name: &str) -> &'a str {
        let start = shown.find(&format!("[{name}]\n")).unwrap();
        shown[start..].split("\n\n").next().unwrap()
    }

    #[test]
    fn a_check_without_a_problem_says_what_was_read() {
        let shown = with("language = \"zh\"\n", &[HOME]);

        assert_eq!((shown.report.as_str(), shown.exit), ("FILE: read\nok\n", Exit::Done));
    }

    #[test]
    fn a_check_tells_every_problem_and_every_warning() {
        let shown = with("languag = \"zh\"\n[log]\nformat = 5\n", &[("COWHAND__LIMIT", "3")]);

        assert_eq!(shown.exit, Exit::Config);
        insta::assert_snapshot!("check", shown.report);
    }

    #[test]
    fn a_warning_alone_is_no_problem() {
        let shown = with("", &[HOME, ("COWHAND__LIMIT", "3")]);

        assert_eq!(shown.exit, Exit::Done);
        assert!(shown.report.contains("warning: variable COWHAND__LIMIT: "), "{}", shown.report);
    }

    #[test]
    fn each_value_is_shown_with_the_place_it_comes_from() {
        let shown = with("[limits]\nretries = 7\n", &[HOME, ("COWHAND__LIMITS__MAX_STEPS", "3")]);

        insta::assert_snapshot!("show", section(&shown.show, "limits"));
        assert!(
            shown.show.starts_with("# FILE: read\n# data folder: /home/ada/.local/share/cowhand\n"),
            "{}",
            shown.show
        );
    }

    #[test]
    fn a_vendor_is_shown_with_what_is_set_of_it_and_without_a_password() {
        let shown =
            with("[models.vendors.mine]\nbase_url = \"http://me:sk-test@house:9/v1\"\nkey = \"env:MY_KEY\"\n", &[HOME]);

        insta::assert_snapshot!("show_vendor", section(&shown.show, "models.vendors.mine"));
    }

    #[test]
    fn a_secret_in_the_query_of_a_url_is_not_shown() {
        let text = "[models.vendors.mine]\nbase_url = \"http://house:9/v1?key=sk-a/b@c&sk-d&api-version=1\"\n";

        let shown = with(text, &[HOME]).show;

        assert!(shown.contains("\"http://house:9/v1?key=***&***&api-version=***\""), "{shown}");
    }

    #[test]
    fn a_check_tells_of_an_address_that_is_none() {
        for url in ["notaurl", "ftp://house", "http://", "https://:8080/v1"] {
            let shown = with(&format!("[models.vendors.mine]\nbase_url = \"{url}\"\n"), &[HOME]);

            assert_eq!(shown.exit, Exit::Config, "{url}");
            assert!(
                shown.report.contains("problem: FILE, line 2: `models.vendors.mine.base_url`: "),
                "{}",
                shown.report
            );
        }
    }

    #[test]
    fn a_check_tells_of_an_address_in_a_variable_that_is_none() {
        let shown = with("", &[HOME, ("OPENAI_BASE_URL", "notaurl"), ("OPENAI_API_KEY", "sk-test")]);

        assert_eq!(shown.exit, Exit::Config);
        assert!(shown.report.contains("OPENAI_BASE_URL: a server's address begins with"), "{}", shown.report);
    }

    #[test]
    fn a_number_that_makes_no_sense_is_told_with_the_least_that_does() {
        for (section, key) in [
            ("limits", "max_steps"),
            ("limits", "tool_result_chars"),
            ("conversations", "context_tokens"),
            ("models.deadlines", "connect_s"),
            ("models.deadlines", "first_byte_s"),
            ("models.deadlines", "idle_s"),
            ("models.vendors.mine", "window"),
            ("models.vendors.mine", "max_output"),
            ("tools", "bash_timeout_s"),
            ("tools", "bash_longest_timeout_s"),
        ] {
            let shown = with(&format!("[{section}]\n{key} = 0\n"), &[HOME]);

            assert_eq!(shown.exit, Exit::Config, "{section}.{key}");
            let told = format!("FILE, line 2: `{section}.{key}`: expected a whole number, 1 or more, found ");
            assert!(shown.report.contains(&told), "{}", shown.report);
        }
    }

    #[test]
    fn nothing_secret_is_shown_of_an_address_or_a_list() {
        let vendor = "[models.vendors.mine]\nbase_url = \"https://house/v1?api-version=1&code=hunter2\"\n";
        let text = format!("{vendor}[tools]\npass_environment = [\"sk-live-0123456789\"]\n");

        let shown = with(&text, &[HOME]).show;

        assert!(shown.contains("base_url = \"https://house/v1?api-version=***&code=***\""), "{shown}");
        assert!(shown.contains("pass_environment = [\"[redacted]\"]"), "{shown}");
    }

    #[test]
    fn a_check_tells_of_a_model_that_does_not_exist() {
        let shown = with("[models]\nmodel = \"opneai/x\"\n", &[HOME]);

        assert_eq!(shown.exit, Exit::Config);
        assert!(shown.report.contains("problem: FILE, line 2: there is no vendor \"opneai\""), "{}", shown.report);
    }

    #[test]
    fn a_check_tells_of_a_key_that_is_missing() {
        let text = "[models]\nmodel = \"openai/x\"\n[models.vendors.openai]\nkey = \"env:MY_KEY\"\n";

        let shown = with(text, &[HOME]);

        assert_eq!(shown.exit, Exit::Config);
        insta::assert_snapshot!("check_key", shown.report);
    }

    #[test]
    fn what_is_shown_can_be_used_as_a_file() {
        let shown = with("language = \"zh\"\n[limits]\nretries = 7\n[log]\nfile = \"a\\nb\"\n", &[HOME]);

        let again = with(&shown.show, &[HOME]);

        assert_eq!(again.report, "FILE: read\nok\n");
        assert!(again.show.contains("retries = 7"), "{}", again.show);
    }
}
