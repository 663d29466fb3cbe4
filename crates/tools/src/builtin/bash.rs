//! The tool `bash`.

mod report;
mod verdict;

use std::path::{Path, PathBuf};
use std::time::Duration;

use chat::{ToolResult, ToolSpec};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use tokio::process::Command;

use crate::arguments::parse;
use crate::process::{self, environment};
use crate::schema::spec_of;
use crate::{Access, EffectClass, Settings, Tool, ToolContext, ToolFuture};

/// The system takes no single argument of 128 KiB and more.
const LONGEST_COMMAND: usize = 128 * 1024 - 1;

const ADVICE: &str = "Write the script to a file in parts, each with a call of its own, then run the file.";

/// Runs a command in a shell and shows its output and exit code.
///
/// Every call starts anew in the working folder, without input or a terminal. Output and errors come together; of a long output the
/// beginning and the end are shown, and the whole is kept in a file. What still runs in the background at the end is ended.
#[derive(Deserialize, JsonSchema)]
struct Arguments {
    /// The command.
    command: String,
    /// Seconds after which it is ended.
    timeout: Option<i64>,
}

/// Runs a command in a shell.
pub(super) struct Bash {
    spec: ToolSpec,
    shell: PathBuf,
    usual_s: u64,
    longest_s: u64,
    pass_environment: Vec<String>,
}

impl Bash {
    pub(super) fn new(settings: &Settings) -> Self {
        let longest_s = settings.bash_longest_timeout_s.get();
        let usual_s = settings.bash_timeout_s.get().min(longest_s);
        let shell = settings.shell.clone().unwrap_or_else(usual_shell);
        let mut spec = spec_of::<Arguments>("bash");
        spec.parameters["properties"]["timeout"]["description"] =
            json!(format!("Seconds after which it is ended; {usual_s} if left out, at most {longest_s}."));
        if !shell.ends_with("bash") {
            spec.description.push_str(&format!(" The shell is {}.", shell.display()));
        }
        Self { spec, shell, usual_s, longest_s, pass_environment: settings.pass_environment.clone() }
    }

    /// How long the command may run, where it can be run.
    fn time_for(&self, arguments: &Arguments) -> Result<Duration, String> {
        let command = &arguments.command;
        if command.trim().is_empty() {
            return Err("`command` is empty".to_owned());
        }
        if command.contains('\0') {
            return Err("`command` contains a NUL character".to_owned());
        }
        if command.len() > LONGEST_COMMAND {
            return Err(format!("`command` is too long for the system. {ADVICE}"));
        }
        let longest = self.longest_s;
        match arguments.timeout.map(u64::try_from) {
            None => Ok(Duration::from_secs(self.usual_s)),
            Some(Ok(seconds)) if (1..=longest).contains(&seconds) => Ok(Duration::from_secs(seconds)),
            Some(Err(_) | Ok(0)) => Err("`timeout` must be at least 1 second".to_owned()),
            Some(Ok(_)) => Err(format!(
                "`timeout` may be at most {longest} seconds; do the work in pieces that each take less, a call for each"
            )),
        }
    }

    fn command(&self, command: &str, folder: &Path) -> Command {
        let mut shell = Command::new(&self.shell);
        shell.args(["-c", "--", command]).current_dir(folder);
        shell.env_clear().envs(environment(&self.pass_environment));
        shell
    }
}

impl Tool for Bash {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn effect(&self) -> EffectClass {
        EffectClass::Effect
    }

    fn needs(&self) -> Access {
        Access::Shell
    }

    fn advice_on_sending_less(&self) -> Option<&str> {
        Some(ADVICE)
    }

    fn run(&self, arguments: Map<String, Value>, context: ToolContext) -> ToolFuture {
        let arguments = parse::<Arguments>(&self.spec, arguments);
        let ready = arguments.and_then(|arguments| Ok((self.time_for(&arguments)?, arguments.command)));
        let ready = ready.map(|(time, text)| (time, self.command(&text, &context.folder), text));
        Box::pin(async move {
            let (time, command, text) = match ready {
                Ok(ready) => ready,
                Err(reason) => return ToolResult::error(reason),
            };
            if context.cancelled.is_cancelled() {
                return ToolResult::error("cancelled before it began");
            }
            match process::run(command, time, &context).await {
                Ok(finished) => report::report(&text, finished, time),
                Err(error) => ToolResult::error(could_not_start(&context.folder, &error)),
            }
        })
    }
}

fn usual_shell() -> PathBuf {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::env::split_paths(&path).chain([PathBuf::from("/bin"), PathBuf::from("/usr/bin")]);
    let found = folders.map(|folder| folder.join("bash")).find(|bash| bash.is_absolute() && bash.is_file());
    found.unwrap_or_else(|| PathBuf::from("/bin/sh"))
}

fn could_not_start(folder: &Path, error: &std::io::Error) -> String {
    if folder.is_dir() {
        format!("the shell could not be started: {error}")
    } else {
        format!("the working folder `{}` does not exist", folder.display())
    }
}

#[cfg(test)]
mod tests;
