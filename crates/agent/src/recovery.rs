//! What a conversation starts with: its history, and what an earlier process or actor left open.
//!
//! A turn without an end is resumed from its record. Messages that wait are worked on, and answers that did not go out are handed
//! over again.

mod closing;

use std::collections::HashSet;
use std::sync::Arc;

use chat::{Command, ConversationKey, History, InboxId, Outbound, OutboundBody, Outcome, OutcomeKind, View};
use chat::{TurnError, TurnId, command::Parsed};
use jiff::{Timestamp, ZonedDateTime};
use store::{
    Answered, FinishedTurn, InboxEnd, Ledger, Operation, ReadError, Recovered, RecoveredTurn, StoredEvent,
    StoredInbound, Suspended, SuspendedFor, UnsentDelivery,
};
use tokio::time::Duration;
use tracing::{error, info, warn};

pub(crate) use self::closing::{Closing, close};
use crate::Settings;
use crate::incoming::Incoming;
use crate::intake;
use crate::recording::Record;
use crate::services::Services;
use crate::wording;

/// How often a turn is tried.
pub(crate) const MOST_ATTEMPTS: u32 = 3;

/// What a conversation starts with.
pub(crate) struct Loaded {
    pub(crate) history: History,
    pub(crate) view: View,
    pub(crate) open: Vec<LeftOpen>,
    pub(crate) waiting: Vec<Incoming>,
    pub(crate) undelivered: Vec<Outbound>,
}

/// A turn that has not ended.
#[derive(Clone, Debug)]
pub(crate) struct LeftOpen {
    pub(crate) turn: TurnId,
    /// How often it was opened.
    pub(crate) attempts: u32,
    /// The message that it answers.
    pub(crate) incoming: Incoming,
    /// The messages that were added to it while it ran.
    pub(crate) added: Vec<Incoming>,
    /// What is to be done about it.
    pub(crate) next: Next,
}

/// What is to be done about a turn that has not ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Next {
    /// It goes on after this pause, of which the ledger does not know yet.
    Suspend(Duration),
    /// It was suspended, and goes on after what is left of that.
    Wake(Duration, SuspendedFor),
    /// A person wanted it to end.
    Stop,
    /// It is given up.
    Close(Closing),
}

/// How long a turn waits after this many attempts.
pub(crate) fn pause_after(attempts: u32, settings: &Settings) -> Duration {
    Duration::from_millis(if attempts <= 1 { settings.resume_after_ms } else { settings.resume_again_after_ms })
}

/// What a turn goes on from.
pub(crate) struct Journal {
    pub(crate) events: Vec<StoredEvent>,
    /// The place of the next event.
    pub(crate) next: u32,
}

/// Reads the record of an open turn, after all that was written for it so far.
pub(crate) async fn journal(ledger: &Ledger, key: &ConversationKey, turn: TurnId) -> Result<Journal, String> {
    ledger.flushed().await.map_err(|error| error.to_string())?;
    let key = key.clone();
    in_background(ledger, move |ledger| {
        let open = ledger.left_open(&key)?.turns.into_iter().find(|open| open.turn == turn);
        let Some(open) = open else { return Ok(Journal { events: Vec::new(), next: 0 }) };
        Ok(Journal { events: ledger.turn_events(turn)?, next: open.next_event })
    })
    .await
}

/// Reads a conversation, after all that was written for it so far.
pub(crate) async fn load(services: Arc<Services>, key: ConversationKey) -> Result<Box<Loaded>, String> {
    let ledger = &services.ledger;
    ledger.flushed().await.map_err(|error| error.to_string())?;
    let mut read = read(ledger, &key).await?;
    let (with_message, without): (Vec<_>, Vec<_>) = read.left.turns.drain(..).partition(|turn| !turn.inbox.is_empty());
    for turn in without {
        error!(%key, turn = %turn.turn, "a turn was left open without a message; it ends");
        end_without_message(ledger, &key, &turn, &read).await?;
    }
    read.left.deliveries.iter_mut().for_each(mark_as_perhaps_shown);
    let mut open = Vec::new();
    for turn in with_message {
        let record = in_background(ledger, move |ledger| ledger.turn_events(turn.turn)).await?;
        let added = Record::read(&record).map(|record| record.steered()).unwrap_or_default();
        open.extend(left_open(turn, &added, &mut read.left.waiting, &services));
    }
    Ok(Box::new(loaded(read, open, ledger)))
}

