use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;

use serde_json::{Value, json};

use crate::builtin::playground::Playground;

fn arguments(old_text: &str, new_text: &str) -> Value {
    json!({"path": "file", "old_text": old_text, "new_text": new_text})
}

/// A playground with a file of this content.
fn with(content: &str) -> Playground {
    let playground = Playground::new();
    playground.put("file", content);
    playground
}

#[tokio::test]
async fn one_occurrence_is_replaced_and_shown_as_a_diff() {
    let playground = with("one\ntwo\nthree\n");
    fs::set_permissions(playground.path("file"), Permissions::from_mode(0o640)).unwrap();

    let result = playground.call("edit", arguments("two", "2")).await;

    assert_eq!(playground.content("file"), "one\n2\nthree\n");
    assert_eq!(result.content, "edited `file` once, first changed line 2");
    let diff = result.display.unwrap();
    assert!(diff.starts_with("```diff\n--- file\n+++ file\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n"), "{diff}");
    assert_eq!(fs::metadata(playground.path("file")).unwrap().permissions().mode() & 0o777, 0o640);
}

#[tokio::test]
async fn several_occurrences_need_replace_all() {
    let playground = with("a\nb\na\nab\n");

    let error = playground.error("edit", arguments("a", "c")).await;
    assert!(error.starts_with("`old_text` occurs 3 times in `file` (lines 1, 3, 4); "), "{error}");
    assert_eq!(playground.content("file"), "a\nb\na\nab\n");

    let mut all = arguments("a", "c");
    all["replace_all"] = json!(true);
    assert_eq!(playground.ok("edit", all).await, "edited `file` 3 times, first changed line 1");
    assert_eq!(playground.content("file"), "c\nb\nc\ncb\n");
}

/// W13: a file with CRLF keeps it, and the mark at its beginning, where the model sends neither.
#[tokio::test]
async fn w13_line_ends_and_mark_are_kept() {
    let playground = with("\u{FEFF}one\r\ntwo\r\nthree\r\n");

    playground.ok("edit", arguments("one\ntwo\n", "1\n2\n2b\n")).await;

    assert_eq!(playground.content("file"), "\u{FEFF}1\r\n2\r\n2b\r\nthree\r\n");
}

#[tokio::test]
async fn mixed_line_ends_stay_mixed_where_nothing_is_changed() {
    let playground = with("one\r\ntwo\nthree\r\nfour\n");

    playground.ok("edit", arguments("four", "4")).await;

    assert_eq!(playground.content("file"), "one\r\ntwo\nthree\r\n4\n");
}

#[tokio::test]
async fn white_space_that_differs_is_forgiven_and_the_indentation_kept() {
    let playground = with("class A:\n    def b(self):\n        return  1\n");

    let told = playground.ok("edit", arguments("def b(self):\n  return 1", "def b(self):\n  c()\n  return 2")).await;

    assert_eq!(playground.content("file"), "class A:\n    def b(self):\n        c()\n        return 2\n");
    assert_eq!(told, "edited `file` once, first changed line 2; white space differed");
}

#[tokio::test]
async fn line_numbers_in_front_of_both_texts_are_taken_off() {
    let playground = with("one\ntwo\nthree\n");

    playground.ok("edit", arguments("2|two\n3|three", "2|zwei\n3|drei")).await;
    assert_eq!(playground.content("file"), "one\nzwei\ndrei\n");

    let error = playground.error("edit", arguments("one", "1|uno\n2|due")).await;
    assert!(error.starts_with("`new_text` has line numbers"), "{error}");
}

#[tokio::test]
async fn an_empty_old_text_appends_on_a_line_of_its_own() {
    let playground = with("one");

    let told = playground.ok("edit", arguments("", "two\n")).await;

    assert_eq!(playground.content("file"), "one\ntwo\n");
    assert_eq!(told, "appended to `file` from line 2 on");
}

#[tokio::test]
async fn an_edit_that_was_made_before_is_not_made_again() {
    let playground = with("import one\nuse of one\n");
    let edits = [
        arguments("use of one", "use of one and two"),
        arguments("import one\n", "import one\nimport two\n"),
        arguments("", "the last line\n"),
        arguments("import two\n", "import three\n"),
    ];
    for edit in edits {
        playground.ok("edit", edit.clone()).await;
        let once = playground.content("file");

        let told = playground.ok("edit", edit).await;

        assert!(told.starts_with("nothing to do: `file` "), "{told}");
        assert_eq!(playground.content("file"), once);
    }
}

#[tokio::test]
async fn what_changes_nothing_or_is_not_there_is_an_error() {
    let playground = with("one\ntwo\n");
    for (old, new, reason) in [
        ("one", "one", "`old_text` and `new_text` are the same; nothing was changed"),
        (" ", "", "both `old_text` and `new_text` are empty; nothing was changed"),
        ("two\nthree", "x", "its first line is line 2 of the file, but what follows differs"),
        ("four", "x", "not even its first line is in the file"),
    ] {
        let error = playground.error("edit", arguments(old, new)).await;
        assert!(error.contains(reason), "{error}");
    }
    assert_eq!(playground.content("file"), "one\ntwo\n");
}

#[tokio::test]
async fn an_edit_that_would_break_the_syntax_is_refused() {
    let playground = Playground::new();
    playground.put("a.json", "{\"a\": [1, 2]}\n");

    let edit = json!({"path": "a.json", "old_text": "2]", "new_text": "2"});
    let error = playground.error("edit", edit).await;

    assert!(error.starts_with("this is no valid JSON: line 1, column 12"), "{error}");
    assert_eq!(playground.content("a.json"), "{\"a\": [1, 2]}\n");
}

#[tokio::test]
async fn a_file_that_changed_since_it_was_read_is_edited_with_a_warning_until_it_is_read_again() {
    let playground = with("one\ntwo\n");
    playground.ok("read", json!({"path": "file"})).await;
    playground.put("file", "zero\none\ntwo\n");

    let first = playground.ok("edit", arguments("one", "1")).await;
    let second = playground.ok("edit", arguments("two", "2")).await;
    playground.ok("read", json!({"path": "file"})).await;
    let third = playground.ok("edit", arguments("zero", "0")).await;

    assert!(first.contains("Warning: something else has changed this file"), "{first}");
    assert!(second.contains("Warning"), "{second}");
    assert!(!third.contains("Warning"), "{third}");
    assert_eq!(playground.content("file"), "0\n1\n2\n");
}

#[tokio::test]
async fn only_text_in_utf_8_is_edited() {
    let playground = Playground::new();
    playground.put("latin", b"caf\xE9\n");
    playground.put("binary", b"a\0b");

    let latin = playground.error("edit", json!({"path": "latin", "old_text": "caf", "new_text": "x"})).await;
    let binary = playground.error("edit", json!({"path": "binary", "old_text": "a", "new_text": "x"})).await;
    let missing = playground.error("edit", json!({"path": "none", "old_text": "a", "new_text": "x"})).await;

    assert!(latin.contains("`latin` is no text in UTF-8 (byte 3"), "{latin}");
    assert_eq!(binary, "`binary` is no text: binary data");
    assert!(missing.starts_with("`none` does not exist"), "{missing}");
}
