//! Answers as servers really gave them: `fixtures/A` holds the body of each and what a correct client makes of it, `fixtures/own` more
//! of the same kinds.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use chat::Arguments;
use serde_json::{Value, json};

use super::*;

const CUTS: [usize; 4] = [1, 3, 7, usize::MAX];

fn fixtures(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures").join(folder);
    let mut paths: Vec<PathBuf> = std::fs::read_dir(&folder)
        .expect("the folder is there")
        .map(|entry| entry.expect("it can be read").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "sse"))
        .collect();
    paths.sort();
    paths
}

/// What the fixture's form calls a captured reply.
fn in_words(captured: &CapturedReply) -> Value {
    let call = |call: &ToolCall| match &call.arguments {
        Arguments::Object(object) => json!({"id": call.id, "name": call.name, "arguments": object}),
        Arguments::Refused { reason, .. } => json!({"id": call.id, "name": call.name, "refused": reason}),
    };
    json!({
        "text": captured.text,
        "reasoning": captured.reasoning,
        "tool_calls": captured.calls.iter().map(call).collect::<Vec<_>>(),
        "finish": captured.finish,
        "error": captured.error.as_ref().map(|error| error.class.name()),
    })
}

/// Whether a reply is as a fixture wants it; there `*` is any id that is there.
fn is_as_expected(actual: &Value, expected: &Value) -> bool {
    let mut actual = actual.clone();
    let ids: Vec<&str> =
        actual["tool_calls"].as_array().expect("made above").iter().filter_map(|call| call["id"].as_str()).collect();
    let are_unique = ids.iter().collect::<HashSet<_>>().len() == ids.len() && !ids.contains(&"");
    for (at, call) in expected["tool_calls"].as_array().into_iter().flatten().enumerate() {
        if call["id"] == "*" && actual["tool_calls"].get(at).is_some() {
            actual["tool_calls"][at]["id"] = json!("*");
        }
    }
    let keys = ["text", "reasoning", "tool_calls", "finish", "error"];
    are_unique && keys.into_iter().all(|key| actual[key] == expected[key])
}

fn check(path: &Path) {
    let body = std::fs::read(path).expect("it can be read");
    let expected = std::fs::read(path.with_extension("expect.json")).expect("each body has one");
    let expected: Value = serde_json::from_slice(&expected).expect("it is JSON");
    let format: Format = serde_json::from_value(expected["dialect"].clone()).expect("it is a format");
    let tools: Vec<String> = serde_json::from_value(expected["declared_tools"].clone()).unwrap_or_default();
    for cut in CUTS {
        let actual = in_words(&read_pieces(format, body.chunks(cut), &tools));

        let alternatives = expected["alt"].as_array().into_iter().flatten();
        let is_good = alternatives.chain([&expected]).any(|expected| is_as_expected(&actual, expected));
        assert!(is_good, "{} in reads of {cut}:\n{actual:#}\nexpected:\n{expected:#}", path.display());
    }
}

#[test]
fn every_public_failure_is_survived_for_any_cut() {
    let paths = fixtures("A");
    assert_eq!(paths.len(), 32);
    paths.iter().for_each(|path| check(path));
}
