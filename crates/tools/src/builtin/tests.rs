use serde_json::json;

use super::playground::Playground;
use crate::{Protected, Registry, Settings, builtin};

#[test]
fn all_that_a_model_is_told_of_the_tools_is_small_and_without_noise() {
    let specs = Registry::new(builtin(&Settings::default())).specs();

    let text = serde_json::to_string(&*specs).unwrap();

    assert!(text.len() < 4_000, "{} bytes: {text}", text.len());
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
    ] {
        let error = playground.error(tool, arguments).await;
        assert!(error.contains(name), "{error}");
    }
}

#[tokio::test]
async fn no_tool_for_files_touches_what_is_protected() {
    let mut playground = Playground::new();
    playground.put("key", "secret");
    playground.put("data/ledger.db", "secret");
    std::os::unix::fs::symlink("../key", playground.path("data/innocent")).unwrap();
    playground.settings.protected = Protected::new([playground.path("key"), playground.path("data")]);

    for path in ["key", "data/../key", "data/ledger.db", "data/innocent", "data", "/proc/self/environ"] {
        for tool in ["ls", "read", "write"] {
            let error = playground.error(tool, json!({"path": path, "content": "x"})).await;
            assert!(error.contains("holds secrets"), "{tool} {path}: {error}");
        }
    }
    assert_eq!(playground.content("key"), "secret");
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
        ("bash", json!({"command": "touch new"})),
    ] {
        let error = playground.error(tool, arguments).await;
        assert!(error.contains("cancelled"), "{tool}: {error}");
    }
    assert!(!playground.path("new").exists());
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
