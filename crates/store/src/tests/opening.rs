use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::PathBuf;

use tempfile::tempdir;

use super::*;
use crate::{OpenError, schema};

fn error(folder: &Path) -> OpenError {
    match Ledger::open(folder, WriterMode::Thread, &Settings::default()) {
        Ok(_) => panic!("it was opened"),
        Err(error) => error,
    }
}

fn mode(path: PathBuf) -> u32 {
    fs::metadata(path).expect("it is there").permissions().mode() & 0o777
}

#[test]
fn a_new_folder_and_its_files_are_private() {
    let parent = tempdir().expect("there is room");
    let folder = parent.path().join("x/data");
    let ledger = open(&folder);
    accept(&ledger, "a", "1");

    for file in ["ledger.db", "ledger.db-wal", "ledger.db-shm", "lock"] {
        assert_eq!(mode(folder.join(file)), 0o600, "{file}");
    }
    assert_eq!(mode(folder), 0o700);
}

#[test]
fn a_folder_has_one_ledger_at_a_time() {
    let folder = tempdir().expect("there is room");
    let first = open(folder.path());

    let second = error(folder.path());
    drop(first);
    let third = open(folder.path());
    drop(third);

    assert!(matches!(&second, OpenError::Locked { pid: Some(pid), .. } if *pid == std::process::id()));
    assert!(second.to_string().contains(&format!("in use by process {}", std::process::id())));
}

#[test]
fn a_lock_that_a_dead_process_left_is_no_lock() {
    let folder = tempdir().expect("there is room");
    fs::write(folder.path().join("lock"), "4000000").expect("there is room");

    open(folder.path());
}

#[test]
fn a_folder_that_cannot_be_is_told_from_one_that_cannot_be_written() {
    let parent = tempdir().expect("there is room");
    let file = parent.path().join("file");
    fs::write(&file, "").expect("there is room");

    assert!(matches!(error(&file), OpenError::NotAFolder { .. }));
    assert!(matches!(error(&file.join("data")), OpenError::NotAFolder { .. }));
    assert!(matches!(error(Path::new("/proc/cowhand/data")), OpenError::CannotCreate { .. }));
    assert!(matches!(error(Path::new("/proc/self")), OpenError::NotWritable { .. }));
}

#[test]
fn a_ledger_whose_file_cannot_be_written_is_left_alone() {
    let folder = tempdir().expect("there is room");
    // A program that runs cannot be opened for writing, not even by root.
    let program = std::env::current_exe().expect("the system tells");
    symlink(program, folder.path().join("ledger.db")).expect("there is room");

    let error = error(folder.path());

    assert!(matches!(&error, OpenError::NotWritable { path, .. } if path.ends_with("ledger.db")), "{error}");
}

#[test]
fn a_ledger_of_a_newer_version_is_left_as_it_is() {
    let folder = tempdir().expect("there is room");
    drop(open(folder.path()));
    let connection = Connection::open(folder.path().join("ledger.db")).expect("it is there");
    connection.pragma_update(None, "user_version", schema::VERSION + 1).expect("it can be written");
    drop(connection);
    let before = files(folder.path());

    let error = error(folder.path());
    let looking = Ledger::open_read_only(folder.path()).expect_err("it is newer");

    assert!(matches!(error, OpenError::Newer { found, known, .. } if found == known + 1));
    assert!(matches!(looking, OpenError::Newer { .. }));
    assert_eq!(before[0], files(folder.path())[0]);
}

#[test]
fn a_newer_version_that_is_only_in_the_log_is_seen() {
    let (folder, crashed) = (tempdir().expect("there is room"), tempdir().expect("there is room"));
    drop(open(folder.path()));
    let connection = Connection::open(folder.path().join("ledger.db")).expect("it is there");
    connection.pragma_update(None, "user_version", schema::VERSION + 1).expect("it can be written");
    copy_as_after_a_crash(folder.path(), crashed.path());
    let before = files(crashed.path());

    let error = error(crashed.path());

    assert!(matches!(error, OpenError::Newer { .. }), "{error}");
    let after = files(crashed.path());
    assert!(before.iter().all(|file| after.contains(file)), "neither the database nor its log has changed");
}

