//! Answers as servers really gave them: `fixtures/A` holds the body of each and what a correct client makes of it.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use chat::Arguments;
use proptest::prelude::*;
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

struct Fixture {
    body: Vec<u8>,
    expected: Value,
    format: Format,
    tools: Vec<String>,
}

fn load(path: &Path) -> Fixture {
    let body = std::fs::read(path).expect("it can be read");
    let expected = std::fs::read(path.with_extension("expect.json")).expect("each body has one");
    let expected: Value = serde_json::from_slice(&expected).expect("it is JSON");
    let format = serde_json::from_value(expected["dialect"].clone()).expect("it is a format");
    let tools = serde_json::from_value(expected["declared_tools"].clone()).unwrap_or_default();
    Fixture { body, expected, format, tools }
}

fn check(path: &Path) {
    let Fixture { body, expected, format, tools } = load(path);
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

#[test]
fn a_body_that_ends_anywhere_is_cut_off_and_never_damaged() {
    for path in fixtures("A") {
        let Fixture { body, format, tools, .. } = load(&path);
        for end in 0..body.len() {
            let captured = read_pieces(format, std::iter::once(&body[..end]), &tools);

            let class = captured.error.map(|error| error.class);
            assert_ne!(class, Some(ErrorClass::Protocol), "{} cut at {end}", path.display());
        }
    }
}

proptest! {
    #[test]
    fn any_cuts_give_the_same(
        fixture in any::<prop::sample::Index>(),
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 1..6),
    ) {
        let path = fixture.get(&fixtures("A")).clone();
        let Fixture { body, format, tools, .. } = load(&path);
        let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(body.len() + 1)).collect();
        cuts.extend([0, body.len()]);
        cuts.sort_unstable();

        let read = |pieces: &mut dyn Iterator<Item = &[u8]>| {
            let mut captured = read_pieces(format, pieces, &tools);
            // Ids that had to be made are random.
            captured.calls.iter_mut().filter(|call| call.id.len() == 29).for_each(|call| call.id.clear());
            captured
        };
        let whole = read(&mut std::iter::once(body.as_slice()));
        prop_assert_eq!(read(&mut cuts.windows(2).map(|cut| &body[cut[0]..cut[1]])), whole);
    }
}
