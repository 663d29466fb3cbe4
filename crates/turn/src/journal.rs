//! Recording a turn and running it again.

use serde::{Deserialize, Serialize};

use crate::{Effect, Input, Start, Turn, VERSION, effects_hash};

/// A turn as it was recorded: what it started from, and what happened to it, each with a hash of the effects that it caused.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Journal {
    /// Event 0.
    pub start: Start,
    /// The hash of the effects that the start caused.
    pub first: u64,
    /// The inputs in order, each with the hash of its effects.
    pub inputs: Vec<(Input, u64)>,
}

impl Journal {
    /// Begins the record of a turn.
    #[must_use]
    pub fn new(start: Start, effects: &[Effect]) -> Self {
        Self { start, first: effects_hash(effects), inputs: Vec::new() }
    }

    /// Adds what happened and what it caused.
    pub fn push(&mut self, input: Input, effects: &[Effect]) {
        self.inputs.push((input, effects_hash(effects)));
    }
}

/// A turn that was run again.
#[derive(Clone, Debug)]
pub struct Replay {
    /// The turn as it stands after the last input.
    pub turn: Turn,
    /// How many model calls it took.
    pub steps: u32,
    /// The first event whose effects are not those on record: 0 is the start, 1 the first input.
    pub differs_at: Option<usize>,
    /// Whether what is on record, from where it was resumed last, is what this machine decides: then it goes on as if nothing had
    /// happened. Else it is to be given [`Input::Resumed`].
    pub is_faithful: bool,
    /// What the last event caused: what is left to do.
    pub last_effects: Vec<Effect>,
}

/// Runs a turn again. It never fails: from the first difference on (another version of the machine may decide otherwise) what
/// is on record leads, so that all pairs on record stay.
#[must_use]
pub fn replay(journal: &Journal) -> Replay {
    let (mut turn, mut last_effects) = Turn::start(journal.start.clone());
    let mut differs_at = (effects_hash(&last_effects) != journal.first).then_some(0);
    let (mut differs, mut version) = (differs_at.is_some(), journal.start.version);
    for (at, (input, hash)) in journal.inputs.iter().enumerate() {
        if differs {
            turn.make_way_for(input);
        }
        if let Input::Resumed { version: resumed, .. } = input {
            (differs, version) = (false, *resumed);
        }
        last_effects = turn.on(input.clone());
        if !differs && effects_hash(&last_effects) != *hash {
            differs = true;
            differs_at.get_or_insert(at + 1);
        }
    }
    Replay { steps: turn.steps(), turn, differs_at, is_faithful: !differs && version == VERSION, last_effects }
}
