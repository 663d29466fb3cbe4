//! Recorded and written cases, each a text and what must come of it.

use std::path::Path;

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::{Error, repair};

#[derive(Deserialize)]
struct Case {
    #[serde(default)]
    id: String,
    raw: String,
    expect: Expect,
    #[serde(default)]
    alt: Vec<Expect>,
    why: String,
}

#[derive(Debug, PartialEq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Expect {
    Ok(Value),
    Refuse(Refusal),
}

#[derive(Debug, PartialEq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Refusal {
    Truncated,
    Invalid,
}

impl Case {
    /// What comes of the text as arguments of a call: no text means none, and a fence that is open at the end is a cut.
    fn outcome(&self) -> Expect {
        match repair(self.raw.as_bytes()) {
            Ok(repaired) if repaired.truncated => Expect::Refuse(Refusal::Truncated),
            Ok(repaired) if repaired.value.is_object() => Expect::Ok(repaired.value),
            Err(Error::Empty) => Expect::Ok(Value::Object(Map::new())),
            Err(error) if error.is_truncated() => Expect::Refuse(Refusal::Truncated),
            Ok(_) | Err(_) => Expect::Refuse(Refusal::Invalid),
        }
    }
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn folder() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures"))
}

#[test]
fn public_failures_end_as_expected() {
    let mut paths: Vec<_> = folder().join("B").read_dir().unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();

    assert_eq!(paths.len(), 26);
    for path in paths {
        let case: Case = serde_json::from_str(&read(&path)).unwrap();
        let outcome = case.outcome();
        let allowed = outcome == case.expect || case.alt.contains(&outcome);
        assert!(allowed, "{}: {outcome:?}, but {:?}: {}", path.display(), case.expect, case.why);
    }
}

#[test]
fn arguments_of_many_writers_end_as_expected() {
    let cases: Vec<Case> = serde_json::from_str(&read(&folder().join("corpus.json"))).unwrap();

    assert!(cases.len() >= 120);
    for case in cases {
        assert_eq!(case.outcome(), case.expect, "{}: {:?}: {}", case.id, case.raw, case.why);
    }
}
