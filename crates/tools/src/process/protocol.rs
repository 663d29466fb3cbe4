//! What Cowhand and the runner of a command tell each other: a line of JSON each.
//!
//! The first line tells a stage what to do. After it the runner is told one thing only, to end the command, by closing that side of the
//! socket; so the end of Cowhand itself, however it comes, says the same.

use std::ffi::OsString;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::sandbox::Plan;

/// How the stages before a command are started.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunnerProgram {
    /// A program that hands over to [`crate::serve_runner`] first of all.
    pub program: OsString,
    /// The arguments by which it knows that it is to do so.
    pub arguments: Vec<String>,
}

/// The argument that makes the binary of Cowhand a runner.
pub(super) const ARGUMENT: &str = "__runner";

impl Default for RunnerProgram {
    /// The program that runs now, which is still there when an upgrade has replaced its file.
    fn default() -> Self {
        Self { program: "/proc/self/exe".into(), arguments: vec![ARGUMENT.to_owned()] }
    }
}

/// What the program is to be.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Stage {
    /// The runner: stays until nothing of the command is left.
    Run(Order),
    /// What becomes the command.
    Enter(Launch),
}

/// A command to be run.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct Order {
    /// The command.
    pub(crate) launch: Launch,
    /// How long it may run.
    pub(crate) time: Duration,
    /// How the next stage is started.
    pub(crate) stages: RunnerProgram,
}

/// A command as it is started.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct Launch {
    pub(crate) program: OsString,
    pub(crate) arguments: Vec<String>,
    /// The folder that it starts in. It need not be text.
    pub(crate) folder: OsString,
    /// All variables that it gets.
    pub(crate) environment: Vec<(OsString, OsString)>,
    pub(crate) plan: Plan,
}

/// What the runner tells of it.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Report {
    /// It runs.
    Started,
    /// It could not be started, for this reason.
    NotStarted(String),
    /// The command itself is done; this is its status, as the system encodes it. What it has started may still run.
    Exited(i32),
    /// Nothing of it runs any more; the last report.
    Gone(Gone),
}

/// How the end of a command went.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Gone {
    /// Whether it was ended because its time was up.
    pub(super) timed_out: bool,
    /// Names of what ran when the end began, the command itself left out.
    pub(super) left_over: Vec<String>,
    /// Ids of what could not be ended.
    pub(super) survivors: Vec<i32>,
}
