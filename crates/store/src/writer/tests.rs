use std::path::Path;

use rusqlite::ffi;
use tempfile::tempdir;

use super::*;
use crate::tests::{inbound, look};
use crate::{DeliveryState, connection, schema};

/// A writer without its thread, so that a test can come between its steps.
fn writer(folder: &Path) -> Writer {
    let folder = Folder::create(folder).expect("there is room");
    let lock = folder.lock().expect("nobody else has it");
    schema::create(&folder).expect("there is room");
    let settings = Settings { busy_ms: 0, ..Settings::default() };
    let connection = connection::writer(&folder.database(), &settings).expect("it was made");
    Writer::new(folder, settings, connection, lock, WriterMode::Thread).expect("it can be read")
}

fn session(writer: &mut Writer) -> &mut Session {
    writer.session.as_mut().expect("it is open")
}

fn accept(message: &str) -> Operation {
    Operation::Accept(inbound("a", message))
}

fn messages(folder: &Path) -> Vec<String> {
    look(folder, "SELECT message FROM inbox ORDER BY id")
}

fn is_healthy(writer: &Writer) -> bool {
    writer.status.healthy.load(Ordering::Relaxed)
}

#[test]
fn what_failed_once_is_written_again() {
    let folder = tempdir().expect("there is room");
    let mut writer = writer(folder.path());
    let large = Operation::Accept(chat::Inbound { text: "x".repeat(100_000), ..inbound("a", "2") });
    // Holds for this connection alone: opened anew, the file may grow.
    session(&mut writer).connection.pragma_update(None, "max_page_count", 30).expect("it may be set");

    let results = writer.write(&[accept("1"), large, accept("3")]);

    assert!(results.iter().all(|result| matches!(result, Ok(Written::Accepted { fresh: true, .. }))), "{results:?}");
    assert_eq!(messages(folder.path()), ["1", "2", "3"]);
    assert!(is_healthy(&writer));
}

#[test]
fn a_group_that_is_on_disk_in_spite_of_its_failure_is_not_written_again() {
    let folder = tempdir().expect("there is room");
    let mut writer = writer(folder.path());
    let operations = [accept("1"), accept("2")];
    let mut attempted = Vec::new();
    writer.try_write(&operations, &mut attempted).expect("the disk takes it");
    // As a commit leaves it whose sync reports a failure.
    session(&mut writer).groups -= 1;

    let results = writer.write_again(&operations, attempted);

    assert!(results.iter().all(|result| matches!(result, Ok(Written::Accepted { fresh: true, .. }))), "{results:?}");
    assert_eq!(messages(folder.path()), ["1", "2"]);
    assert_eq!(session(&mut writer).groups, 1);
}

#[test]
fn two_failures_in_a_row_are_told_and_the_next_success_heals() {
    let folder = tempdir().expect("there is room");
    let mut writer = writer(folder.path());
    let other = Connection::open(folder.path().join("ledger.db")).expect("it is there");
    other.execute_batch("BEGIN IMMEDIATE").expect("nobody writes");

    let during = writer.write(&[accept("1"), accept("2")]);
    let healthy_during = is_healthy(&writer);
    other.execute_batch("ROLLBACK").expect("it was begun");
    let after = writer.write(&[accept("2")]);

    assert!(during.iter().all(|result| matches!(result, Err(WriteError::Storage(_)))), "{during:?}");
    assert!(!healthy_during);
    assert!(matches!(after[..], [Ok(Written::Accepted { fresh: true, .. })]), "{after:?}");
    assert!(is_healthy(&writer));
    assert_eq!(messages(folder.path()), ["2"]);
}

#[test]
fn a_file_that_is_gone_for_a_while_is_found_again() {
    let folder = tempdir().expect("there is room");
    let mut writer = writer(folder.path());
    let (file, aside) = (folder.path().join("ledger.db"), folder.path().join("aside"));
    writer.session = None;
    std::fs::rename(&file, &aside).expect("it is there");

    let during = writer.write(&[accept("1")]);
    std::fs::rename(&aside, &file).expect("it is there");
    let after = writer.write(&[accept("1")]);

    assert!(matches!(during[..], [Err(WriteError::Storage(_))]), "{during:?}");
    assert!(matches!(after[..], [Ok(Written::Accepted { fresh: true, .. })]), "{after:?}");
}

#[test]
fn a_full_disk_is_told_from_other_failures() {
    let storage = |code| WriteError::from(rusqlite::Error::SqliteFailure(ffi::Error::new(code), None));

    assert!(storage(ffi::SQLITE_FULL).is_disk_full());
    assert!(!storage(ffi::SQLITE_IOERR).is_disk_full());
    assert_eq!(storage(ffi::SQLITE_FULL).to_string(), "the disk of the data folder is full");
    assert_eq!(storage(ffi::SQLITE_IOERR).to_string(), "the ledger cannot be written");
    assert!(matches!(storage(ffi::SQLITE_CONSTRAINT), WriteError::Rejected(_)));
}

#[test]
fn only_what_somebody_acts_on_waits_for_the_disk() {
    let folder = tempdir().expect("there is room");
    let mut writer = writer(folder.path());
    let mut waits = |operations: &[Operation]| {
        writer.write(operations);
        let synchronous = session(&mut writer).connection.pragma_query_value(None, "synchronous", |row| row.get(0));
        synchronous.is_ok_and(|level: i64| level == 2)
    };

    assert!(waits(&[accept("1")]));
    assert!(!waits(&[sent()]));
    assert!(waits(&[sent(), accept("2")]));
}

fn job(operation: Operation) -> Job {
    Job::Write(Box::new(operation), Reply::new(|_| {}))
}

fn sent() -> Operation {
    Operation::Delivery { id: chat::DeliveryId(1), state: DeliveryState::Sent { platform_id: None } }
}

#[test]
fn what_nobody_waits_for_is_written_along_with_what_comes_next() {
    let (jobs, queue) = std::sync::mpsc::channel();
    let later = std::thread::spawn(move || {
        for job in [job(sent()), job(accept("1"))] {
            jobs.send(job).expect("the group is being gathered");
        }
        jobs
    });

    let group = Group::gather(job(sent()), &queue, Duration::from_secs(600));

    assert_eq!(group.operations, [sent(), sent(), accept("1")]);
    drop(later.join());
}

#[test]
fn what_nobody_waits_for_is_written_in_the_end() {
    let (_jobs, queue) = std::sync::mpsc::channel();

    let group = Group::gather(job(sent()), &queue, Duration::from_millis(1));

    assert_eq!(group.operations, [sent()]);
}

#[test]
fn a_long_log_is_moved_into_the_database() {
    let folder = tempdir().expect("there is room");
    let mut writer = writer(folder.path());
    let before = std::fs::metadata(folder.path().join("ledger.db")).expect("it is there").len();

    for number in 0..LOOK_AT_LOG {
        let large = chat::Inbound { text: "x".repeat(300_000), ..inbound("a", &number.to_string()) };
        writer.write(&[Operation::Accept(large)]);
        writer.shorten_log();
    }

    let after = std::fs::metadata(folder.path().join("ledger.db")).expect("it is there").len();
    assert!(after > before + 4_000_000, "{before} {after}");
}
