use std::fs;
use std::num::NonZeroU64;

use chat::OutgoingFile;
use serde_json::json;

use crate::Protected;
use crate::builtin::playground::Playground;

fn playground() -> Playground {
    let mut playground = Playground::new();
    playground.settings.blobs = Some(playground.path("data/blobs"));
    playground.settings.protected = Protected::new([playground.path("data")]);
    playground
}

#[tokio::test]
async fn a_file_is_copied_and_goes_out_with_the_answer() {
    let playground = playground();
    playground.put("out/report.PDF", "%PDF-");

    let result = playground.call("send", json!({"path": "out/report.PDF", "caption": "the report"})).await;
    playground.put("out/report.PDF", "changed afterwards");

    assert_eq!(result.content, "`report.PDF` (5 bytes) goes out with the answer of this turn");
    let [OutgoingFile { path, name, media_type, bytes, caption }] = result.files.as_slice() else {
        panic!("{result:?}")
    };
    assert_eq!((name.as_str(), media_type.as_str(), *bytes), ("report.PDF", "application/pdf", 5));
    assert_eq!(caption.as_deref(), Some("the report"));
    assert_eq!(fs::read(path).unwrap(), b"%PDF-");
    assert!(path.starts_with(playground.path("data/blobs")) && path.extension().is_some_and(|ending| ending == "pdf"));
}

#[tokio::test]
async fn the_same_content_is_kept_once() {
    let playground = playground();
    playground.put("a.txt", "same");
    playground.put("b.txt", "same");

    for path in ["a.txt", "b.txt", "a.txt"] {
        playground.ok("send", json!({"path": path})).await;
    }

    assert_eq!(fs::read_dir(playground.path("data/blobs")).unwrap().count(), 1);
}

/// W14: reading sends nothing, and what is hidden cannot be sent.
#[tokio::test]
async fn w14_only_send_sends_and_never_a_secret() {
    let playground = playground();
    playground.put("data/key", "secret");
    playground.put("large", "line\n".repeat(100_000));
    std::os::unix::fs::symlink("data/key", playground.path("innocent")).unwrap();

    assert!(playground.call("read", json!({"path": "large"})).await.files.is_empty());
    for path in ["data/key", "innocent", "/proc/self/environ"] {
        let result = playground.call("send", json!({"path": path})).await;
        assert!(result.content.contains("holds secrets") && result.files.is_empty(), "{result:?}");
    }
}

#[tokio::test]
async fn what_is_empty_too_large_or_no_file_is_not_sent() {
    let mut playground = playground();
    playground.settings.send_mib = NonZeroU64::MIN;
    playground.put("empty", "");
    playground.put("large", vec![b'x'; 1024 * 1024 + 1]);
    playground.put("just fits", vec![b'x'; 1024 * 1024]);

    playground.ok("send", json!({"path": "just fits"})).await;
    for (path, reason) in [
        ("empty", "`empty` is empty; there is nothing to send"),
        ("large", "`large` has 1.0 MB; files up to 1.0 MB can be sent"),
        (".", "`.` is a folder"),
        ("none", "`none` does not exist"),
    ] {
        let error = playground.error("send", json!({"path": path})).await;
        assert!(error.starts_with(reason), "{error}");
    }
}

#[tokio::test]
async fn without_a_place_for_copies_nothing_is_sent() {
    let playground = Playground::new();
    playground.put("file", "x");

    assert_eq!(playground.error("send", json!({"path": "file"})).await, "no file can be sent from here");
}
