//! From events to what is written.

mod body;
mod file;
mod json;
mod live;
mod plain;
mod rich;
#[cfg(test)]
mod tests;
mod tool;

use chat::Language;
use tokio::time::Instant;

use super::turns::Event;
use super::{Look, Output};
use json::Json;
use plain::Plain;
use rich::Rich;

/// What is to be written.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Written {
    /// To standard output.
    pub(super) out: String,
    /// To standard error.
    pub(super) err: String,
}

/// What a text looks like depends on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Surroundings {
    pub(super) now: Instant,
    /// The terminal's columns.
    pub(super) width: usize,
}

/// How events are shown.
#[derive(Debug)]
pub(super) enum Renderer {
    Plain(Plain),
    Json(Json),
    Rich(Box<Rich>),
}

/// What a renderer is made from.
#[derive(Clone, Copy, Debug)]
pub(super) struct Manner {
    pub(super) output: Output,
    pub(super) look: Look,
    pub(super) language: Language,
    pub(super) stdout_is_terminal: bool,
    /// Whether the person types what turns answer, so that it need not be shown again.
    pub(super) is_typed: bool,
    /// Whether there is just one turn.
    pub(super) is_once: bool,
}

impl Renderer {
    pub(super) fn new(manner: Manner) -> Self {
        match manner.output {
            Output::Plain => Self::Plain(Plain::new(manner.language, manner.stdout_is_terminal)),
            Output::Json => Self::Json(Json),
            Output::Rich => Self::Rich(Box::new(Rich::new(manner))),
        }
    }

    /// Shows an event.
    pub(super) fn event(&mut self, event: &Event, around: Surroundings, written: &mut Written) {
        match self {
            Self::Plain(plain) => plain.event(event, written),
            Self::Json(json) => json.event(event, &mut written.out),
            Self::Rich(rich) => rich.event(event, around, &mut written.out),
        }
    }

    /// Shows how time passes.
    pub(super) fn tick(&mut self, around: Surroundings, written: &mut Written) {
        if let Self::Rich(rich) = self {
            rich.tick(around, &mut written.out);
        }
    }

    /// Whether there is anything that shows how time passes.
    pub(super) fn is_ticking(&self) -> bool {
        matches!(self, Self::Rich(rich) if rich.is_ticking())
    }

    /// Takes note that a line was typed while no prompt was shown.
    pub(super) fn typed(&mut self, line: &str, around: Surroundings, written: &mut Written) {
        if let Self::Rich(rich) = self {
            rich.typed(line, around, &mut written.out);
        }
    }

    /// Takes note that Ctrl-C was typed while no prompt was shown.
    pub(super) fn interrupted(&mut self, around: Surroundings, written: &mut Written) {
        if let Self::Rich(rich) = self {
            rich.interrupted(around, &mut written.out);
        }
    }

    /// Takes note whether the line editor has the terminal; then only whole lines may be written.
    pub(super) fn set_at_prompt(&mut self, at_prompt: bool) {
        if let Self::Rich(rich) = self {
            rich.set_at_prompt(at_prompt);
        }
    }
}
