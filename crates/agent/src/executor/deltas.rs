//! Collects pieces of text, so that a channel is told at most [`PER_SECOND`] times a second.

use chat::Progress;
use tokio::time::{Duration, Instant};

/// How often deltas go out.
pub(super) const PER_SECOND: u32 = 20;

/// Pieces of what a model says that were not told yet.
#[derive(Default)]
pub(super) struct Deltas {
    pending: Vec<Progress>,
    last_told: Option<Instant>,
    due: bool,
}

impl Deltas {
    /// Adds a piece of text; what is of the same kind and step as the piece before it becomes one with it.
    pub(super) fn text(&mut self, step: u32, piece: String) {
        match self.pending.last_mut() {
            Some(Progress::TextDelta { step: last, text }) if *last == step => text.push_str(&piece),
            _ => self.pending.push(Progress::TextDelta { step, text: piece }),
        }
    }

    /// Adds a piece of thinking.
    pub(super) fn reasoning(&mut self, step: u32, piece: String) {
        match self.pending.last_mut() {
            Some(Progress::ReasoningDelta { step: last, text }) if *last == step => text.push_str(&piece),
            _ => self.pending.push(Progress::ReasoningDelta { step, text: piece }),
        }
    }

    /// After what pause the pieces are to be told; `None` where that was asked before.
    pub(super) fn due_in(&mut self) -> Option<Duration> {
        if self.pending.is_empty() || std::mem::replace(&mut self.due, true) {
            return None;
        }
        let interval = Duration::from_secs(1) / PER_SECOND;
        Some(self.last_told.map_or(Duration::ZERO, |last| interval.saturating_sub(last.elapsed())))
    }

    /// Takes what is to be told.
    pub(super) fn take(&mut self) -> Vec<Progress> {
        self.due = false;
        if !self.pending.is_empty() {
            self.last_told = Some(Instant::now());
        }
        std::mem::take(&mut self.pending)
    }
}