/// The conversations in which something is open.
pub(crate) async fn with_open_work(ledger: &Ledger) -> Result<Vec<ConversationKey>, String> {
    ledger.flushed().await.map_err(|error| error.to_string())?;
    in_background(ledger, |ledger| ledger.with_open_work()).await
}

struct Read {
    left: Recovered,
    history: History,
    view: View,
}

async fn in_background<T: Send + 'static>(
    ledger: &Ledger,
    read: impl FnOnce(Ledger) -> Result<T, ReadError> + Send + 'static,
) -> Result<T, String> {
    let ledger = ledger.clone();
    let read = tokio::task::spawn_blocking(move || read(ledger));
    read.await.map_err(|error| error.to_string())?.map_err(|error| error.to_string())
}

async fn read(ledger: &Ledger, key: &ConversationKey) -> Result<Read, String> {
    let wanted = key.clone();
    let read = in_background(ledger, move |reader| Ok((reader.load(&wanted)?, reader.left_open(&wanted)?)));
    let (stored, left) = read.await?;
    let Some(stored) = stored else { return Ok(Read { left, history: History::default(), view: View::default() }) };
    let history =
        History::from_messages(stored.messages).map_err(|error| format!("its history is damaged: {error}"))?;
    Ok(Read { left, history, view: stored.view })
}

fn loaded(read: Read, open: Vec<LeftOpen>, ledger: &Ledger) -> Loaded {
    let Read { left, history, view } = read;
    if !open.is_empty() || !left.waiting.is_empty() || !left.deliveries.is_empty() {
        let (waiting, undelivered) = (left.waiting.len(), left.deliveries.len());
        info!(turns = open.len(), waiting, undelivered, "taking up what was left open");
    }
    Loaded {
        history,
        view,
        open,
        waiting: left.waiting.into_iter().filter_map(|stored| incoming(stored, ledger)).collect(),
        undelivered: left.deliveries.into_iter().map(|unsent| unsent.outbound).collect(),
    }
}

/// A turn that goes on; what was added to it is taken out of what waits.
fn left_open(
    turn: RecoveredTurn,
    added: &[InboxId],
    waiting: &mut Vec<StoredInbound>,
    services: &Services,
) -> Option<LeftOpen> {
    let next = next(&turn, &services.settings, Timestamp::now().as_millisecond());
    warn!(turn = %turn.turn, attempts = turn.attempts, ?next, "a turn was left open");
    let ids: HashSet<InboxId> = added.iter().copied().collect();
    let (added, others) = waiting.drain(..).partition(|stored| ids.contains(&stored.inbox));
    *waiting = others;
    let added: Vec<StoredInbound> = added;
    let ledger = &services.ledger;
    let incoming_of = |stored: StoredInbound| incoming(stored, ledger);
    let RecoveredTurn { turn, attempts, inbox, .. } = turn;
    let answers = inbox.into_iter().next()?;
    let at = ZonedDateTime::now();
    let answers = Incoming { inbox: answers.inbox, inbound: answers.inbound, command: None, at, is_recovered: true };
    Some(LeftOpen {
        turn,
        attempts,
        incoming: answers,
        added: added.into_iter().filter_map(incoming_of).collect(),
        next,
    })
}

fn next(turn: &RecoveredTurn, settings: &Settings, now: i64) -> Next {
    let after = |until: i64| Duration::from_millis(u64::try_from(until - now).unwrap_or(0));
    let longest = i64::try_from(settings.expire_after_s).unwrap_or(i64::MAX).saturating_mul(1_000);
    match turn.suspended {
        None if turn.attempts >= MOST_ATTEMPTS => Next::Close(Closing::SetAside),
        _ if turn.stop_asked => Next::Stop,
        Some(Suspended { since, .. }) if now.saturating_sub(since) > longest => Next::Close(Closing::Expired),
        Some(Suspended { wakes_at, reason, .. }) => Next::Wake(after(wakes_at), reason),
        None => Next::Suspend(pause_after(turn.attempts, settings)),
    }
}

