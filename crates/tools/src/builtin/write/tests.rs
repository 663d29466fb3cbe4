use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};

use rustix::fs::{CWD, FileType, Mode, mknodat};
use serde_json::json;

use crate::builtin::playground::Playground;

fn mode(playground: &Playground, name: &str) -> u32 {
    fs::metadata(playground.path(name)).unwrap().permissions().mode() & 0o7777
}

#[tokio::test]
async fn a_new_file_is_created_with_the_folders_above_it() {
    let playground = Playground::new();

    let told = playground.ok("write", json!({"path": "a/b/c.txt", "content": "one\ntwo\n"})).await;

    assert_eq!(told, "created `a/b/c.txt`: 2 lines, 8 bytes");
    assert_eq!(playground.content("a/b/c.txt"), "one\ntwo\n");
}

#[tokio::test]
async fn a_new_file_has_the_permissions_that_any_program_would_give_it() {
    let playground = Playground::new();
    playground.put("usual", "");

    playground.ok("write", json!({"path": "new", "content": ""})).await;

    assert_eq!(mode(&playground, "new"), mode(&playground, "usual"));
}

#[tokio::test]
async fn a_file_is_replaced_as_a_whole_and_keeps_its_permissions() {
    let playground = Playground::new();
    playground.put("run.sh", "a much longer text than the new one\n");
    fs::set_permissions(playground.path("run.sh"), Permissions::from_mode(0o750)).unwrap();
    let old = fs::metadata(playground.path("run.sh")).unwrap().ino();

    let told = playground.ok("write", json!({"path": "run.sh", "content": "short"})).await;

    assert_eq!(told, "replaced `run.sh`: 1 line, 5 bytes (it had 36 bytes)");
    assert_eq!(playground.content("run.sh"), "short");
    assert_eq!(mode(&playground, "run.sh"), 0o750);
    assert_ne!(fs::metadata(playground.path("run.sh")).unwrap().ino(), old);
    assert_eq!(fs::read_dir(playground.path("")).unwrap().count(), 1);
}

#[tokio::test]
async fn a_link_stays_and_its_target_is_written() {
    let playground = Playground::new();
    playground.put("real/file", "old");
    symlink("real/file", playground.path("link")).unwrap();
    symlink("real/not-yet", playground.path("dangling")).unwrap();

    playground.ok("write", json!({"path": "link", "content": "new"})).await;
    playground.ok("write", json!({"path": "dangling", "content": "first"})).await;

    assert!(playground.path("link").is_symlink() && playground.path("dangling").is_symlink());
    assert_eq!(playground.content("real/file"), "new");
    assert_eq!(playground.content("real/not-yet"), "first");
}

#[tokio::test]
async fn what_read_shows_is_not_taken_for_content() {
    let playground = Playground::new();
    playground.put("file", "old");
    for content in ["1|one\n2|two\n", " 7|a\n 8|b\n 9|c\nrest\n"] {
        let error = playground.error("write", json!({"path": "file", "content": content})).await;
        assert!(error.contains("Nothing was written"), "{error}");
    }
    assert_eq!(playground.content("file"), "old");
}

#[tokio::test]
async fn a_few_lines_with_bars_are_content() {
    let playground = Playground::new();
    for content in ["1|one\n", "| 1 | a |\n| 2 | b |\n", "10|a\n20|b\n30|c\n", "x\ny\nz\n1|a\n2|b\n"] {
        playground.ok("write", json!({"path": "file", "content": content})).await;
        assert_eq!(playground.content("file"), content);
    }
}

#[tokio::test]
async fn only_plain_files_are_written() {
    let playground = Playground::new();
    playground.put("folder/x", "");
    mknodat(CWD, playground.path("fifo"), FileType::Fifo, Mode::RWXU, 0).unwrap();
    for (path, reason) in [
        ("folder", "`folder` is a folder; ls shows what is in it"),
        ("new/", "`new/` names a folder; give the name of a file"),
        ("fifo", "`fifo` is a FIFO, not a plain file"),
    ] {
        assert_eq!(playground.error("write", json!({"path": path, "content": "x"})).await, reason);
    }
    let error = playground.error("write", json!({"path": "folder/x/y", "content": "x"})).await;
    assert!(error.starts_with("cannot write `folder/x/y`: "), "{error}");
}

