//! For a person at a terminal: text as it is written, one live row per tool.

use chat::{Language, OutcomeKind, Progress};

use super::body::Body;
use super::live::Live;
use super::{Manner, Surroundings, file, tool};
use crate::markdown::style::Style;
use crate::markdown::width_of_text;
use crate::terminal::Look;
use crate::terminal::neutral::{neutral, neutral_line};
use crate::terminal::turns::{Event, Finished, Missing};
use crate::wording::Text;

/// Of what a model thinks in a step, how many characters are shown.
const THOUGHT_SHOWN: usize = 160;
/// Of what a tool shows, how many lines.
const LINES_SHOWN: usize = 20;

/// Writes for people.
#[derive(Debug)]
pub(in crate::terminal) struct Rich {
    look: Look,
    language: Language,
    is_typed: bool,
    is_once: bool,
    open: Open,
    live: Live,
    thought: usize,
    at_prompt: bool,
}

/// What the row of the cursor belongs to.
#[derive(Debug)]
enum Open {
    Nothing,
    Text(Body),
    Thought,
}

impl Rich {
    pub(super) fn new(manner: Manner) -> Self {
        Self {
            look: manner.look,
            language: manner.language,
            is_typed: manner.is_typed,
            is_once: manner.is_once,
            open: Open::Nothing,
            live: Live::new(manner.look.styled),
            thought: 0,
            at_prompt: false,
        }
    }

    pub(super) fn event(&mut self, event: &Event, around: Surroundings, out: &mut String) {
        if let Event::Progress { progress: Progress::ToolProgress { id, text }, .. } = event {
            let last = text.lines().rev().find(|line| !line.trim().is_empty());
            return self.live.output(id, neutral_line(last.unwrap_or_default()));
        }
        self.live.erase(0, out);
        match event {
            Event::Progress { progress, .. } => self.progress(progress, around, out),
            Event::Finished(finished) => self.finish(finished, around, out),
            Event::Notice(text) => self.note(Style::DIM, text, out),
            Event::Answer(text) => {
                self.step_aside(out);
                self.whole(text, around, out);
            }
            Event::File(file) => self.note(Style::PLAIN, &file::line(file, self.language), out),
        }
        self.draw(around, out);
    }

    pub(super) fn tick(&mut self, around: Surroundings, out: &mut String) {
        if self.is_ticking() && matches!(self.open, Open::Nothing) {
            self.live.redraw(around.now, around.width, out);
        }
    }

    pub(super) fn is_ticking(&self) -> bool {
        self.shows_live() && !self.live.is_empty()
    }

    pub(super) fn typed(&mut self, line: &str, around: Surroundings, out: &mut String) {
        if let Open::Text(body) = &mut self.open {
            body.cursor_moved_to_start();
        }
        if self.live.is_drawn() {
            // Moved above the rows that are drawn anew.
            let rows = width_of_text(&neutral(line)).div_ceil(around.width.max(1)).max(1);
            self.live.erase(rows, out);
            self.note(Style::DIM, &format!("> {}", neutral_line(line)), out);
            self.draw(around, out);
        }
    }

    pub(super) fn interrupted(&mut self, around: Surroundings, out: &mut String) {
        if self.live.is_drawn() {
            self.live.erase(0, out);
            return self.draw(around, out);
        }
        // The terminal has written `^C`.
        out.push('\n');
        if let Open::Text(body) = &mut self.open {
            body.cursor_moved_to_start();
        }
    }

    pub(super) fn set_at_prompt(&mut self, at_prompt: bool) {
        self.at_prompt = at_prompt;
    }

    fn progress(&mut self, progress: &Progress, around: Surroundings, out: &mut String) {
        match progress {
            Progress::TurnStarted { message } => self.start_turn(message, around, out),
            Progress::StepStarted { .. } => {
                self.close(out);
                self.thought = 0;
                self.wait(around);
            }
            Progress::TextDelta { text, .. } => self.text(text, around, out),
            Progress::ReasoningDelta { text, .. } => self.think(text, out),
            Progress::TextReset { .. } => {
                self.say(&Text::StartingOver, out);
                self.wait(around);
            }
            Progress::ToolStarted { id, name, arguments } => {
                self.live.stop_waiting();
                self.close(out);
                let label = tool::label(name, arguments.as_ref(), self.language);
                if !self.look.moves {
                    self.lines(Style::PLAIN, &format!("⚙ {label}"), out);
                }
                self.live.start(id, label, around.now);
            }
            Progress::ToolFinished { id, name, is_error, ms, display } => {
                let label = self.live.end(id).unwrap_or_else(|| neutral_line(name));
                self.end_tool(&label, *is_error, *ms, around, out);
                self.show(display.as_deref().unwrap_or_default(), around, out);
            }
            Progress::Notice { text } => self.note(Style::DIM, text, out),
            Progress::ToolProgress { .. } => {}
        }
    }

    fn start_turn(&mut self, message: &str, around: Surroundings, out: &mut String) {
        self.close(out);
        if (!self.is_typed || self.at_prompt) && !self.is_once {
            let message = tool::fit(&neutral_line(message), around.width.saturating_sub(3));
            self.line(Style::DIM, &format!("> {message}"), out);
        }
        self.wait(around);
    }

