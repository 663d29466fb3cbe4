mod documents;

use std::fs::{self, File};
use std::os::unix::fs::FileExt;

use rustix::fs::{CWD, FileType, Mode, mknodat};
use serde_json::json;

use crate::builtin::playground::Playground;

fn numbered(lines: usize) -> String {
    (1..=lines).map(|number| format!("line {number}\n")).collect()
}

#[tokio::test]
async fn lines_are_numbered() {
    let playground = Playground::new();
    playground.put("file", "one\n\n  three");

    assert_eq!(playground.ok("read", json!({"path": "file"})).await, "1|one\n2|\n3|  three");
}

#[tokio::test]
async fn a_long_file_comes_in_pages_that_join() {
    let playground = Playground::new();
    playground.put("file", numbered(2_500));

    let first = playground.ok("read", json!({"path": "file"})).await;
    let second = playground.ok("read", json!({"path": "file", "offset": 2001})).await;

    assert!(first.ends_with("\n2000|line 2000\n[lines 1-2000 of 2500; go on with offset=2001]"));
    assert!(second.starts_with("2001|line 2001\n"));
    assert!(second.ends_with("\n2500|line 2500\n[lines 2001-2500, the end]"));
}

#[tokio::test]
async fn a_page_holds_whole_lines_within_its_size() {
    let playground = Playground::new();
    playground.put("file", format!("{}\n", "x".repeat(1_000)).repeat(100));

    let page = playground.ok("read", json!({"path": "file"})).await;

    assert!(page.len() < 50_000);
    assert!(page.ends_with("x\n[lines 1-48 of 100; go on with offset=49]"), "{}", &page[page.len() - 60..]);
}

#[tokio::test]
async fn offset_and_limit_choose_lines_from_either_end() {
    let playground = Playground::new();
    playground.put("file", numbered(10));
    for (offset, limit, expected) in [
        (3, 2, "3|line 3\n4|line 4\n[lines 3-4 of 10; go on with offset=5]"),
        (-2, 5, "9|line 9\n10|line 10\n[lines 9-10, the end]"),
        (-3, 1, "8|line 8\n[lines 8-8 of 10; go on with offset=9]"),
        (-99, 1, "1|line 1\n[lines 1-1 of 10; go on with offset=2]"),
        (0, 1, "1|line 1\n[lines 1-1 of 10; go on with offset=2]"),
        (10, 1, "10|line 10\n[lines 10-10, the end]"),
    ] {
        let page = playground.ok("read", json!({"path": "file", "offset": offset, "limit": limit})).await;
        assert_eq!(page, expected, "offset {offset}, limit {limit}");
    }
}

#[tokio::test]
async fn a_last_line_without_a_line_break_counts_from_the_end() {
    let playground = Playground::new();
    playground.put("file", "one\ntwo");

    assert_eq!(playground.ok("read", json!({"path": "file", "offset": -1})).await, "2|two\n[lines 2-2, the end]");
}

#[tokio::test]
async fn an_offset_past_the_end_tells_how_many_lines_there_are() {
    let playground = Playground::new();
    playground.put("file", "one\ntwo\n");
    for offset in [3, 400] {
        let error = playground.error("read", json!({"path": "file", "offset": offset})).await;
        assert_eq!(error, format!("offset {offset} is past the end: `file` has 2 lines"));
    }
    let error = playground.error("read", json!({"path": "file", "limit": 0})).await;
    assert_eq!(error, "`limit` must be at least 1, not 0");
}

#[tokio::test]
async fn a_giant_line_is_cut_between_characters_with_its_length() {
    let playground = Playground::new();
    playground.put("file", format!("{}\nsecond\n", "é".repeat(500_000)));

    let page = playground.ok("read", json!({"path": "file"})).await;

    assert!(page.starts_with("1|éé") && page.len() < 50_000);
    assert!(!page.contains(char::REPLACEMENT_CHARACTER));
    let notes = "\n[line 1 has 976.6 KB; only its beginning is shown]\n[lines 1-1 of 2; go on with offset=2]";
    assert!(page.ends_with(notes), "{}", &page[page.len() - 120..]);
}

#[tokio::test]
async fn a_file_far_larger_than_memory_is_read_from_its_beginning() {
    let playground = Playground::new();
    playground.put("file", numbered(1_000));
    let file = File::options().write(true).open(playground.path("file")).unwrap();
    file.write_all_at(b"x", 1 << 40).unwrap();

    let page = playground.ok("read", json!({"path": "file", "limit": 2})).await;

    assert_eq!(page, "1|line 1\n2|line 2\n[lines 1-2 of a file of 1024.0 GB; go on with offset=3]");
}

