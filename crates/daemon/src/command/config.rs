//! `cowhand config check` and `cowhand config show`.

use std::fmt::Write;

use serde_json::Value;

use super::{print, sources};
use crate::cli::{ConfigCommand, PlaceArgs};
use crate::environment::Environment;
use crate::exit::{Exit, Failure};
use crate::paths::Paths;
use crate::settings::{KeyPath, Reading, Severity, toml_key};

/// Checks or shows the settings.
pub(crate) fn run(command: &ConfigCommand, places: &PlaceArgs, environment: &Environment) -> Result<Exit, Failure> {
    let reading = sources(places, environment).read();
    let data = |reading: &Reading| {
        Paths::find(places.data_dir.as_deref(), environment, reading.settings.data.folder.as_deref())
    };
    match command {
        ConfigCommand::Check => {
            let (report, exit) = check(&reading, data(&reading));
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
fn check(reading: &Reading, data: Result<Paths, Failure>) -> (String, Exit) {
    let mut report = files(reading, "");
    let mut problems = 0;
    for finding in &reading.findings {
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
    show_section(reading, &values, &KeyPath::default(), &mut text);
    text
}

fn show_section(reading: &Reading, section: &Value, path: &KeyPath, text: &mut String) {
    let entries = || section.as_object().into_iter().flatten().map(|(key, value)| (path.child(key), value));
    if !path.keys().is_empty() && entries().any(|(_, value)| !value.is_object()) {
        let _ = writeln!(text, "\n[{path}]");
    }
    for (path, value) in entries().filter(|(_, value)| !value.is_object()) {
        let _ = writeln!(text, "{}", show_value(&path, value, &reading.origin(&path)));
    }
    for (path, value) in entries().filter(|(_, value)| value.is_object()) {
        show_section(reading, value, &path, text);
    }
}

/// A setting and where it comes from. References to secrets are shown; a secret itself never stands in settings.
fn show_value(path: &KeyPath, value: &Value, origin: &str) -> String {
    let key = toml_key(path.last());
    match toml::Value::try_from(value) {
        _ if value.is_null() => format!("# {key} is not set"),
        Ok(value) => {
            let line = format!("{key} = {value}");
            let wanted = 40usize.saturating_sub(line.chars().count());
            if line.contains('\n') {
                format!("# {origin}\n{line}")
            } else {
                format!("{line}{:wanted$}  # {origin}", "")
            }
        }
        Err(_) => format!("# {key} has no form in TOML"),
    }
}

/// The files that were looked for, one per line.
fn files(reading: &Reading, start: &str) -> String {
    let line = |(file, there): &(std::path::PathBuf, bool)| {
        format!("{start}{}: {}\n", file.display(), if *there { "read" } else { "not there" })
    };
    reading.files.iter().map(line).collect()
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
        let reading = Sources { places, environment: &environment, arguments: Vec::new() }.read();
        let data = || Paths::find(None, &environment, None);
        let without_path = |text: String| text.replace(file.path().to_str().unwrap(), "FILE");
        let (report, exit) = check(&reading, data());
        Shown { report: without_path(report), exit, show: without_path(show(&reading, data())) }
    }

    const HOME: (&str, &str) = ("HOME", "/home/ada");

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

        insta::assert_snapshot!("show", shown.show);
    }

    #[test]
    fn what_is_shown_can_be_used_as_a_file() {
        let shown = with("language = \"zh\"\n[limits]\nretries = 7\n[log]\nfile = \"a\\nb\"\n", &[HOME]);

        let again = with(&shown.show, &[HOME]);

        assert_eq!(again.report, "FILE: read\nok\n");
        assert!(again.show.contains("retries = 7"), "{}", again.show);
    }
}
