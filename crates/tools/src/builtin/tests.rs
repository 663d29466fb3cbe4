use chat::PersonRole;
use serde_json::{Value, json};

use super::playground::Playground;
use crate::{Protected, Registry, Settings, builtin};

#[test]
fn all_that_a_model_is_told_of_the_tools_is_small_and_without_noise() {
    let specs = Registry::new(builtin(&Settings::default())).specs();

    let text = serde_json::to_string(&*specs).unwrap();

    // With the system prompt, which has less than 3 000, it stays below 10 000.
    assert!(text.len() < 6_300, "{} bytes: {text}", text.len());
    for noise in ["$schema", "\"title\"", "\"format\"", "null", "\\n "] {
        assert!(!text.contains(noise), "{noise} in {text}");
    }
    for spec in &*specs {
        let properties = spec.parameters["properties"].as_object().unwrap();
        assert!(!spec.description.is_empty(), "{}", spec.name);
        assert!(properties.values().all(|property| property["description"].is_string()), "{}", spec.name);
    }
}

#[tokio::test]
async fn a_wrong_argument_is_named_by_every_tool() {
    let playground = Playground::new();
    for (tool, arguments, name) in [
        ("ls", json!({"path": ["a"]}), "`path` must be a string"),
        ("read", json!({"path": "a", "offset": "soon"}), "`offset` must be an integer"),
        ("write", json!({"path": "a", "content": {}}), "`content` must be a string"),
        ("bash", json!({"command": "true", "timeout": "long"}), "`timeout` must be an integer"),
        ("write", json!({"file": "a"}), "without `path`, `content`; got `file`"),
        (
            "edit",
            json!({"path": "a", "old": "b", "new_text": "c"}),
            "without `old_text`; got `path`, `old`, `new_text`",
        ),
        (
            "search",
            json!({"pattern": "a", "output": "all"}),
            "`output` must be one of \"content\", \"files\", \"count\"",
        ),
    ] {
        let error = playground.error(tool, arguments).await;
        assert!(error.contains(name), "{error}");
    }
}

/// All tools that take a path, with what else they need.
fn calls_on(path: &str) -> [(&'static str, Value); 6] {
    [
        ("ls", json!({"path": path})),
        ("read", json!({"path": path})),
        ("search", json!({"path": path, "pattern": "secret"})),
        ("write", json!({"path": path, "content": "x"})),
        ("edit", json!({"path": path, "old_text": "secret", "new_text": "x"})),
        ("send", json!({"path": path})),
    ]
}

#[tokio::test]
async fn no_tool_for_files_touches_what_is_protected() {
    let mut playground = Playground::new();
    playground.put("key", "secret");
    playground.put("data/ledger.db", "secret");
    playground.put("data/workspace/MEMORY.md", "secret");
    std::os::unix::fs::symlink("../key", playground.path("data/workspace/innocent")).unwrap();
    std::fs::hard_link(playground.path("data/ledger.db"), playground.path("other name")).unwrap();
    let protected = Protected::new([playground.path("key"), playground.path("data")]);
    playground.settings.protected = protected.except([playground.path("data/workspace")]);
    playground.settings.blobs = Some(playground.path("data/blobs"));

    for path in [
        "key",
        "data/../key",
        "data/ledger.db",
        "data/workspace/innocent",
        "data",
        "data/new",
        "other name",
        "/proc/self/environ",
        "/proc/self/root/etc/passwd",
        "/dev/fd/0",
    ] {
        for (tool, arguments) in calls_on(path) {
            let error = playground.error(tool, arguments).await;
            let is_refused = error.contains("holds secrets") || error.contains("may not be written");
            assert!(is_refused, "{tool} {path}: {error}");
        }
    }
    assert_eq!(playground.content("key"), "secret");
    assert_eq!(playground.ok("read", json!({"path": "data/workspace/MEMORY.md"})).await, "1|secret");
}

#[tokio::test]
async fn a_trusted_person_gets_no_further_than_the_working_folder_with_any_tool() {
    let mut playground = Playground::new();
    playground.role = PersonRole::Trusted;
    playground.settings.blobs = Some(playground.path("blobs"));
    let outside = tempfile::tempdir().unwrap();
    std::fs::write(outside.path().join("file"), "secret").unwrap();
    std::os::unix::fs::symlink(outside.path(), playground.path("link")).unwrap();

    for path in [outside.path().join("file").to_str().unwrap(), "link/file", "link", "/etc/passwd", "..", "~", "/none"]
    {
        for (tool, arguments) in calls_on(path) {
            let error = playground.error(tool, arguments).await;
            assert!(error.contains("it is outside of"), "{tool} {path}: {error}");
        }
    }
}

#[tokio::test]
async fn a_guest_has_no_files() {
    let mut playground = Playground::new();
    playground.put("file", "secret");
    playground.role = PersonRole::Guest;
    playground.settings.blobs = Some(playground.path("blobs"));

    for (tool, arguments) in calls_on("file") {
        assert_eq!(playground.error(tool, arguments).await, "guests have no files here", "{tool}");
    }
}

/// Case G05: a result that is far too large, and one that is no text, leave room for the next request.
#[tokio::test]
async fn g05_no_result_is_larger_than_its_cap_and_binaries_are_refused() {
    let playground = Playground::new();
    playground.put("giant", "word ".repeat(340_000) + "\n" + &"line\n".repeat(50_000));
    playground.put("program", [b"\x7FELF\x02\x01\x01".as_slice(), &[0x90; 65_536]].concat());

    for (tool, arguments) in [
        ("read", json!({"path": "giant"})),
        ("read", json!({"path": "giant", "offset": 2})),
        ("search", json!({"pattern": "word|line", "max_results": 500})),
    ] {
        let shown = playground.ok(tool, arguments).await.len();
        assert!(shown < 50_000, "{tool}: {shown}");
    }
    let error = playground.error("read", json!({"path": "program"})).await;
    assert_eq!(error, "`program` is no text: ELF program or library, 64.0 KB");
    assert!(!playground.ok("search", json!({"pattern": "."})).await.contains("program:"));
}

#[tokio::test]
async fn a_call_that_was_cancelled_before_does_nothing() {
    let playground = Playground::new();
    playground.put("old", "old");
    playground.cancelled.cancel();

    for (tool, arguments) in [
        ("ls", json!({})),
        ("read", json!({"path": "old"})),
        ("write", json!({"path": "new", "content": "x"})),
        ("edit", json!({"path": "old", "old_text": "old", "new_text": "x"})),
        ("search", json!({"pattern": "old"})),
        ("bash", json!({"command": "touch new"})),
    ] {
        let error = playground.error(tool, arguments).await;
        assert!(error.contains("cancelled"), "{tool}: {error}");
    }
    assert!(!playground.path("new").exists());
    assert_eq!(playground.content("old"), "old");
}

#[tokio::test]
async fn a_working_folder_that_is_gone_is_named_by_every_tool_and_not_made_anew() {
    let playground = Playground::new();
    std::fs::remove_dir(playground.path("")).unwrap();

    for (tool, arguments) in [
        ("ls", json!({})),
        ("read", json!({"path": "a"})),
        ("write", json!({"path": "a", "content": "x"})),
        ("bash", json!({"command": "true"})),
    ] {
        let error = playground.error(tool, arguments).await;
        assert!(error.starts_with("the working folder `") && error.ends_with("does not exist"), "{tool}: {error}");
    }
    assert!(!playground.path("").exists());
}
