//! What the tools that read and write share: where they may go, and what each conversation knows.

use rustix::fs::Stat;

use crate::ToolContext;
use crate::files::{Places, Seen, Spot};

/// Where tools may go, and what each conversation last saw there.
#[derive(Clone, Debug)]
pub(super) struct Known {
    pub(super) places: Places,
    seen: Seen,
}

impl Known {
    pub(super) fn new(places: Places) -> Self {
        Self { places, seen: Seen::default() }
    }

    /// The conversation knows the file as it is now.
    pub(super) fn note(&self, spot: &Spot, found: &Stat, context: &ToolContext) {
        self.seen.note(&context.conversation, &spot.real(), found);
    }

    /// Whether something else has changed a file since the conversation last saw it.
    pub(super) fn has_changed(&self, spot: &Spot, context: &ToolContext) -> bool {
        spot.found().is_some_and(|found| self.seen.has_changed(&context.conversation, &spot.real(), found))
    }
}
