//! What a call of `bash` asks for.

use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;

use crate::Settings;

/// The system takes no single argument of 128 KiB and more.
const LONGEST_COMMAND: usize = 128 * 1024 - 1;

pub(super) const ADVICE: &str = "Write the script to a file in parts, each with a call of its own, then run the file.";

/// No setting lets a command run for more seconds: a year.
const MOST_S: u64 = 365 * 24 * 60 * 60;

/// What `job` says to see all of them.
const ALL: &str = "list";

/// Runs a command in a shell and shows its output and exit code.
///
/// Every call starts anew in the working folder, without input or a terminal. Output and errors come together; of a long output the
/// beginning and the end are shown, and the whole is kept in a file. What still runs when the command is done is ended; for a server
/// or long work, use `run_in_background`.
#[derive(Deserialize, JsonSchema)]
pub(super) struct Arguments {
    /// The command. Leave it out with `job`.
    command: Option<String>,
    /// Seconds after which it is ended.
    timeout: Option<i64>,
    /// Start the command as a job that goes on while you do other things, and show its id at once.
    run_in_background: Option<bool>,
    /// The id of a job: shows what it has written since the last look. `list` shows all jobs.
    job: Option<String>,
    /// With `job`: end it.
    kill: Option<bool>,
}

/// What a call asks for.
#[derive(Debug, PartialEq)]
pub(super) enum Request {
    /// To run a command to its end.
    Run { command: String, time: Duration },
    /// To start a job.
    Start { command: String, time: Duration },
    /// To look at a job, perhaps to end it.
    Look { job: String, end: bool },
    /// To see which jobs there are.
    List,
}

/// How long commands may run.
pub(super) struct Times {
    usual_s: u64,
    longest_s: u64,
    job_s: u64,
}

impl Times {
    pub(super) fn new(settings: &Settings) -> Self {
        let longest_s = settings.bash_longest_timeout_s.get().min(MOST_S);
        let usual_s = settings.bash_timeout_s.get().min(longest_s);
        Self { usual_s, longest_s, job_s: settings.job_timeout_s.get().min(MOST_S) }
    }

    /// What a model is told of it.
    pub(super) fn told(&self) -> String {
        let Self { usual_s, longest_s, job_s } = self;
        format!("Seconds after which it is ended; {usual_s} if left out, at most {longest_s}; of a job {job_s}.")
    }

    fn of_a_run(&self, timeout: Option<i64>) -> Result<Duration, String> {
        match seconds(timeout)? {
            None => Ok(Duration::from_secs(self.usual_s)),
            Some(seconds) if seconds <= self.longest_s => Ok(Duration::from_secs(seconds)),
            Some(_) => Err(format!(
                "`timeout` may be at most {} seconds; for what takes longer, set `run_in_background` and look at the job later",
                self.longest_s
            )),
        }
    }

    fn of_a_job(&self, timeout: Option<i64>) -> Result<Duration, String> {
        match seconds(timeout)? {
            Some(seconds) if seconds > self.job_s => {
                Err(format!("`timeout` of a job may be at most {} seconds", self.job_s))
            }
            seconds => Ok(Duration::from_secs(seconds.unwrap_or(self.job_s))),
        }
    }
}

fn seconds(timeout: Option<i64>) -> Result<Option<u64>, String> {
    match timeout.map(u64::try_from) {
        None => Ok(None),
        Some(Ok(seconds @ 1..)) => Ok(Some(seconds)),
        Some(_) => Err("`timeout` must be at least 1 second".to_owned()),
    }
}

impl Arguments {
    /// What they ask for, where that is one thing and can be done.
    pub(super) fn request(self, times: &Times) -> Result<Request, String> {
        let is_job = self.run_in_background.unwrap_or_default();
        // What is empty was left out; some models always send all arguments.
        let job = self.job.filter(|job| !job.trim().is_empty());
        let command = self.command.filter(|command| job.is_none() || !command.trim().is_empty());
        match (command, job) {
            (Some(_), Some(_)) => {
                Err("`command` and `job` do not go together: a call runs a command or looks at a job".to_owned())
            }
            (None, None) => Err("bash is called without `command`, and without a `job` to look at".to_owned()),
            (None, Some(job)) if job.trim() == ALL => Ok(Request::List),
            (None, Some(job)) => Ok(Request::Look { job: job.trim().to_owned(), end: self.kill.unwrap_or_default() }),
            (Some(command), None) if is_job => {
                Ok(Request::Start { time: times.of_a_job(self.timeout)?, command: checked(command)? })
            }
            (Some(command), None) => {
                Ok(Request::Run { time: times.of_a_run(self.timeout)?, command: checked(command)? })
            }
        }
    }
}

fn checked(command: String) -> Result<String, String> {
    if command.trim().is_empty() {
        return Err("`command` is empty".to_owned());
    }
    if command.contains('\0') {
        return Err("`command` contains a NUL character".to_owned());
    }
    if command.len() > LONGEST_COMMAND {
        return Err(format!("`command` is too long for the system. {ADVICE}"));
    }
    Ok(command)
}
