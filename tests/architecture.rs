//! The rules of `ARCHITECTURE.md`: which crate may know which, what each of them never does, and how the files look.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

mod never;
mod sources;
mod workspace;

use sources::{Source, Token, files, read, sources};
use workspace::{packages, root};

/// Which crates a crate may depend on. A new line or a new name in one is a decision to be talked over.
const EDGES: [(&str, &[&str]); 12] = [
    ("chat", &[]),
    ("json-repair-rs", &[]),
    ("turn", &["chat"]),
    ("llm", &["chat", "json-repair-rs"]),
    ("tools", &["chat"]),
    ("memory", &["chat", "tools"]),
    ("store", &["chat"]),
    ("agent", &["chat", "turn", "llm", "tools", "memory", "store"]),
    ("channels", &["chat"]),
    ("daemon", &["chat", "turn", "llm", "tools", "memory", "store", "agent", "channels"]),
    ("testkit", &["chat", "turn", "llm", "tools", "store"]),
    ("xtask", &[]),
];

/// Crates whose tests do without `testkit`: it is made of them, or they are pure.
const WITHOUT_TESTKIT: [&str; 6] = ["chat", "json-repair-rs", "turn", "llm", "tools", "store"];

/// Packages of others that only one crate may depend on.
const ALONE: [(&str, &str); 3] = [("config", "daemon"), ("toml", "daemon"), ("rusqlite", "store")];

/// Files of more than 500 lines: flat data.
const FLAT_DATA: [&str; 0] = [];

#[test]
fn crates_depend_on_each_other_as_agreed() {
    let packages = packages();
    let allowed: BTreeMap<&str, &[&str]> = EDGES.into_iter().collect();

    let mut wrong = Vec::new();
    for (name, package) in &packages {
        let Some(edges) = allowed.get(name.as_str()) else {
            wrong.push(format!("{name} has no line in the table"));
            continue;
        };
        let ours = package.dependencies.iter().filter(|it| packages.contains_key(*it));
        wrong.extend(ours.filter(|it| !edges.contains(&it.as_str())).map(|it| format!("{name} -> {it}")));
        let for_tests = package.dev_dependencies.iter().filter(|it| packages.contains_key(*it));
        let is_wrong = |it: &&String| match it.as_str() {
            "testkit" => WITHOUT_TESTKIT.contains(&name.as_str()),
            other => !edges.contains(&other),
        };
        wrong.extend(for_tests.filter(is_wrong).map(|it| format!("tests of {name} -> {it}")));
    }

    assert_none(&wrong);
}

#[test]
fn some_packages_have_one_user() {
    let mut wrong = Vec::new();
    for (package, user) in ALONE {
        let users = packages().into_iter().filter(|(name, it)| {
            // The house's own programs may use what they like.
            name != "xtask" && name != "testkit" && name != user && it.dependencies.iter().any(|it| it == package)
        });
        wrong.extend(users.map(|(name, _)| format!("{name} depends on {package}, which is for {user} alone")));
    }

    assert_none(&wrong);
}

#[test]
fn every_crate_says_what_it_never_does() {
    let root = root();
    let mut wrong = Vec::new();
    for (name, _) in EDGES {
        let source = Path::new("crates").join(name).join("src");
        let library = source.join("lib.rs");
        let path = if root.join(&library).exists() { library } else { source.join("main.rs") };
        let text = read(&root, &path);
        let sections = ["//! # Layout", "//! # Never"].into_iter();
        wrong.extend(sections.filter(|it| !text.contains(it)).map(|it| format!("{}: no {it}", path.display())));
    }

    assert_none(&wrong);
}

#[test]
fn the_architecture_is_told_in_few_words_with_a_section_per_crate() {
    let text = read(&root(), Path::new("ARCHITECTURE.md"));
    let missing = EDGES.into_iter().filter(|(name, _)| !text.contains(&format!("\n### `{name}`\n")));

    assert_none(&missing.map(|(name, _)| format!("no section on {name}")).collect::<Vec<_>>());
    assert!(text.lines().count() <= 250, "it has {} lines", text.lines().count());
}

#[test]
fn state_is_in_actors_and_not_behind_locks() {
    let mut wrong = Vec::new();
    for source in all_sources() {
        wrong.extend(words_in(&source, &["Mutex", "RwLock", "disallowed_types", "parking_lot", "DashMap"]));
    }

    assert_none(&wrong);
}

#[test]
fn a_panic_unwinds_in_every_profile() {
    let root = root();
    let mut manifests: Vec<PathBuf> =
        EDGES.iter().map(|(name, _)| format!("crates/{name}/Cargo.toml").into()).collect();
    manifests.push("Cargo.toml".into());
    manifests.extend(files(&root, ".cargo"));

    let text = |path: &PathBuf| read(&root, path).replace([' ', '"', '\''], "");
    let wrong = manifests.iter().filter(|path| text(path).contains("panic=abort"));

    assert_none(&wrong.map(|path| format!("{} aborts on a panic", path.display())).collect::<Vec<_>>());
}

#[test]
fn every_crate_keeps_to_the_lints_of_the_workspace() {
    let root = root();
    let manifest = |name: &str| read(&root, &Path::new("crates").join(name).join("Cargo.toml"));
    let free = EDGES.iter().filter(|(name, _)| !manifest(name).contains("[lints]\nworkspace = true\n"));

    assert_none(&free.map(|(name, _)| format!("{name} has lints of its own")).collect::<Vec<_>>());
}

#[test]
fn files_are_named_and_sized_as_agreed() {
    let mut wrong = Vec::new();
    for source in all_sources() {
        let path = source.path.display();
        if source.path.file_name().is_some_and(|name| name == "mod.rs") {
            wrong.push(format!("{path}: a module is named by its file"));
        }
        let lines = source.text.lines().count();
        if lines > 500 && !FLAT_DATA.iter().any(|flat| source.path.ends_with(flat)) {
            wrong.push(format!("{path}: {lines} lines"));
        }
    }

    assert_none(&wrong);
}

#[test]
fn every_test_runs_and_nothing_is_left_open() {
    let mut wrong = Vec::new();
    for source in all_sources() {
        wrong.extend(words_in(&source, &["todo", "unimplemented", "dbg"]));
        let ignore = [Token::Sign('#'), Token::Word("ignore".to_owned())];
        if source.tokens().windows(2).any(|pair| pair == ignore) {
            wrong.push(format!("{}: a test is ignored", source.path.display()));
        }
    }

    assert_none(&wrong);
}

fn all_sources() -> Vec<Source> {
    let root = root();
    sources(&root, "crates").into_iter().chain(sources(&root, "tests")).collect()
}

/// Where a file, its tests included, has one of these words.
fn words_in(source: &Source, words: &[&str]) -> Vec<String> {
    found(source, source.tokens(), words)
}

fn found(source: &Source, tokens: Vec<Token>, words: &[&str]) -> Vec<String> {
    let texts = tokens.into_iter().filter_map(|token| match token {
        Token::Word(text) | Token::Literal(text) => Some(text),
        Token::Sign(_) => None,
    });
    let found: BTreeSet<String> = texts.filter(|text| words.contains(&text.as_str())).collect();
    found.into_iter().map(|text| format!("{}: {text}", source.path.display())).collect()
}

fn assert_none(wrong: &[String]) {
    assert!(wrong.is_empty(), "{} found:\n{}", wrong.len(), wrong.join("\n"));
}
