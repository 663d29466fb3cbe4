use chat::{DeliveryId, InboxId, TurnId};
use tempfile::tempdir;

use super::*;
use crate::{ReadError, StateCount};

/// Changes the ledger's file past the crate's own code.
fn tamper(folder: &Path, sql: &str) {
    let connection = Connection::open(folder.join("ledger.db")).expect("it is there");
    connection.execute_batch(&format!("PRAGMA foreign_keys = off; {sql}")).expect("the statement is right");
}

#[test]
fn what_an_earlier_process_left_open_is_found_in_its_order() {
    let folder = tempdir().expect("there is room");
    let ledger = open(folder.path());
    answer(&ledger, "a", "1");
    let (running, turn) = accept_and_open(&ledger, "a", "2");
    let waiting = accept(&ledger, "b", "3");
    drop(ledger);

    let ledger = open(folder.path());
    let recovered = ledger.recover().expect("it can be read");

    assert_eq!(recovered.turns.len(), 1);
    let left = &recovered.turns[0];
    assert_eq!((left.turn, &left.key, left.attempts), (turn, &key("a"), 1));
    assert_eq!((left.inbox[0].inbox, &left.inbox[0].inbound), (running, &inbound("a", "2")));
    assert_eq!(recovered.waiting.len(), 1);
    assert_eq!((recovered.waiting[0].inbox, &recovered.waiting[0].inbound), (waiting, &inbound("b", "3")));
    assert_eq!(recovered.deliveries.len(), 1);
}

#[test]
fn what_is_open_in_a_conversation_is_read_without_the_others() {
    let folder = tempdir().expect("there is room");
    let ledger = open(folder.path());
    answer(&ledger, "a", "1");
    let (running, turn) = accept_and_open(&ledger, "a", "2");
    let waiting = accept(&ledger, "b", "3");

    let left = |chat| ledger.left_open(&key(chat)).expect("it can be read");

    let (a, b) = (left("a"), left("b"));
    assert_eq!((a.turns.len(), a.turns[0].turn, a.turns[0].inbox[0].inbox), (1, turn, running));
    assert_eq!((a.waiting.len(), a.deliveries.len()), (0, 1));
    assert_eq!((b.turns.len(), b.waiting[0].inbox, b.deliveries.len()), (0, waiting, 0));
    assert_eq!(left("c"), crate::Recovered::default());
}

#[test]
fn a_new_process_gives_ids_that_were_never_given() {
    let folder = tempdir().expect("there is room");
    let ledger = open(folder.path());
    assert_eq!((ledger.next_turn_id(), ledger.next_delivery_id()), (TurnId(1), DeliveryId(1)));
    answer(&ledger, "a", "1");
    drop(ledger);

    let ledger = open(folder.path());

    assert_eq!((ledger.next_turn_id(), ledger.next_delivery_id()), (TurnId(3), DeliveryId(3)));
    assert_eq!(accept(&ledger, "a", "2"), InboxId(2));
}

#[test]
fn a_conversation_that_was_never_written_to_is_none() {
    let folder = tempdir().expect("there is room");

    assert_eq!(open(folder.path()).load(&key("a")).expect("it can be read"), None);
}

#[test]
fn a_gap_in_a_history_is_an_error_and_a_finding() {
    let folder = tempdir().expect("there is room");
    let ledger = open(folder.path());
    answer(&ledger, "a", "1");
    answer(&ledger, "a", "2");
    tamper(folder.path(), "DELETE FROM messages WHERE seq = 1");

    let loaded = ledger.load(&key("a"));

    assert!(matches!(loaded, Err(ReadError::Gap { seq: Seq(1), .. })));
    assert_eq!(found(&ledger)[0], "a history has a gap (conversation): 1");
}

#[test]
fn a_recount_counts_every_message_once() {
    let folder = tempdir().expect("there is room");
    let ledger = open(folder.path());
    answer(&ledger, "a", "1");
    answer(&ledger, "b", "1");
    let doubtful = accept(&ledger, "b", "2");
    let end = InboxEnd::Doubtful("not saved".into());
    write(&ledger, Operation::EndInbox { inbox: doubtful, end }).expect("it waits");
    accept(&ledger, "b", "3");

    let report = ledger.verify().expect("it can be read");

    let count = |state: &str, reason: Option<&str>, rows| StateCount {
        state: state.into(),
        reason: reason.map(str::to_owned),
        rows,
    };
    assert_eq!(
        report.inbox,
        [count("answered", Some("reply"), 2), count("doubtful", None, 1), count("waiting", None, 1)]
    );
    assert_eq!(report.findings, vec![]);
}

#[test]
fn a_recount_finds_what_must_not_be() {
    for (harm, finding) in [
        (
            "UPDATE inbox SET reason = 'bored' WHERE id = 1",
            "a message is neither open nor in one end state with a reason of that state: 1",
        ),
        (
            "UPDATE inbox SET reason = NULL WHERE id = 1",
            "a message is neither open nor in one end state with a reason of that state: 1",
        ),
        ("UPDATE inbox SET state = 'running', reason = NULL, ended_at = NULL", "a message runs in no open turn: 1"),
        ("UPDATE inbox SET joined_to = 1", "a message was joined to nothing, or without having been joined: 1"),
        ("UPDATE inbox SET reason = 'steered', turn = NULL", "a message was taken into no turn: 1"),
        ("UPDATE turns SET outcome = NULL", "a turn has ended without an outcome, or has one before its end: 1"),
        ("UPDATE deliveries SET state = 'failed'", "a delivery has failed or is doubtful without a reason: 1"),
        ("UPDATE deliveries SET turn = 9", "a row refers to one that does not exist: deliveries 1"),
    ] {
        let folder = tempdir().expect("there is room");
        let ledger = open(folder.path());
        answer(&ledger, "a", "1");

        tamper(folder.path(), harm);

        assert!(found(&ledger).iter().any(|found| found == finding), "{harm}: {:?}", found(&ledger));
    }
}

fn found(ledger: &Ledger) -> Vec<String> {
    let report = ledger.verify().expect("it can be read");
    report.findings.iter().map(|finding| format!("{}: {}", finding.what, finding.place)).collect()
}