/// A message that waits. One that intake answers is none: whether it did, or the process ended before, it must not reach a model.
fn incoming(stored: StoredInbound, ledger: &Ledger) -> Option<Incoming> {
    let command = match Command::parse(&stored.inbound.text) {
        Parsed::Text if !intake::answers(&stored.inbound.text) => None,
        Parsed::Command(command) => Some(command),
        Parsed::Text | Parsed::Unknown { .. } | Parsed::Reserved(_) => {
            // Intake may have ended it by now.
            ledger.write(Operation::EndInbox { inbox: stored.inbox, end: InboxEnd::Answered(Answered::Command) }, drop);
            return None;
        }
    };
    let StoredInbound { inbox, mut inbound } = stored;
    if let Some(Command::Steer(text)) = &command {
        inbound.text.clone_from(text);
    }
    Some(Incoming { inbox, inbound, command, at: ZonedDateTime::now(), is_recovered: true })
}

/// That an answer is out is written behind it, so one that was not yet known to be out may have been shown.
fn mark_as_perhaps_shown(unsent: &mut UnsentDelivery) {
    let language = unsent.answers.as_ref().map(|answered| answered.person.language).unwrap_or_default();
    if let OutboundBody::TurnFinished { outcome, .. } = &mut unsent.outbound.body {
        outcome.text = wording::perhaps_repeated(language, &outcome.text);
    }
}

/// Ends a turn that answers nobody.
async fn end_without_message(
    ledger: &Ledger,
    key: &ConversationKey,
    turn: &RecoveredTurn,
    read: &Read,
) -> Result<(), String> {
    let message = wording::interrupted(chat::Language::default());
    let error = TurnError { class: "interrupted".to_owned(), message };
    let outcome = Outcome {
        kind: OutcomeKind::Failed,
        text: String::new(),
        steps: 0,
        usage: None,
        error: Some(error),
        files: Vec::new(),
    };
    let finished = FinishedTurn {
        turn: turn.turn,
        key: key.clone(),
        outcome,
        first_seq: read.history.next_seq(),
        messages: Vec::new(),
        view: read.view.clone(),
        ends: Vec::new(),
        deliveries: Vec::new(),
    };
    ledger.written(Operation::FinishTurn(finished)).await.map(drop).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use chat::ChannelName;

    use super::*;

    fn turn(attempts: u32, stop_asked: bool, suspended: Option<Suspended>) -> RecoveredTurn {
        let key = ConversationKey {
            channel: ChannelName("somewhere".into()),
            bot: "b".into(),
            chat: "c".into(),
            thread: None,
            person: None,
        };
        RecoveredTurn { turn: TurnId(1), key, attempts, inbox: Vec::new(), stop_asked, suspended, next_event: 0 }
    }

    fn next_of(attempts: u32, stop_asked: bool, suspended: Option<Suspended>) -> Next {
        next(&turn(attempts, stop_asked, suspended), &Settings::default(), 100_000_000)
    }

    fn until(wakes_at: i64, since: i64) -> Option<Suspended> {
        Some(Suspended { reason: SuspendedFor::Wait, since, wakes_at })
    }

    #[test]
    fn the_first_death_costs_a_second_the_second_ten_and_the_third_is_the_last() {
        let deaths = [1, 2, 3, 4].map(|attempts| next_of(attempts, false, None));

        let set_aside = Next::Close(Closing::SetAside);
        let expected = [1, 10].map(|seconds| Next::Suspend(Duration::from_secs(seconds)));
        assert_eq!(deaths, [expected[0], expected[1], set_aside, set_aside]);
    }

    #[test]
    fn a_suspended_turn_waits_for_what_is_left_of_its_pause() {
        let left = next_of(3, false, until(100_000_500, 99_000_000));
        let late = next_of(3, false, until(99_999_999, 99_000_000));

        assert_eq!(left, Next::Wake(Duration::from_millis(500), SuspendedFor::Wait));
        assert_eq!(late, Next::Wake(Duration::ZERO, SuspendedFor::Wait));
    }

    #[test]
    fn a_turn_that_is_suspended_for_more_than_a_day_expires() {
        assert_eq!(next_of(1, false, until(100_000_500, 1_000)), Next::Close(Closing::Expired));
    }

    #[test]
    fn a_stop_holds_unless_not_even_stopping_worked() {
        assert_eq!(next_of(1, true, None), Next::Stop);
        assert_eq!(next_of(1, true, until(100_000_500, 1_000)), Next::Stop);
        assert_eq!(next_of(3, true, None), Next::Close(Closing::SetAside));
    }
}
