//! Answers for a pipe, as the Markdown that they are; what happens on the way goes to standard error.

use std::collections::HashMap;

use chat::{Language, Progress};

use super::{Written, file, tool};
use crate::terminal::neutral::neutral;
use crate::terminal::turns::{Event, Finished};

/// Writes answers to standard output, and nothing else but what commands answer.
#[derive(Debug)]
pub(in crate::terminal) struct Plain {
    language: Language,
    stdout_is_terminal: bool,
    /// What the present step has said: it may still be taken back, and a pipe cannot.
    held: String,
    tools: HashMap<String, String>,
}

impl Plain {
    pub(super) fn new(language: Language, stdout_is_terminal: bool) -> Self {
        Self { language, stdout_is_terminal, held: String::new(), tools: HashMap::new() }
    }

    pub(super) fn event(&mut self, event: &Event, written: &mut Written) {
        match event {
            Event::Progress { progress, .. } => self.progress(progress, &mut written.err),
            Event::Finished(finished) => self.finish(finished, written),
            Event::Notice(text) => line(&neutral(text), &mut written.err),
            Event::Answer(text) => self.answer(text, &mut written.out),
            Event::File(file) => line(&file::line(file, self.language), &mut written.out),
        }
    }

    fn progress(&mut self, progress: &Progress, err: &mut String) {
        match progress {
            Progress::TextDelta { text, .. } => self.held.push_str(text),
            Progress::TextReset { .. } => self.held.clear(),
            Progress::StepStarted { .. } => self.release(err),
            Progress::ToolStarted { id, name, arguments } => {
                self.release(err);
                let label = tool::label(name, arguments.as_ref(), self.language);
                line(&format!("⚙ {label}"), err);
                self.tools.insert(id.clone(), label);
            }
            Progress::ToolFinished { id, name, is_error, ms, .. } => {
                let label = self.tools.remove(id).unwrap_or_else(|| neutral(name));
                line(&format!("{} {label} {}", tool::sign(*is_error), tool::duration(*ms)), err);
            }
            Progress::Notice { text } => line(&neutral(text), err),
            Progress::TurnStarted { .. } | Progress::ReasoningDelta { .. } | Progress::ToolProgress { .. } => {}
        }
    }

    fn finish(&mut self, finished: &Finished, written: &mut Written) {
        if finished.outcome.text.starts_with(self.held.trim()) {
            self.held.clear();
        }
        self.release(&mut written.err);
        self.tools.clear();
        self.answer(&finished.outcome.text, &mut written.out);
        for file in &finished.outcome.files {
            line(&file::line(file, self.language), &mut written.out);
        }
    }

    /// Shows what a step has said beside its tool calls: that is not the answer.
    fn release(&mut self, err: &mut String) {
        line(&neutral(&std::mem::take(&mut self.held)), err);
    }

    fn answer(&self, text: &str, out: &mut String) {
        if self.stdout_is_terminal { line(&neutral(text), out) } else { line(text, out) }
    }
}

fn line(text: &str, to: &mut String) {
    if text.trim().is_empty() {
        return;
    }
    to.push_str(text);
    if !text.ends_with('\n') {
        to.push('\n');
    }
}
