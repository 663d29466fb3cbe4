//! What is wrong with settings.

use std::fmt;
use std::path::{Path, PathBuf};

use super::KeyPath;

/// Something that a person should know about their settings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Finding {
    /// What follows from it.
    pub(crate) severity: Severity,
    /// Where it is.
    pub(crate) place: Place,
    /// What is wrong, and what to do where that is known. It holds no secret.
    pub(crate) text: String,
}

impl Finding {
    /// A file that cannot be used at all.
    pub(crate) fn of_file(file: &Path, text: impl Into<String>) -> Self {
        Self { severity: Severity::Fatal, place: Place::File(file.to_path_buf()), text: text.into() }
    }
}

/// What follows from a finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Severity {
    /// Nothing starts.
    Fatal,
    /// This one section is off, all else starts.
    Off(KeyPath),
    /// Nothing.
    Warning,
}

/// Where settings come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// A file.
    File(PathBuf),
    /// A line of a file, from 1.
    Line(PathBuf, usize),
    /// An environment variable.
    Variable(String),
    /// An argument of the command line.
    Argument(&'static str),
    /// Where a value that was read comes from, in words.
    Known(String),
    /// Several of them together.
    Together,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(file) => write!(f, "{}", file.display()),
            Self::Line(file, line) => write!(f, "{}, line {line}", file.display()),
            Self::Variable(name) => write!(f, "variable {name}"),
            Self::Argument(name) => write!(f, "argument {name}"),
            Self::Known(origin) => f.write_str(origin),
            Self::Together => f.write_str("the settings together"),
        }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.text)?;
        match &self.severity {
            Severity::Off(section) => write!(f, "; {section} is off until this is put right"),
            Severity::Fatal | Severity::Warning => Ok(()),
        }
    }
}
