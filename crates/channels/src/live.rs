//! What a chat shows of a turn while it runs: one message that is written anew, not too often and not too seldom.

#[cfg(test)]
mod tests;

use chat::{Language, Progress};
use tokio::time::{Duration, Instant};

use crate::wording::Text;

/// So long after the last event a turn is taken to be waiting.
const LONG_QUIET: Duration = Duration::from_secs(600);

/// How often the message is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Pace {
    /// How long a turn may be silent before it shows that it is there.
    pub(crate) silence: Duration,
    /// The least time between two versions.
    pub(crate) least: Duration,
    /// The most, even if only the time of a tool has changed.
    pub(crate) most: Duration,
}

/// What is known of a running turn.
#[derive(Debug)]
pub(crate) struct Live {
    pace: Pace,
    began: Instant,
    step: u32,
    text: String,
    tools: Vec<Tool>,
    finished_tools: usize,
    /// When it was shown last.
    shown: Option<Instant>,
    /// When something happened last.
    changed: Instant,
    has_changed: bool,
}

#[derive(Debug)]
struct Tool {
    id: String,
    name: String,
    began: Instant,
}

impl Live {
    pub(crate) fn new(pace: Pace, now: Instant) -> Self {
        Self {
            pace,
            began: now,
            step: 0,
            text: String::new(),
            tools: Vec::new(),
            finished_tools: 0,
            shown: None,
            changed: now,
            has_changed: false,
        }
    }

    /// Takes note of what happened.
    pub(crate) fn on(&mut self, progress: Progress, now: Instant) {
        match progress {
            Progress::TextDelta { step, text } => self.add(step, &text),
            Progress::TextReset { .. } => self.text.clear(),
            Progress::ToolStarted { id, name, .. } => self.tools.push(Tool { id, name, began: now }),
            Progress::ToolFinished { id, .. } => {
                self.tools.retain(|tool| tool.id != id);
                self.finished_tools += 1;
            }
            Progress::Notice { text } => self.add(self.step, &format!("\n\n{text}\n\n")),
            _ => return,
        }
        self.has_changed = true;
        self.changed = now;
    }

    fn add(&mut self, step: u32, text: &str) {
        // What an earlier step said beside its calls gives way to what this one says.
        if step != self.step {
            self.step = step;
            self.text.clear();
        }
        self.text += text;
    }

    /// When it is to be shown next.
    pub(crate) fn due(&self) -> Instant {
        match self.shown {
            None if self.has_changed => self.began,
            None => self.began + self.pace.silence,
            Some(shown) if self.has_changed => shown + self.pace.least,
            Some(shown) => shown + self.pace.most.max(self.patience(shown)),
        }
    }

    /// A turn in which nothing happens for very long (it waits for a person, say) is shown ever less often.
    fn patience(&self, shown: Instant) -> Duration {
        let quiet = shown.saturating_duration_since(self.changed);
        if quiet > LONG_QUIET { quiet / 4 } else { Duration::ZERO }
    }

    /// How it is shown now, in Markdown.
    pub(crate) fn show(&mut self, language: Language, now: Instant) -> String {
        self.shown = Some(now);
        self.has_changed = false;
        let mut lines = Vec::new();
        if !self.text.trim().is_empty() {
            lines.push(self.text.trim_end().to_owned());
        }
        let tools = self.tools.iter().map(|tool| {
            let seconds = now.saturating_duration_since(tool.began).as_secs();
            format!("⚙ `{}` · {seconds} s", tool.name.replace('`', "'"))
        });
        lines.extend(tools);
        if lines.is_empty() {
            let seconds = now.saturating_duration_since(self.began).as_secs();
            lines.push(format!("{} · {seconds} s", Text::Thinking.say(language)));
        }
        lines.join("\n\n")
    }

    /// How long the turn has run.
    pub(crate) fn age(&self, now: Instant) -> Duration {
        now.saturating_duration_since(self.began)
    }

    /// What is left of the message once the answer stands elsewhere.
    pub(crate) fn in_short(&self, language: Language, now: Instant) -> String {
        Text::Worked { seconds: self.age(now).as_secs(), tools: self.finished_tools }.say(language)
    }
}
