//! Collects pieces of text, so that a channel is told at most [`PER_SECOND`] times a second, and of no secret.

use chat::Progress;
use tokio::time::{Duration, Instant};
use tools::redact::{Redactor, Secrets};

/// How often deltas go out.
pub(super) const PER_SECOND: u32 = 20;

/// Pieces of what a model says that were not told yet.
#[derive(Default)]
pub(super) struct Deltas {
    secrets: Secrets,
    open: Option<(Kind, Redactor)>,
    pending: Vec<Progress>,
    last_told: Option<Instant>,
    due: bool,
}

/// What a piece belongs to.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Text { step: u32 },
    Reasoning { step: u32 },
}

impl Deltas {
    pub(super) fn new(secrets: Secrets) -> Self {
        Self { secrets, ..Self::default() }
    }

    /// Adds a piece of text.
    pub(super) fn text(&mut self, step: u32, piece: &str) {
        self.add(Kind::Text { step }, piece);
    }

    /// Adds a piece of thinking.
    pub(super) fn reasoning(&mut self, step: u32, piece: &str) {
        self.add(Kind::Reasoning { step }, piece);
    }

    /// What is of another kind or step than the piece before it ends that one's text.
    fn add(&mut self, kind: Kind, piece: &str) {
        if self.open.as_ref().is_none_or(|(open, _)| *open != kind) {
            self.finish();
            self.open = Some((kind, Redactor::new(self.secrets.clone())));
        }
        if let Some((_, redactor)) = &mut self.open {
            let shown = redactor.push(piece);
            self.queue(kind, shown);
        }
    }

    /// The text is whole: what was held back of it, as it might have become a secret, can be told.
    pub(super) fn finish(&mut self) {
        if let Some((kind, mut redactor)) = self.open.take() {
            self.queue(kind, redactor.finish());
        }
    }

    /// The text is void: what was held back of it is dropped.
    pub(super) fn discard(&mut self) {
        self.open = None;
    }

    fn queue(&mut self, kind: Kind, piece: String) {
        if piece.is_empty() {
            return;
        }
        match (self.pending.last_mut(), kind) {
            (Some(Progress::TextDelta { step: last, text }), Kind::Text { step })
            | (Some(Progress::ReasoningDelta { step: last, text }), Kind::Reasoning { step })
                if *last == step =>
            {
                text.push_str(&piece);
            }
            (_, Kind::Text { step }) => self.pending.push(Progress::TextDelta { step, text: piece }),
            (_, Kind::Reasoning { step }) => self.pending.push(Progress::ReasoningDelta { step, text: piece }),
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
