//! What happened to a turn: event 0, then each input, with a hash of the effects it caused. A turn whose program ended goes on from
//! there, and bug reports quote it.

use chat::{InboxId, TurnId};
use serde::Serialize;
use store::{Ledger, Operation, StoredEvent};
use tracing::warn;
use turn::{Effect, Input, Journal, Start, Turn, effects_hash};

/// Records one turn.
pub(crate) struct Recorder {
    ledger: Ledger,
    turn: TurnId,
    next: u32,
}

/// A record that cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum RecordError {
    /// There is nothing.
    #[error("the record is empty")]
    Empty,
    /// An event is not what this version writes.
    #[error("event {at} of the record cannot be read")]
    Unreadable {
        /// Which.
        at: usize,
        /// Why.
        source: serde_json::Error,
    },
}

impl Recorder {
    pub(crate) fn new(ledger: Ledger, turn: TurnId) -> Self {
        Self { ledger, turn, next: 0 }
    }

    /// Goes on with a record whose next event has this place.
    pub(crate) fn from(mut self, next: u32) -> Self {
        self.next = next;
        self
    }

    pub(crate) fn started(&mut self, start: &Start, effects: &[Effect]) {
        self.record(start, effects);
    }

    /// Feeds an input to the machine and records both.
    pub(crate) fn input(&mut self, turn: &mut Turn, input: Input) -> Vec<Effect> {
        let payload = input.clone();
        let effects = turn.on(input);
        self.record(&payload, &effects);
        effects
    }

    /// Records that a call starts, which causes nothing; `done` is told when that is safe on disk, or is not.
    pub(crate) fn call_starts(&mut self, turn: &mut Turn, call: &str, done: impl FnOnce(bool) + Send + 'static) {
        let input = Input::ToolStarted { call: call.to_owned() };
        let effects = turn.on(input.clone());
        self.write(&input, &effects, true, done);
    }

    fn record(&mut self, event: &impl Serialize, effects: &[Effect]) {
        self.write(event, effects, false, |_| ());
    }

    fn write(
        &mut self,
        event: &impl Serialize,
        effects: &[Effect],
        sync: bool,
        done: impl FnOnce(bool) + Send + 'static,
    ) {
        let (turn, seq) = (self.turn, self.next);
        let payload = match serde_json::to_string(event) {
            Ok(payload) => payload,
            Err(error) => {
                warn!(%turn, %error, "an event cannot be recorded");
                return done(false);
            }
        };
        let event = StoredEvent { payload, effects: effects_hash(effects) };
        self.next += 1;
        self.ledger.write(Operation::Record { turn, seq, event, sync }, move |written| {
            if let Err(error) = &written {
                warn!(%turn, seq, %error, "an event is not on record");
            }
            done(written.is_ok());
        });
    }
}

/// A record from which a turn is to go on.
pub(crate) struct Record {
    /// What can be read of it.
    pub(crate) journal: Journal,
    /// Whether that is all of it.
    pub(crate) is_whole: bool,
}

impl Record {
    /// Reads what can be read; nothing where not even a start can. What cannot was written by another version: it is left out.
    pub(crate) fn read(events: &[StoredEvent]) -> Option<Self> {
        let is_start = |event: &StoredEvent| serde_json::from_str::<Start>(&event.payload).ok();
        let (at, start) = events.iter().enumerate().find_map(|(at, event)| Some((at, is_start(event)?)))?;
        let read = |event: &StoredEvent| Some((serde_json::from_str(&event.payload).ok()?, event.effects));
        let inputs: Vec<_> = events[at + 1..].iter().filter_map(read).collect();
        let is_whole = inputs.len() + 1 == events.len();
        Some(Self { journal: Journal { start, first: events[at].effects, inputs }, is_whole })
    }

    /// The messages that were added to the turn while it ran.
    pub(crate) fn steered(&self) -> Vec<InboxId> {
        let steered = self.journal.inputs.iter().filter_map(|(input, _)| match input {
            Input::Steered { inbox, .. } => Some(inbox),
            _ => None,
        });
        steered.flatten().copied().collect()
    }
}

/// Reads a record.
///
/// # Errors
///
/// When it is empty, or an event in it is not what this version writes.
pub fn journal_of(events: &[StoredEvent]) -> Result<Journal, RecordError> {
    let (first, inputs) = events.split_first().ok_or(RecordError::Empty)?;
    let start = serde_json::from_str(&first.payload).map_err(|source| RecordError::Unreadable { at: 0, source })?;
    let inputs = (1..).zip(inputs).map(|(at, event)| {
        let input = serde_json::from_str(&event.payload);
        input.map(|input| (input, event.effects)).map_err(|source| RecordError::Unreadable { at, source })
    });
    Ok(Journal { start, first: first.effects, inputs: inputs.collect::<Result<_, _>>()? })
}
