//! What happened to a turn, kept for bug reports: event 0, then each input, with a hash of the effects it caused.

use chat::TurnId;
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

    fn record(&mut self, event: &impl Serialize, effects: &[Effect]) {
        let payload = match serde_json::to_string(event) {
            Ok(payload) => payload,
            Err(error) => return warn!(turn = %self.turn, %error, "an event cannot be recorded"),
        };
        let event = StoredEvent { payload, effects: effects_hash(effects) };
        let (turn, seq) = (self.turn, self.next);
        self.next += 1;
        self.ledger.write(Operation::Record { turn, seq, event }, move |written| {
            if let Err(error) = written {
                warn!(%turn, seq, %error, "an event is not on record");
            }
        });
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
