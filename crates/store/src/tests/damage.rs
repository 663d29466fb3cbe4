use tempfile::{TempDir, tempdir};

use super::opening::copy_as_after_a_crash;
use super::*;
use crate::OpenError;

/// A ledger of a few pages that was closed in order.
fn closed_ledger() -> TempDir {
    let folder = tempdir().expect("there is room");
    let ledger = open(folder.path());
    for number in 0..30 {
        answer(&ledger, "a", &number.to_string());
    }
    drop(ledger);
    folder
}

/// Does harm to a ledger's file, and holds that it is refused as damaged and left just as it then was.
fn is_refused(folder: &Path, harm: impl FnOnce(&mut Vec<u8>)) {
    let file = folder.join("ledger.db");
    let mut bytes = fs::read(&file).expect("it is there");
    harm(&mut bytes);
    fs::write(&file, bytes).expect("there is room");
    let before = files(folder);

    let opened = Ledger::open(folder, WriterMode::Thread, &Settings::default());

    match opened {
        Err(OpenError::Damaged { .. }) => assert!(files(folder) == before, "it was changed"),
        Err(error) => panic!("it was refused as something else: {error}"),
        Ok(_) => panic!("it was opened"),
    }
}

/// Overwrites the page of a table that accepting a message does not touch, so that a log does not hold a newer one.
fn spoil_a_page(folder: &Path) {
    let pages: Vec<i64> = look(folder, "SELECT rootpage FROM sqlite_schema WHERE name = 'messages'");
    let start = usize::try_from(pages[0] - 1).expect("pages count from 1") * 4096;
    let file = folder.join("ledger.db");
    let mut bytes = fs::read(&file).expect("it is there");
    bytes[start..start + 4096].fill(0x5a);
    fs::write(file, bytes).expect("there is room");
}

#[test]
fn a_ledger_with_a_garbage_header_is_refused() {
    is_refused(closed_ledger().path(), |bytes| bytes[..100].fill(0x5a));
}

#[test]
fn a_text_file_is_refused() {
    is_refused(closed_ledger().path(), |bytes| *bytes = b"dear diary".to_vec());
}

#[test]
fn a_ledger_cut_between_pages_is_refused() {
    is_refused(closed_ledger().path(), |bytes| bytes.truncate(bytes.len() / 2 / 4096 * 4096));
}

#[test]
fn a_ledger_cut_inside_a_page_is_refused() {
    is_refused(closed_ledger().path(), |bytes| bytes.truncate(5_000));
}

#[test]
fn an_empty_file_is_refused_because_no_start_leaves_one() {
    is_refused(closed_ledger().path(), Vec::clear);
}

#[test]
fn a_ledger_with_a_garbage_page_is_refused() {
    let folder = closed_ledger();
    spoil_a_page(folder.path());

    is_refused(folder.path(), |_| {});
}

#[test]
fn a_ledger_without_one_of_its_tables_is_refused() {
    let folder = closed_ledger();
    let connection = Connection::open(folder.path().join("ledger.db")).expect("it is there");
    connection.execute_batch("PRAGMA journal_mode = delete; DROP TABLE deliveries").expect("it can be written");
    drop(connection);

    is_refused(folder.path(), |_| {});
}

#[test]
fn a_folder_in_place_of_the_file_is_refused() {
    let folder = tempdir().expect("there is room");
    fs::create_dir(folder.path().join("ledger.db")).expect("there is room");

    let opened = Ledger::open(folder.path(), WriterMode::Thread, &Settings::default());

    assert!(matches!(opened, Err(OpenError::Damaged { .. })));
}

#[test]
fn a_log_without_its_ledger_is_not_swallowed_by_a_new_one() {
    let (folder, crashed) = (tempdir().expect("there is room"), tempdir().expect("there is room"));
    let ledger = open(folder.path());
    accept(&ledger, "a", "1");
    copy_as_after_a_crash(folder.path(), crashed.path());
    fs::remove_file(crashed.path().join("ledger.db")).expect("it was copied");
    let before = files(crashed.path());

    let opened = Ledger::open(crashed.path(), WriterMode::Thread, &Settings::default());

    assert!(matches!(opened, Err(OpenError::Damaged { .. })));
    assert_eq!(files(crashed.path()), before);
}

#[test]
fn damage_after_a_crash_is_found_and_the_log_kept() {
    let (folder, crashed) = (closed_ledger(), tempdir().expect("there is room"));
    spoil_a_page(folder.path());
    let settings = Settings { check_mib: 0, ..Settings::default() };
    let ledger = Ledger::open(folder.path(), WriterMode::Thread, &settings).expect("it is not checked");
    accept(&ledger, "a", "new");
    copy_as_after_a_crash(folder.path(), crashed.path());
    let before = files(crashed.path());

    let opened = Ledger::open(crashed.path(), WriterMode::Thread, &Settings::default());

    assert!(matches!(opened, Err(OpenError::Damaged { .. })));
    let after = files(crashed.path());
    assert!(before.iter().all(|file| after.contains(file)), "neither the database nor its log has changed");
}

#[test]
fn a_ledger_too_large_to_be_checked_at_the_start_is_checked_by_verify() {
    let folder = closed_ledger();
    spoil_a_page(folder.path());
    let settings = Settings { check_mib: 0, check_after_crash_mib: 0, ..Settings::default() };

    let ledger = Ledger::open(folder.path(), WriterMode::Thread, &settings).expect("it looks right from outside");

    let sound = ledger.verify().is_ok_and(|report| report.findings.is_empty());
    assert!(!sound);
}
