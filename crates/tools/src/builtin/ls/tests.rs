use std::fs;
use std::os::unix::fs::symlink;

use serde_json::json;

use crate::builtin::playground::Playground;

#[tokio::test]
async fn entries_are_sorted_without_regard_to_case_and_marked() {
    let playground = Playground::new();
    for name in ["beta", "Alpha", ".hidden", "sub/x", "gamma"] {
        playground.put(name, "");
    }
    symlink("sub/x", playground.path("link")).unwrap();

    let listing = playground.ok("ls", json!({})).await;

    assert_eq!(listing, ".hidden\nAlpha\nbeta\ngamma\nlink -> sub/x\nsub/");
}

#[tokio::test]
async fn a_folder_with_too_many_entries_is_cut_with_a_note() {
    let playground = Playground::new();
    for number in 0..501 {
        playground.put(&format!("{number:04}"), "");
    }

    let listing = playground.ok("ls", json!({"path": "."})).await;

    assert!(listing.starts_with("0000\n"));
    assert!(listing.ends_with("\n0499\n[1 more entry; 501 in all]"));
}

#[tokio::test]
async fn long_names_are_cut_by_size() {
    let playground = Playground::new();
    for number in 0..400 {
        playground.put(&format!("{number:03}{}", "x".repeat(200)), "");
    }

    let listing = playground.ok("ls", json!({})).await;

    assert!(listing.len() < 50_000, "{}", listing.len());
    assert!(listing.ends_with("more entries; 400 in all]"));
}

#[tokio::test]
async fn an_empty_folder_says_so() {
    assert_eq!(Playground::new().ok("ls", json!({"path": ""})).await, "(the folder is empty)");
}

#[tokio::test]
async fn a_file_says_that_it_is_one() {
    let playground = Playground::new();
    playground.put("file", "x");

    assert_eq!(
        playground.error("ls", json!({"path": "file"})).await,
        "`file` is a file, not a folder; read shows what is in it"
    );
}

#[tokio::test]
async fn a_missing_folder_is_told_with_the_nearest_name() {
    let playground = Playground::new();
    fs::create_dir(playground.path("documents")).unwrap();

    let error = playground.error("ls", json!({"path": "documetns/old"})).await;

    assert!(error.starts_with("`documetns/old` does not exist; did you mean `documents` in"), "{error}");
}

#[tokio::test]
async fn a_name_with_a_line_break_stays_on_its_line() {
    let playground = Playground::new();
    playground.put("two\nlines", "");

    assert_eq!(playground.ok("ls", json!({})).await, "two\\nlines");
}