#[tokio::test]
async fn counting_the_lines_of_a_giant_file_stops_when_cancelled() {
    let playground = Playground::new();
    playground.put("file", numbered(1_000));
    File::options().write(true).open(playground.path("file")).unwrap().write_all_at(b"x", 1 << 40).unwrap();

    let cancelled = playground.cancelled.clone();
    let call = playground.error("read", json!({"path": "file", "offset": -1}));
    let (error, ()) = tokio::join!(call, async { cancelled.cancel() });

    assert_eq!(error, "cancelled");
}

#[tokio::test]
async fn line_ends_of_another_system_are_told_once() {
    let playground = Playground::new();
    playground.put("file", "one\r\ntwo\r\n");

    assert_eq!(playground.ok("read", json!({"path": "file"})).await, "1|one\n2|two\n[lines end with CRLF]");
}

#[tokio::test]
async fn an_empty_file_says_so() {
    let playground = Playground::new();
    playground.put("file", "");

    assert_eq!(playground.ok("read", json!({"path": "file"})).await, "(`file` is empty)");
}

#[tokio::test]
async fn a_file_without_a_size_is_read_all_the_same() {
    let status = Playground::new().ok("read", json!({"path": "/proc/self/status", "limit": 1})).await;

    assert!(status.starts_with("1|Name:"), "{status}");
}

#[tokio::test]
async fn broken_text_is_shown_with_replacement_characters() {
    let playground = Playground::new();
    playground.put("file", b"a\xED\xA0\xBDb\n");

    let page = playground.ok("read", json!({"path": "file"})).await;

    assert!(page.starts_with("1|a\u{FFFD}") && page.ends_with('b'), "{page:?}");
}

#[tokio::test]
async fn what_is_no_text_is_refused_with_its_kind_and_size() {
    let playground = Playground::new();
    playground.put("program", [b"\x7FELF".as_slice(), &[0; 1_532]].concat());
    playground.put("archive.txt", b"PK\x03\x04");

    let program = playground.error("read", json!({"path": "program"})).await;
    let archive = playground.error("read", json!({"path": "archive.txt"})).await;

    assert_eq!(program, "`program` is no text: ELF program or library, 1.5 KB");
    assert_eq!(archive, "`archive.txt` is no text: ZIP archive, or a document in one (docx, xlsx, jar), 4 bytes");
}

#[tokio::test]
async fn what_would_keep_a_reader_waiting_is_refused() {
    let playground = Playground::new();
    mknodat(CWD, playground.path("fifo"), FileType::Fifo, Mode::RWXU, 0).unwrap();

    let fifo = playground.error("read", json!({"path": "fifo"})).await;
    let device = playground.error("read", json!({"path": "/dev/zero"})).await;

    assert_eq!(fifo, "`fifo` is a FIFO, not a plain file");
    assert_eq!(device, "`/dev/zero` is a device, not a plain file");
}

#[tokio::test]
async fn a_folder_and_a_missing_file_say_what_to_do() {
    let playground = Playground::new();
    playground.put("source/main.rs", "");

    let folder = playground.error("read", json!({"path": "source"})).await;
    let missing = playground.error("read", json!({"path": "source/mian.rs"})).await;
    let below_a_file = playground.error("read", json!({"path": "source/main.rs/x"})).await;

    assert_eq!(folder, "`source` is a folder; ls shows what is in it");
    assert!(missing.starts_with("`source/mian.rs` does not exist; did you mean `main.rs` in"), "{missing}");
    assert!(below_a_file.contains("does not exist"), "{below_a_file}");
}

#[tokio::test]
async fn a_path_that_cannot_be_one_is_refused() {
    let playground = Playground::new();

    assert_eq!(playground.error("read", json!({"path": ""})).await, "`path` is empty");
    assert_eq!(playground.error("read", json!({"path": "a\u{0}b"})).await, "`path` contains a NUL character");
}

#[tokio::test]
async fn a_path_may_begin_at_home() {
    let home = std::env::home_dir().unwrap();

    let error = Playground::new().error("read", json!({"path": "~"})).await;

    assert!(fs::metadata(home).unwrap().is_dir());
    assert_eq!(error, "`~` is a folder; ls shows what is in it");
}
