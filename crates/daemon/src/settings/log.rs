//! What is logged.

use std::path::PathBuf;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use tracing::level_filters::LevelFilter;
use tracing_subscriber::filter::Targets;

/// What is logged, and where.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct LogSettings {
    /// How much, for everything or for some parts.
    pub(crate) level: LogLevel,
    /// How a line looks.
    pub(crate) format: LogFormat,
    /// The file; else stderr, and in a chat at a terminal a file in the data folder.
    pub(crate) file: Option<PathBuf>,
}

/// How a line of the log looks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum LogFormat {
    /// For people.
    #[default]
    Text,
    /// One JSON object per line.
    Json,
}

/// How much is logged: one level for all (`warn`), or levels by part (`warn,agent=debug`).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub(crate) struct LogLevel {
    written: String,
    targets: Targets,
}

impl LogLevel {
    /// The filter that it stands for.
    pub(crate) fn targets(&self) -> Targets {
        self.targets.clone()
    }
}

impl Default for LogLevel {
    fn default() -> Self {
        Self { written: "warn".into(), targets: Targets::new().with_default(LevelFilter::WARN) }
    }
}

impl TryFrom<String> for LogLevel {
    type Error = String;

    fn try_from(written: String) -> Result<Self, Self::Error> {
        let mut targets = Targets::new();
        for part in written.split(',').map(str::trim) {
            // Anything but a level's name would be taken for a part of the program by the filter's own parser.
            let (target, level) = part.split_once('=').map_or((None, part), |(target, level)| (Some(target), level));
            let level = LevelFilter::from_str(level.trim()).ok().filter(|_| !level.trim().is_empty());
            let Some(level) = level else {
                let levels = "off, error, warn, info, debug or trace";
                return Err(format!("expected {levels}, or such levels by part (`warn,agent=debug`), found `{part}`"));
            };
            targets = match target {
                Some(target) => targets.with_target(target.trim(), level),
                None => targets.with_default(level),
            };
        }
        Ok(Self { written, targets })
    }
}

impl From<LogLevel> for String {
    fn from(level: LogLevel) -> Self {
        level.written
    }
}

#[cfg(test)]
mod tests {
    use tracing::Level;

    use super::*;

    #[test]
    fn a_level_holds_for_all_and_a_part_can_have_its_own() {
        let targets = LogLevel::try_from("warn, agent=debug".to_owned()).unwrap().targets();

        assert!(targets.would_enable("agent::executor", &Level::DEBUG));
        assert!(!targets.would_enable("llm", &Level::INFO));
        assert!(targets.would_enable("llm", &Level::WARN));
    }

    #[test]
    fn a_word_that_is_no_level_is_refused() {
        for wrong in ["wran", "", "agent=loud", "warn,,info"] {
            let error = LogLevel::try_from(wrong.to_owned()).unwrap_err();

            assert!(error.contains("off, error, warn"), "{wrong}: {error}");
        }
    }
}
