use super::super::request::read;
use super::super::wish::{Gap, Unit, Wish};

/// A wish as the tables write it.
fn shown(wish: &Wish) -> String {
    match wish {
        Wish::List(path) => format!("list {path}"),
        Wish::Read(path) => format!("read {path}"),
        Wish::Look(path) => format!("look {path}"),
        Wish::Find(name) => format!("find {name}"),
        Wish::Write { path, content } => format!("write {path}|{content}"),
        Wish::Create(path) => format!("create {path}"),
        Wish::Append { path, content } => format!("append {path}|{content}"),
        Wish::Count { path, unit: Unit::Lines } => format!("count {path} lines"),
        Wish::Count { path, unit: Unit::Words } => format!("count {path} words"),
        Wish::Count { path, unit: Unit::Characters } => format!("count {path} characters"),
        Wish::Run(command) => format!("run {command}"),
        Wish::Unclear(Gap::File) => "ask file".into(),
        Wish::Unclear(Gap::Content) => "ask content".into(),
        Wish::Unclear(Gap::Command) => "ask command".into(),
        Wish::Compose => "compose".into(),
        Wish::Introduce => "who".into(),
        Wish::Greet => "hello".into(),
        Wish::Thank => "thanks".into(),
        Wish::Leave => "bye".into(),
        Wish::Help => "help".into(),
        Wish::Unknown => "unknown".into(),
    }
}

fn understood(text: &str) -> String {
    read(text, None).wishes.iter().map(shown).collect::<Vec<_>>().join("; ")
}

/// Checks a table of phrasings; tells all lines that are understood otherwise.
fn check(table: &str) {
    let lines = table.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
    let wrong: Vec<String> = lines
        .filter_map(|line| {
            let (text, expected) = line.split_once(" => ").expect("each line has an arrow");
            let found = understood(&text.replace("\\n", "\n"));
            (found != expected.replace("\\n", "\n")).then(|| format!("{line}\n    but found: {found}"))
        })
        .collect();
    assert!(wrong.is_empty(), "{} of the table:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn english_is_understood() {
    check(include_str!("../phrasings/english.txt"));
}

#[test]
fn chinese_is_understood() {
    check(include_str!("../phrasings/chinese.txt"));
}

#[test]
fn phrasings_that_no_rule_was_made_for_are_understood() {
    check(include_str!("../phrasings/held_out.txt"));
}
