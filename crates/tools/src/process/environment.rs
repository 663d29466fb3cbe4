//! The environment of programs: what is harmless, and nothing else, so that no secret of this process reaches one.
//!
//! This keeps secrets out of `env` and of what a program hands on. A program of the same user can still look into this process
//! (`/proc/PID/environ`, a debugger) unless the system forbids it; only another user or a sandbox closes that.

use std::ffi::{OsStr, OsString};

const HARMLESS: [&str; 16] = [
    "PATH",
    "HOME",
    "LANG",
    "LANGUAGE",
    "TZ",
    "USER",
    "LOGNAME",
    "SHELL",
    "TMPDIR",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
    "XDG_STATE_HOME",
    "XDG_CACHE_HOME",
    "XDG_RUNTIME_DIR",
    "XDG_CONFIG_DIRS",
    "XDG_DATA_DIRS",
];

/// Where programs are looked for when this process was started without a path.
const USUAL_PATH: &str = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/// The variables that a program gets: the harmless ones of this process, and those that are passed on by name.
pub(crate) fn environment(passed_on: &[String]) -> Vec<(OsString, OsString)> {
    chosen(std::env::vars_os(), passed_on)
}

fn chosen(variables: impl Iterator<Item = (OsString, OsString)>, passed_on: &[String]) -> Vec<(OsString, OsString)> {
    let mut chosen: Vec<_> = variables.filter(|(name, _)| is_wanted(name, passed_on)).collect();
    if !chosen.iter().any(|(name, _)| name == "PATH") {
        chosen.push(("PATH".into(), USUAL_PATH.into()));
    }
    if !chosen.iter().any(|(name, _)| name == "TERM") {
        // No colours, no cursor movements: nobody looks at it on a screen.
        chosen.push(("TERM".into(), "dumb".into()));
    }
    chosen
}

fn is_wanted(name: &OsStr, passed_on: &[String]) -> bool {
    let is_locale = name.to_str().is_some_and(|name| name.starts_with("LC_"));
    is_locale
        || HARMLESS.iter().any(|harmless| name == *harmless)
        || passed_on.iter().any(|passed| name == passed.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(variables: &[&str], passed_on: &[&str]) -> Vec<String> {
        let variables = variables.iter().map(|name| (OsString::from(name), OsString::from("value")));
        let passed_on: Vec<String> = passed_on.iter().map(|name| (*name).to_owned()).collect();
        let chosen = chosen(variables, &passed_on);
        chosen.into_iter().map(|(name, value)| format!("{}={}", name.display(), value.display())).collect()
    }

    #[test]
    fn only_harmless_variables_are_handed_on() {
        let given = ["PATH", "OPENAI_API_KEY", "LC_ALL", "COWHAND__TELEGRAM__TOKEN", "TERM", "HTTPS_PROXY", "BASH_ENV"];

        assert_eq!(names(&given, &[]), ["PATH=value", "LC_ALL=value", "TERM=dumb"]);
    }

    #[test]
    fn a_variable_is_passed_on_by_name() {
        assert_eq!(names(&["PATH", "EDITOR", "TOKEN"], &["EDITOR"]), ["PATH=value", "EDITOR=value", "TERM=dumb"]);
    }

    #[test]
    fn programs_are_found_even_without_a_path() {
        assert_eq!(names(&[], &[]), [format!("PATH={USUAL_PATH}"), "TERM=dumb".to_owned()]);
    }
}
