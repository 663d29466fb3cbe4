//! How the process ends.

use std::error::Error;
use std::fmt;
use std::process::ExitCode;

/// What the process's end tells a script.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Exit {
    /// All was done; a turn that a person stopped counts as done.
    Done = 0,
    /// At least one turn failed.
    TurnFailed = 1,
    /// The arguments are wrong.
    Usage = 2,
    /// The data folder or the ledger in it cannot be used.
    Data = 3,
    /// The configuration is wrong (`EX_CONFIG` of sysexits.h, which service managers know).
    Config = 78,
    /// Ctrl-C, as a shell reports it, or a signal that asks it to end.
    Interrupted = 130,
}

impl Exit {
    /// Every code, in the order in which help lists them.
    pub(crate) const ALL: [Self; 6] =
        [Self::Done, Self::TurnFailed, Self::Usage, Self::Data, Self::Config, Self::Interrupted];

    /// What it means, for help.
    pub(crate) fn meaning(self) -> &'static str {
        match self {
            Self::Done => "done; a turn that was stopped counts as done",
            Self::TurnFailed => "a turn failed; of verify and doctor: something is wrong",
            Self::Usage => "wrong use: an argument is wrong or missing",
            Self::Data => "the data folder or the ledger in it cannot be used",
            Self::Config => "the configuration is wrong; nothing was started",
            Self::Interrupted => "interrupted, by Ctrl-C or a signal that asks it to end",
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

/// Why the process ends before its work: one message that says what, where and what to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Failure {
    /// How it ends.
    pub(crate) exit: Exit,
    /// What is wrong.
    pub(crate) message: String,
}

impl Failure {
    /// Wrong use.
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self { exit: Exit::Usage, message: message.into() }
    }

    /// A data folder that cannot be used.
    pub(crate) fn data(message: impl Into<String>) -> Self {
        Self { exit: Exit::Data, message: message.into() }
    }

    /// A configuration that cannot be used.
    pub(crate) fn config(message: impl Into<String>) -> Self {
        Self { exit: Exit::Config, message: message.into() }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "cowhand: {}", self.message)
    }
}

/// An error and its causes, in one line.
pub(crate) fn with_causes(error: &dyn Error) -> String {
    match error.source() {
        Some(cause) => format!("{error}: {}", with_causes(cause)),
        None => error.to_string(),
    }
}
