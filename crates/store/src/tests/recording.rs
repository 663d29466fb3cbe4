//! What happened to turns, and ledgers from before it was kept.

use std::os::unix::fs::PermissionsExt;

use tempfile::tempdir;

use super::*;
use crate::{StoredEvent, schema};

fn event(number: u64) -> StoredEvent {
    // A hash may have its highest bit set.
    StoredEvent { payload: format!("{{\"event\":{number}}}"), effects: u64::MAX - number }
}

fn record(ledger: &Ledger, turn: TurnId, seq: u32) {
    let operation = Operation::Record { turn, seq, event: event(u64::from(seq)), sync: false };
    write(ledger, operation).expect("the turn is open");
}

#[test]
fn what_happened_to_a_turn_is_read_back_in_order() {
    let folder = tempdir().expect("there is room");
    let ledger = open(folder.path());
    let (_, turn) = accept_and_open(&ledger, "a", "1");

    for seq in 0..3 {
        record(&ledger, turn, seq);
    }
    drop(ledger);

    let reader = Ledger::open_read_only(folder.path()).expect("it is there");
    assert_eq!(reader.turn_events(turn).expect("it can be read"), [event(0), event(1), event(2)]);
    assert_eq!(reader.turn_events(TurnId(turn.0 + 1)).expect("it can be read"), []);
}

#[test]
fn a_turn_that_does_not_exist_cannot_be_recorded() {
    let folder = tempdir().expect("there is room");
    let ledger = open(folder.path());

    let written = write(&ledger, Operation::Record { turn: TurnId(7), seq: 0, event: event(0), sync: false });

    assert!(written.is_err(), "{written:?}");
}

#[test]
fn what_happened_to_old_turns_is_forgotten() {
    let folder = tempdir().expect("there is room");
    let ledger = open(folder.path());
    let (question, old) = accept_and_open(&ledger, "a", "1");
    record(&ledger, old, 0);
    write(&ledger, Operation::FinishTurn(finished(old, "a", 0, &[question]))).expect("it is open");
    let (_, open) = accept_and_open(&ledger, "a", "2");
    record(&ledger, open, 0);
    let inbox = accept(&ledger, "b", "3");
    let new = TurnId(open.0 + 1_000);
    write(&ledger, open_turn(new, "b", &[inbox])).expect("the message waits");

    record(&ledger, new, 0);

    assert_eq!(ledger.turn_events(old).expect("it can be read"), []);
    assert_eq!(ledger.turn_events(open).expect("it can be read").len(), 1, "it has not ended");
    assert_eq!(ledger.turn_events(new).expect("it can be read").len(), 1);
}

#[test]
fn a_ledger_of_the_first_version_is_brought_up_to_date_with_all_it_holds() {
    let folder = tempdir().expect("there is room");
    let file = folder.path().join("ledger.db");
    let mut connection = Connection::open(&file).expect("there is room");
    connection.pragma_update(None, "application_id", schema::APPLICATION_ID).expect("it can be written");
    schema::migrate(&mut connection, &schema::MIGRATIONS[..1]).expect("it is empty");
    let said = "INSERT INTO conversations (key, last_active) VALUES ('terminal/local/a//', 5)";
    connection.execute(said, []).expect("the first version had it");
    drop(connection);

    let ledger = open(folder.path());

    assert_eq!(ledger.load(&key("a")).expect("it can be read").map(|stored| stored.last_active), Some(5));
    let copy = folder.path().join("ledger.v1.db");
    let kept: i64 = Connection::open(&copy)
        .and_then(|copy| copy.query_row("SELECT count(*) FROM conversations", [], |row| row.get(0)))
        .expect("a copy of the older one was kept");
    assert_eq!((kept, fs::metadata(&copy).expect("it is there").permissions().mode() & 0o777), (1, 0o600));
    let (_, turn) = accept_and_open(&ledger, "a", "1");
    record(&ledger, turn, 0);
}