#[test]
fn a_database_of_another_program_is_left_as_it_is() {
    let folder = tempdir().expect("there is room");
    let connection = Connection::open(folder.path().join("ledger.db")).expect("there is room");
    connection.execute_batch("CREATE TABLE recipes (name TEXT)").expect("there is room");
    drop(connection);
    let before = files(folder.path());

    let error = error(folder.path());

    assert!(matches!(error, OpenError::Foreign { application_id: 0, .. }));
    assert_eq!(before, files(folder.path()));
}

#[test]
fn what_a_start_that_was_killed_left_of_a_new_ledger_is_made_anew() {
    let folder = tempdir().expect("there is room");
    fs::write(folder.path().join("ledger.db.new"), "half a ledger").expect("there is room");

    let ledger = open(folder.path());

    accept(&ledger, "a", "1");
    assert!(!folder.path().join("ledger.db.new").exists());
}

#[test]
fn whoever_only_looks_makes_no_ledger() {
    let folder = tempdir().expect("there is room");

    let no_ledger = Ledger::open_read_only(folder.path()).expect_err("there is none");
    let no_folder = Ledger::open_read_only(&folder.path().join("x")).expect_err("there is none");

    assert!(matches!(no_ledger, OpenError::Missing { .. }));
    assert!(matches!(no_folder, OpenError::Missing { .. }));
    assert_eq!(files(folder.path()), vec![]);
}

#[test]
fn whoever_only_looks_needs_no_lock() {
    let folder = tempdir().expect("there is room");
    let ledger = open(folder.path());
    accept(&ledger, "a", "1");

    let reader = Ledger::open_read_only(folder.path()).expect("it is there");

    assert_eq!(reader.load(&key("a")).expect("it can be read"), ledger.load(&key("a")).expect("it can be read"));
    assert_eq!(reader.recover().expect("it can be read"), ledger.recover().expect("it can be read"));
    assert_eq!(reader.verify().expect("it can be read").findings, vec![]);
}

#[test]
fn everything_acknowledged_is_in_the_files_that_a_crash_leaves() {
    let (folder, crashed) = (tempdir().expect("there is room"), tempdir().expect("there is room"));
    let ledger = open(folder.path());
    for number in 0..50 {
        answer(&ledger, "a", &number.to_string());
    }
    let (waiting, turn) = accept_and_open(&ledger, "a", "open");
    let held = ledger.load(&key("a")).expect("it can be read");

    copy_as_after_a_crash(folder.path(), crashed.path());
    let after = open(crashed.path());

    assert_eq!(after.load(&key("a")).expect("it can be read"), held);
    let recovered = after.recover().expect("it can be read");
    assert_eq!((recovered.turns[0].turn, recovered.turns[0].inbox[0].inbox), (turn, waiting));
    assert_eq!(after.verify().expect("it can be read").findings, vec![]);
}

#[test]
fn a_log_that_was_cut_off_while_it_was_written_costs_only_what_was_not_acknowledged() {
    let (folder, crashed) = (tempdir().expect("there is room"), tempdir().expect("there is room"));
    let ledger = open(folder.path());
    answer(&ledger, "a", "1");
    let acknowledged = fs::metadata(folder.path().join("ledger.db-wal")).expect("it is there").len();
    answer(&ledger, "a", "2");
    copy_as_after_a_crash(folder.path(), crashed.path());
    let log = fs::OpenOptions::new().write(true).open(crashed.path().join("ledger.db-wal")).expect("it was copied");
    log.set_len(acknowledged + 5_000).expect("it can be cut");

    let after = open(crashed.path());

    let stored = after.load(&key("a")).expect("it can be read").expect("it is there");
    assert_eq!(stored.messages.len(), 2);
    assert_eq!(answer(&after, "a", "3"), TurnId(2));
    assert_eq!(after.verify().expect("it can be read").findings, vec![]);
}

/// Copies an open ledger's files as they are, by another process: closing a copy's source here would take away SQLite's locks on it.
pub(super) fn copy_as_after_a_crash(from: &Path, to: &Path) {
    for name in ["ledger.db", "ledger.db-wal"] {
        let copied = std::process::Command::new("cp").arg(from.join(name)).arg(to).status().expect("there is cp");
        assert!(copied.success(), "{name} was not copied");
    }
}
