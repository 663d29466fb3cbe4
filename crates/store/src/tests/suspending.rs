//! Turns that are put off, opened again, stopped.

use tempfile::tempdir;

use super::*;
use crate::{Cancelled, RecoveredTurn, SuspendedFor};

fn suspend(ledger: &Ledger, turn: TurnId, reason: SuspendedFor) {
    write(ledger, Operation::Suspend { turn, wakes_at: 9, reason }).expect("the turn is open");
}

fn reopen(ledger: &Ledger, turn: TurnId, inbox: InboxId) -> Written {
    write(ledger, open_turn(turn, "a", &[inbox])).expect("the turn is open")
}

fn left(ledger: &Ledger) -> RecoveredTurn {
    ledger.left_open(&key("a")).expect("it can be read").turns.remove(0)
}

#[test]
fn a_pause_of_its_own_is_no_attempt_and_a_death_is_one() {
    let folder = tempdir().expect("there is room");
    let ledger = open(folder.path());
    let (inbox, turn) = accept_and_open(&ledger, "a", "1");

    suspend(&ledger, turn, SuspendedFor::Wait);
    assert_eq!(reopen(&ledger, turn, inbox), Written::Opened { attempts: 1 });
    suspend(&ledger, turn, SuspendedFor::Resumption);
    assert_eq!(reopen(&ledger, turn, inbox), Written::Opened { attempts: 2 });
    assert_eq!(reopen(&ledger, turn, inbox), Written::Opened { attempts: 3 });
}

#[test]
fn a_suspended_turn_keeps_its_messages_and_says_when_it_goes_on() {
    let folder = tempdir().expect("there is room");
    let ledger = open(folder.path());
    let (inbox, turn) = accept_and_open(&ledger, "a", "1");

    suspend(&ledger, turn, SuspendedFor::Wait);

    let left = left(&ledger);
    let suspended = left.suspended.expect("it is");
    assert_eq!((suspended.reason, suspended.wakes_at), (SuspendedFor::Wait, 9));
    assert_eq!(left.inbox.iter().map(|row| row.inbox).collect::<Vec<_>>(), [inbox]);
    assert_eq!(look::<String>(folder.path(), "SELECT state FROM inbox"), ["suspended"]);
    assert_eq!(ledger.verify().expect("it can be read").findings, []);
    let other = write(&ledger, open_turn(TurnId(turn.0 + 1), "a", &[inbox]));
    assert!(matches!(other, Err(WriteError::Conflict { .. })), "another turn may not have it: {other:?}");
}

#[test]
fn a_stop_and_the_message_that_asked_for_it_are_written_together() {
    let folder = tempdir().expect("there is room");
    let ledger = open(folder.path());
    let (_, turn) = accept_and_open(&ledger, "a", "1");
    let stop = accept(&ledger, "a", "/stop");
    assert!(!left(&ledger).stop_asked);

    let by = Some((stop, InboxEnd::Answered(Answered::Command)));
    write(&ledger, Operation::StopTurn { turn, by: by.clone() }).expect("the turn is open");

    assert!(left(&ledger).stop_asked);
    assert_eq!(write(&ledger, Operation::StopTurn { turn, by }).expect("the same again"), Written::Done);
    let other = Some((stop, InboxEnd::Cancelled(Cancelled::New)));
    assert!(write(&ledger, Operation::StopTurn { turn, by: other }).is_err());
}

#[test]
fn a_delivery_is_read_back_with_the_message_that_it_answers() {
    let folder = tempdir().expect("there is room");
    let ledger = open(folder.path());
    let (inbox, turn) = accept_and_open(&ledger, "a", "1");
    let mut end = finished(turn, "a", 0, &[inbox]);
    let reply_to = Some(MessageId("1".into()));
    end.deliveries = vec![Outbound { reply_to, ..outbound(ledger.next_delivery_id(), "a", turn) }];

    write(&ledger, Operation::FinishTurn(end)).expect("the turn is open");

    let left = ledger.left_open(&key("a")).expect("it can be read");
    assert_eq!(left.deliveries[0].answers, Some(inbound("a", "1")));
}
