use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};

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
    for (path, reason) in [
        ("folder", "`folder` is a folder; ls shows what is in it"),
        ("new/", "`new/` names a folder; give the name of a file"),
        ("/dev/null", "`/dev/null` is a device, not a plain file"),
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
async fn a_change_of_line_ends_is_told() {
    let playground = Playground::new();
    playground.put("file", "one\r\n");

    let lost = playground.ok("write", json!({"path": "file", "content": "two\n"})).await;
    let kept = playground.ok("write", json!({"path": "file", "content": "three\r\n"})).await;

    assert!(lost.ends_with("; its lines ended with CRLF and now end with LF"), "{lost}");
    assert!(!kept.contains("CRLF"), "{kept}");
}
