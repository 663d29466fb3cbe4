//! What a recount finds in ledgers that somebody else has changed.

use tempfile::tempdir;

use super::*;

/// What a recount of a ledger says after these statements, which go past the crate's own code.
fn findings(changes: &str) -> Vec<String> {
    let folder = tempdir().expect("there is room");
    let ledger = open(folder.path());
    answer(&ledger, "a", "1");
    accept_and_open(&ledger, "a", "2");
    drop(ledger);
    let connection = Connection::open(folder.path().join("ledger.db")).expect("it is there");
    connection.execute_batch(changes).expect("the statements are right");
    drop(connection);
    let report = Ledger::open_read_only(folder.path()).expect("it is there").verify().expect("it can be read");
    report.findings.into_iter().map(|finding| finding.what).collect()
}

fn finds(changes: &str, what: &str) {
    let found = findings(changes);
    assert!(found.iter().any(|found| found.contains(what)), "{what} is not in {found:?} after {changes}");
}

#[test]
fn a_sound_ledger_has_no_findings() {
    assert_eq!(findings(""), Vec::<String>::new());
}

#[test]
fn what_must_not_be_is_found() {
    let call = r#"[{"type":"tool_use","id":"x","name":"look","input":{}}]"#;
    let result = r#"[{"type":"tool_result","tool_use_id":"x","content":"","is_error":false}]"#;
    for (changes, what) in [
        ("UPDATE inbox SET state = 'lost' WHERE id = 1", "neither open nor in one end state"),
        ("UPDATE inbox SET reason = 'because' WHERE id = 1", "neither open nor in one end state"),
        ("UPDATE turns SET state = 'suspended' WHERE id = 2", "does not say until when"),
        ("UPDATE inbox SET state = 'suspended' WHERE id = 2", "runs in no open turn"),
        ("UPDATE turns SET wakes_at = 5 WHERE id = 2", "does not say until when"),
        (&format!("UPDATE messages SET blocks = '{call}' WHERE seq = 1"), "has not exactly one result"),
        (&format!("UPDATE messages SET blocks = '{result}' WHERE seq = 0"), "has not exactly one call"),
        ("UPDATE messages SET role = 'assistant' WHERE seq = 0", "do not begin with the person's"),
        ("INSERT INTO turn_events (turn, seq, payload, effects) VALUES (2, 1, '{}', 0)", "has a gap"),
        ("UPDATE deliveries SET state = 'gone'", "no known state"),
    ] {
        finds(changes, what);
    }
}

#[test]
fn at_rest_what_is_open_needs_a_time_at_which_it_goes_on() {
    let folder = tempdir().expect("there is room");
    let ledger = open(folder.path());
    let (_, turn) = accept_and_open(&ledger, "a", "1");
    accept(&ledger, "a", "2");
    let at_rest = || {
        let reader = Ledger::open_read_only(folder.path()).expect("it is there");
        let report = reader.verify_at_rest().expect("it can be read");
        report.findings.into_iter().map(|finding| finding.what).collect::<Vec<_>>()
    };
    assert_eq!(at_rest().len(), 3, "a turn, its message and one that waits: {:?}", at_rest());

    let reason = crate::SuspendedFor::Wait;
    write(&ledger, Operation::Suspend { turn, wakes_at: 9, reason }).expect("the turn is open");

    assert_eq!(at_rest(), ["a message waits and nobody works on it"]);
}
