//! Renderers, driven by what a conversation tells.

mod json;
mod plain;
mod rich;
mod screen;

use chat::{Language, Outcome, OutcomeKind, OutgoingFile, Progress, TurnError, TurnId};
use serde_json::Value;
use tokio::time::{Duration, Instant};

use super::*;
use crate::terminal::turns::Turns;

const TURN: TurnId = TurnId(7);

/// A renderer, and what it has written.
struct Shown {
    turns: Turns,
    renderer: Renderer,
    now: Instant,
    written: Written,
}

impl Shown {
    fn with(change: impl FnOnce(&mut Manner)) -> Self {
        let mut manner = Manner {
            output: Output::Rich,
            look: Look { styled: false, moves: true },
            language: Language::English,
            stdout_is_terminal: true,
            is_typed: true,
            is_once: false,
        };
        change(&mut manner);
        let renderer = Renderer::new(manner);
        Self { turns: Turns::default(), renderer, now: Instant::now(), written: Written::default() }
    }

    fn to_pipe(output: Output) -> Self {
        Self::with(|manner| {
            manner.output = output;
            manner.stdout_is_terminal = false;
        })
    }

    fn event(mut self, event: &Event) -> Self {
        let around = self.around();
        self.renderer.event(event, around, &mut self.written);
        self
    }

    fn progress(mut self, progress: Progress) -> Self {
        match self.turns.progress(TURN, progress) {
            Some(event) => self.event(&event),
            None => self,
        }
    }

    fn started(self) -> Self {
        self.progress(Progress::TurnStarted { message: "hi".into() }).step(1)
    }

    fn step(self, step: u32) -> Self {
        self.progress(Progress::StepStarted { step })
    }

    fn says(self, step: u32, text: &str) -> Self {
        self.progress(Progress::TextDelta { step, text: text.into() })
    }

    fn thinks(self, text: &str) -> Self {
        self.progress(Progress::ReasoningDelta { step: 1, text: text.into() })
    }

    fn resets(self, step: u32) -> Self {
        self.progress(Progress::TextReset { step })
    }

    fn runs(self, id: &str, command: &str) -> Self {
        let arguments = serde_json::json!({ "command": command }).as_object().cloned();
        self.progress(Progress::ToolStarted { id: id.into(), name: "bash".into(), arguments })
    }

    fn puts_out(self, id: &str, text: &str) -> Self {
        self.progress(Progress::ToolProgress { id: id.into(), text: text.into() })
    }

    fn ran(self, id: &str, ms: u64) -> Self {
        self.ran_showing(id, ms, None)
    }

    fn ran_showing(self, id: &str, ms: u64, display: Option<&str>) -> Self {
        let display = display.map(String::from);
        self.progress(Progress::ToolFinished { id: id.into(), name: "bash".into(), is_error: false, ms, display })
    }

    fn ends(mut self, kind: OutcomeKind, text: &str) -> Self {
        let error = TurnError { class: "auth".into(), message: "wrong key".into() };
        let error = (kind == OutcomeKind::Failed).then_some(error);
        let outcome = Outcome { kind, text: text.into(), steps: 1, usage: None, error, files: Vec::new() };
        for event in self.turns.finished(TURN, outcome, None) {
            self = self.event(&event);
        }
        self
    }

    /// Ends with an answer and a file.
    fn answers_with_file(mut self, text: &str) -> Self {
        let file = OutgoingFile {
            path: "/data/blobs/1.pdf".into(),
            name: "re\x1bport.pdf".into(),
            media_type: "application/pdf".into(),
            bytes: 1_536,
            caption: Some("as you wished".into()),
        };
        let (kind, files) = (OutcomeKind::Answered, vec![file]);
        let outcome = Outcome { kind, text: text.into(), steps: 1, usage: None, error: None, files };
        for event in self.turns.finished(TURN, outcome, None) {
            self = self.event(&event);
        }
        self
    }

    fn answers(self, text: &str) -> Self {
        self.ends(OutcomeKind::Answered, text)
    }

    fn after(mut self, ms: u64) -> Self {
        self.now += Duration::from_millis(ms);
        let around = self.around();
        self.renderer.tick(around, &mut self.written);
        self
    }

    /// The person types a line, which the terminal echoes.
    fn typed(mut self, line: &str) -> Self {
        let around = self.around();
        self.written.out.push_str(&format!("{line}\n"));
        self.renderer.typed(line, around, &mut self.written);
        self
    }

    fn around(&self) -> Surroundings {
        Surroundings { now: self.now, width: 40 }
    }

    fn objects(&self) -> Vec<Value> {
        self.written.out.lines().map(|line| serde_json::from_str(line).expect("each line is an object")).collect()
    }
}