    fn text(&mut self, text: &str, around: Surroundings, out: &mut String) {
        self.live.stop_waiting();
        if !matches!(self.open, Open::Text(_)) {
            self.close(out);
            self.open = Open::Text(Body::new(self.look.styled, around.width));
        }
        if let Open::Text(body) = &mut self.open {
            body.push(text, around.width, out);
        }
    }

    /// Shows the beginning of what a model thinks, on one line.
    fn think(&mut self, text: &str, out: &mut String) {
        let free = THOUGHT_SHOWN.saturating_sub(self.thought);
        if free == 0 {
            return;
        }
        self.live.stop_waiting();
        if !matches!(self.open, Open::Thought) {
            self.close(out);
            self.open = Open::Thought;
        }
        let text = neutral(text).replace('\n', " ");
        let mut shown: String = text.chars().take(free).collect();
        self.thought += shown.chars().count();
        if self.thought == THOUGHT_SHOWN {
            shown.push('…');
        }
        out.push_str(&self.paint(Style::DIM, &shown));
    }

    fn end_tool(&mut self, label: &str, is_error: bool, ms: u64, around: Surroundings, out: &mut String) {
        self.close(out);
        let sign = self.paint(if is_error { Style::BAD } else { Style::GOOD }, tool::sign(is_error));
        let time = tool::duration(ms);
        let label = tool::fit(label, around.width.saturating_sub(4 + width_of_text(&time)));
        out.push_str(&format!("{sign} {label} {}\n", self.paint(Style::DIM, &time)));
    }

    fn show(&self, display: &str, around: Surroundings, out: &mut String) {
        let lines: Vec<&str> = display.lines().collect();
        if lines.is_empty() {
            return;
        }
        self.whole(&lines[..lines.len().min(LINES_SHOWN)].join("\n"), around, out);
        if let Some(more) = lines.len().checked_sub(LINES_SHOWN).filter(|more| *more > 0) {
            out.push_str(&self.paint(Style::DIM, &Text::MoreLines(more).say(self.language)));
            out.push('\n');
        }
    }

    fn finish(&mut self, finished: &Finished, around: Surroundings, out: &mut String) {
        self.live.clear();
        let text = &finished.outcome.text;
        let is_said = finished.streamed.trim() == text.trim();
        match (finished.outcome.kind, finished.missing()) {
            _ if is_said => {}
            (_, Missing::Rest(rest)) if !finished.streamed.is_empty() => self.text(rest, around, out),
            (OutcomeKind::Answered | OutcomeKind::Silent, Missing::Rest(text)) => self.text(text, around, out),
            (OutcomeKind::Answered | OutcomeKind::Silent, Missing::All(text)) => {
                self.say(&Text::StartingOver, out);
                self.text(text, around, out);
            }
            (OutcomeKind::Stopped, _) => self.line(Style::DIM, text, out),
            (OutcomeKind::Failed, _) => self.line(Style::BAD, &format!("{} {text}", tool::sign(true)), out),
        }
        self.close(out);
        for file in &finished.outcome.files {
            self.lines(Style::PLAIN, &file::line(file, self.language), out);
        }
        if !self.is_once {
            out.push('\n');
        }
    }

    /// Ends what is open, so that the cursor is at the start of a row.
    fn close(&mut self, out: &mut String) {
        match std::mem::replace(&mut self.open, Open::Nothing) {
            Open::Nothing => {}
            Open::Text(body) => body.finish(out),
            Open::Thought => out.push('\n'),
        }
    }

    /// Writes lines that end what is open.
    fn line(&mut self, style: Style, text: &str, out: &mut String) {
        self.close(out);
        self.lines(style, text, out);
    }

    /// Writes lines between those of a text that goes on.
    fn note(&mut self, style: Style, text: &str, out: &mut String) {
        self.step_aside(out);
        self.lines(style, text, out);
    }

    /// Ends the row of the cursor; a text that is being written goes on later.
    fn step_aside(&mut self, out: &mut String) {
        match &mut self.open {
            Open::Text(body) => body.interrupt(out),
            _ => self.close(out),
        }
    }

    /// Writes a text that is there as a whole.
    fn whole(&self, text: &str, around: Surroundings, out: &mut String) {
        let mut body = Body::new(self.look.styled, around.width);
        body.push(text, around.width, out);
        body.finish(out);
    }

    fn lines(&self, style: Style, text: &str, out: &mut String) {
        for line in neutral(text).lines() {
            out.push_str(&self.paint(style, line));
            out.push('\n');
        }
    }

    fn say(&mut self, text: &Text, out: &mut String) {
        self.line(Style::DIM, &text.say(self.language), out);
    }

    fn wait(&mut self, around: Surroundings) {
        self.live.wait(Text::Thinking.say(self.language), around.now);
    }

    fn paint(&self, style: Style, text: &str) -> String {
        if self.look.styled && style != Style::PLAIN { style.paint(text) } else { text.to_owned() }
    }

    fn draw(&mut self, around: Surroundings, out: &mut String) {
        if self.shows_live() && matches!(self.open, Open::Nothing) {
            self.live.draw(around.now, around.width, out);
        }
    }

    fn shows_live(&self) -> bool {
        self.look.moves && !self.at_prompt
    }
}
