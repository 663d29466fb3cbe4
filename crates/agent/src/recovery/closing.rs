//! Giving up a turn that cannot go on: what is on its record enters the history, closed by what the person is told.

use chat::{Language, TurnError};
use store::{Cancelled, InboxEnd, Refused};
use tracing::error;
use turn::{Interrupted, Turn};

use super::Journal;
use crate::executor::TurnReport;
use crate::recording::Record;
use crate::wording;

/// Why a turn is given up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Closing {
    /// It brought down every attempt at it.
    SetAside,
    /// It waited too long.
    Expired,
}

impl Closing {
    /// How its message ends.
    pub(crate) fn end(self) -> InboxEnd {
        match self {
            Self::SetAside => InboxEnd::Refused(Refused::SetAside),
            Self::Expired => InboxEnd::Cancelled(Cancelled::Expired),
        }
    }

    /// What the person is told.
    pub(crate) fn reason(self, language: Language) -> TurnError {
        let (class, message) = match self {
            Self::SetAside => ("set_aside", wording::set_aside(language)),
            Self::Expired => ("expired", wording::expired(language)),
        };
        TurnError { class: class.to_owned(), message }
    }
}

/// The report of a turn that is given up; `without_record` where its record tells nothing. Running the record again may be just what
/// brings the program down, so it happens apart.
pub(crate) async fn close(journal: Journal, reason: TurnError, without_record: TurnReport) -> TurnReport {
    let replayed = tokio::task::spawn_blocking(move || {
        let record = Record::read(&journal.events)?;
        Some(turn::replay(&record.journal).turn)
    });
    match replayed.await {
        Ok(Some(turn)) => closed(turn, reason, without_record),
        Ok(None) => without_record,
        Err(failure) => {
            error!(turn = %without_record.turn, %failure, "the record of a turn cannot be run again");
            without_record
        }
    }
}

fn closed(mut turn: Turn, reason: TurnError, without_record: TurnReport) -> TurnReport {
    // The answer is there, only its end could not be written.
    let end = if turn.is_finished() { None } else { without_record.end.clone() };
    let mut outcome = turn.close(Interrupted { reason: reason.message.clone() });
    if let Some(error) = &mut outcome.error {
        error.class = reason.class;
    }
    TurnReport {
        outcome,
        messages: turn.messages_for_history(),
        consumed: turn.consumed().to_vec(),
        end,
        ..without_record
    }
}