#[tokio::test]
async fn a_read_only_file_is_left_alone() {
    let playground = Playground::new();
    playground.put("file", "old");
    fs::set_permissions(playground.path("file"), Permissions::from_mode(0o444)).unwrap();

    let error = playground.error("write", json!({"path": "file", "content": "new"})).await;

    assert_eq!(error, "`file` is read-only");
    assert_eq!(playground.content("file"), "old");
}

#[tokio::test]
async fn line_ends_and_mark_of_a_file_are_kept() {
    let playground = Playground::new();
    playground.put("file", "\u{FEFF}one\r\ntwo\r\n");

    let told = playground.ok("write", json!({"path": "file", "content": "three\nfour\n"})).await;
    assert_eq!(playground.content("file"), "\u{FEFF}three\r\nfour\r\n");
    assert!(told.ends_with("; its lines end with CRLF, as before"), "{told}");

    playground.ok("write", json!({"path": "file", "content": "five\r\nsix\n"})).await;
    assert_eq!(playground.content("file"), "\u{FEFF}five\r\nsix\n");
}

#[tokio::test]
async fn broken_syntax_is_refused_with_its_place_and_the_file_stays() {
    let playground = Playground::new();
    for (name, good, bad) in [
        ("a.json", "{\"a\": 1}", "{\"a\": 1,\n}"),
        ("a.yaml", "a: [1]\n", "a: 1\nb: [1\n"),
        ("a.toml", "a = 1\n", "a = 1\nb = \n"),
    ] {
        playground.ok("write", json!({"path": name, "content": good})).await;

        let error = playground.error("write", json!({"path": name, "content": bad})).await;

        assert!(error.contains("line 2, column") || error.contains("line 3, column"), "{error}");
        assert!(error.contains("was not written"), "{error}");
        assert_eq!(playground.content(name), good);
    }
}

#[tokio::test]
async fn what_was_broken_before_or_may_be_meant_is_written_with_a_warning() {
    let playground = Playground::new();
    playground.put("old.json", "{ // comment\n}");

    let old = playground.ok("write", json!({"path": "old.json", "content": "{ // other\n}"})).await;
    let template = playground.ok("write", json!({"path": "chart.yaml", "content": "a: [\n{{ .Values.b }}\n"})).await;

    assert!(old.contains("\nWarning: this is no valid JSON: line 1"), "{old}");
    assert!(template.contains("\nWarning: this is no valid YAML"), "{template}");
}

#[tokio::test]
async fn a_file_that_changed_since_it_was_read_is_written_with_a_warning() {
    let playground = Playground::new();
    playground.put("file", "one\n");
    playground.ok("read", json!({"path": "file"})).await;
    playground.put("file", "somebody else's\n");

    let first = playground.ok("write", json!({"path": "file", "content": "mine\n"})).await;
    let second = playground.ok("write", json!({"path": "./file", "content": "mine again\n"})).await;

    assert!(first.contains("Warning: since you last read or wrote it here"), "{first}");
    assert!(!second.contains("Warning"), "{second}");
}

#[tokio::test]
async fn the_owner_writes_in_the_extra_folders_and_nowhere_else() {
    let mut playground = Playground::new();
    let (extra, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    playground.settings.extra_folders = vec![extra.path().to_path_buf()];
    let path = |folder: &tempfile::TempDir| folder.path().join("deep/file").to_str().unwrap().to_owned();

    playground.ok("write", json!({"path": path(&extra), "content": "x"})).await;
    let error = playground.error("write", json!({"path": path(&other), "content": "x"})).await;

    assert!(error.contains("may not be written: it is outside of"), "{error}");
    assert!(!other.path().join("deep").exists());
}
