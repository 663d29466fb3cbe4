//! What the commands that only look answer.

use std::sync::Arc;

use chat::{Command, Person};
use tools::Registry;
use tools::policy::Rule;

use super::dialogue::{Activity, Dialogue};
use crate::Settings;
use crate::wording;

/// What does not change while the process runs.
pub(crate) struct Facts {
    /// The model that is asked.
    pub(crate) model: String,
    /// The tools that exist.
    pub(crate) tools: Registry,
    /// Who may call them.
    pub(crate) rules: Arc<[Rule]>,
    /// The version of the program.
    pub(crate) version: &'static str,
    /// How conversations behave.
    pub(crate) settings: Settings,
}

impl Dialogue {
    /// What a command is answered with that changes nothing.
    pub(super) fn answer_to(&self, command: &Command, person: &Person) -> String {
        let language = person.language;
        match command {
            Command::Status => self.status(person),
            Command::Help => wording::help(language),
            Command::Tools => self.tools(person),
            Command::Context => {
                let sent = self.view.of(&self.history);
                wording::context(language, sent.len(), self.history.messages().len())
            }
            Command::Version => format!("Cowhand {}", self.facts.version),
            Command::Steer(text) if text.is_empty() => wording::steer_usage(language),
            Command::Steer(_) => match self.activity {
                Activity::Idle => wording::nothing_to_steer(language),
                // One that is not being stopped takes it.
                Activity::Running(_) | Activity::Suspended(_) => wording::being_stopped(language),
                Activity::Committing(_) => wording::just_finished(language),
            },
            Command::Stop => match self.activity {
                Activity::Committing(_) => wording::already_finished(language),
                _ => wording::nothing_to_stop(language),
            },
            Command::New => wording::new_accepted(language),
            Command::Compact if self.has_nothing_to_compact() => wording::nothing_to_compact(language),
            Command::Compact => wording::compact_accepted(language),
        }
    }

    /// Whether a digest would say nothing less, also once what comes before it is done.
    fn has_nothing_to_compact(&self) -> bool {
        let is_idle = matches!(self.activity, Activity::Idle) && self.waiting.is_empty();
        is_idle && self.view.compact(&self.history).is_none()
    }

    fn status(&self, person: &Person) -> String {
        let doing = match &self.activity {
            Activity::Running(running) => wording::running(person.language, running.step, running.tool.as_deref()),
            Activity::Suspended(_) => wording::suspended(person.language),
            Activity::Committing(_) => wording::finishing(person.language),
            Activity::Idle => wording::idle(person.language),
        };
        wording::status(person.language, &doing, self.waiting.len(), &self.facts.model, self.facts.version)
    }

    fn tools(&self, person: &Person) -> String {
        let offered = tools::policy::offered(&self.facts.rules, person.role, &self.facts.tools);
        let lines = offered.iter().map(|tool| {
            let spec = tool.spec();
            let summary = spec.description.lines().next().unwrap_or_default();
            format!("- `{}`: {summary}", spec.name)
        });
        let lines: Vec<String> = lines.collect();
        if lines.is_empty() { wording::no_tools(person.language) } else { lines.join("\n") }
    }
}
