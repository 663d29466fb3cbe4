use std::fs::File;
use std::os::unix::fs::symlink;
use std::time::{Duration, SystemTime};

use serde_json::{Value, json};

use crate::Protected;
use crate::builtin::playground::Playground;

/// A playground with a small project in it.
fn project() -> Playground {
    let playground = Playground::new();
    for (name, content) in [
        ("src/main.rs", "fn main() {\n    greet(\"Hello\");\n}\n"),
        ("src/greet.rs", "pub fn greet(whom: &str) {}\n// hello again\n"),
        ("notes.md", "hello\n"),
        (".hidden", "hello\n"),
        ("image.bin", "hello\0\x01"),
    ] {
        playground.put(name, content);
    }
    playground
}

async fn found(playground: &Playground, arguments: Value) -> String {
    playground.ok("search", arguments).await
}

#[tokio::test]
async fn matching_lines_come_with_path_and_number() {
    let playground = project();

    let lines = found(&playground, json!({"pattern": "hello"})).await;
    let all = found(&playground, json!({"pattern": "^.*hello", "ignore_case": true, "path": "src"})).await;

    assert_eq!(lines, ".hidden:1:hello\nnotes.md:1:hello\nsrc/greet.rs:2:// hello again");
    assert_eq!(all, "src/greet.rs:2:// hello again\nsrc/main.rs:2:    greet(\"Hello\");");
}

#[tokio::test]
async fn files_and_counts_can_be_shown_instead_of_lines() {
    let playground = project();

    let files = found(&playground, json!({"pattern": "fn", "output": "files"})).await;
    let counts = found(&playground, json!({"pattern": "greet|hello", "output": "count", "glob": "*.rs"})).await;

    assert_eq!(files, "src/greet.rs\nsrc/main.rs");
    assert_eq!(counts, "src/greet.rs: 2 lines\nsrc/main.rs: 1 line");
}

#[tokio::test]
async fn a_glob_and_a_single_file_narrow_the_search() {
    let playground = project();

    assert_eq!(found(&playground, json!({"pattern": "hello", "glob": "*.md"})).await, "notes.md:1:hello");
    assert_eq!(
        found(&playground, json!({"pattern": "again", "glob": "src/*.rs"})).await,
        "src/greet.rs:2:// hello again"
    );
    assert_eq!(found(&playground, json!({"pattern": "hello", "path": "notes.md"})).await, "notes.md:1:hello");
}

#[tokio::test]
async fn names_are_found_newest_first_by_a_part_or_a_glob() {
    let playground = project();
    for (age, name) in ["notes.md", "src/main.rs", "src/greet.rs"].iter().enumerate() {
        let time = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000 - age as u64);
        File::options().write(true).open(playground.path(name)).unwrap().set_modified(time).unwrap();
    }

    let part = found(&playground, json!({"pattern": "RE", "target": "files"})).await;
    let glob = found(&playground, json!({"pattern": "*.{rs,md}", "target": "files"})).await;
    let folder = found(&playground, json!({"pattern": "src", "target": "files"})).await;

    assert_eq!(part, "src/greet.rs");
    assert_eq!(glob, "notes.md\nsrc/main.rs\nsrc/greet.rs");
    assert_eq!(folder, "src/");
}

#[tokio::test]
async fn ignored_files_are_skipped_with_a_word_about_it() {
    let playground = project();
    playground.put(".gitignore", "/build\n");
    playground.put("build/out.txt", "hello\n");
    playground.put("node_modules/a/b.js", "hello\n");

    let usual = found(&playground, json!({"pattern": "hello", "output": "files"})).await;
    let all = found(&playground, json!({"pattern": "hello", "output": "files", "no_ignore": true})).await;

    let note = "[ignored files and folders were skipped; no_ignore searches them too]";
    assert_eq!(usual, format!(".hidden\nnotes.md\nsrc/greet.rs\n{note}"));
    assert_eq!(all, ".hidden\nbuild/out.txt\nnode_modules/a/b.js\nnotes.md\nsrc/greet.rs");
}

#[tokio::test]
async fn results_beyond_the_limit_are_told() {
    let playground = Playground::new();
    for number in 0..30 {
        playground.put(&format!("{number:02}"), "x\nx\n");
    }

    let lines = found(&playground, json!({"pattern": "x", "max_results": 3})).await;
    let names = found(&playground, json!({"pattern": "*", "target": "files", "max_results": 2})).await;

    assert_eq!(lines, "00:1:x\n00:2:x\n01:1:x\n[the first 3; there is more: narrow the search, or raise max_results]");
    assert!(names.ends_with("[the first 2; there is more: narrow the search, or raise max_results]"), "{names}");
}

#[tokio::test]
async fn a_long_line_is_shown_around_what_matches() {
    let playground = Playground::new();
    playground.put("file", format!("{}NEEDLE{}\n", "é".repeat(5_000), "x".repeat(5_000)));

    let line = found(&playground, json!({"pattern": "NEEDLE"})).await;

    assert!(line.starts_with("file:1:…") && line.contains("NEEDLExx") && line.ends_with("x…"), "{line}");
    assert!(line.chars().count() < 520, "{}", line.chars().count());
}

#[tokio::test]
async fn what_is_hidden_is_not_searched_by_any_name() {
    let mut playground = project();
    playground.put("data/ledger", "hello\n");
    playground.put("key", "hello\n");
    playground.settings.protected = Protected::new([playground.path("data"), playground.path("key")]);
    symlink("data", playground.path("link")).unwrap();
    symlink("key", playground.path("other")).unwrap();
    std::fs::hard_link(playground.path("data/ledger"), playground.path("hard")).unwrap();

    let content = found(&playground, json!({"pattern": "hello", "output": "files", "no_ignore": true})).await;
    let names = found(&playground, json!({"pattern": "ledger", "target": "files"})).await;

    assert_eq!(content, ".hidden\nnotes.md\nsrc/greet.rs");
    assert_eq!(names, "(nothing was found)");
}

#[tokio::test]
async fn the_process_filesystem_is_not_searched() {
    let playground = Playground::new();

    let found = found(&playground, json!({"pattern": "PATH=|Name:", "path": "/proc/self", "output": "files"})).await;

    assert_eq!(found, "(nothing was found)");
}

#[tokio::test]
async fn a_wrong_pattern_is_told_with_the_way_out() {
    let playground = project();
    for (arguments, reason) in [
        (json!({"pattern": "greet("}), "`pattern` is no regular expression that search takes"),
        (json!({"pattern": ""}), "`pattern` is empty"),
        (json!({"pattern": "a", "glob": "["}), "`glob` is no glob"),
        (json!({"pattern": "a[", "target": "files"}), "`pattern` is no glob"),
        (json!({"pattern": "a", "max_results": 0}), "`max_results` must be at least 1"),
        (json!({"pattern": "a", "path": "none"}), "`none` does not exist"),
    ] {
        let error = playground.error("search", arguments).await;
        assert!(error.starts_with(reason), "{error}");
    }
}
