//! Parts of a limited size, for a dialect whose marks are easy to check.

use proptest::prelude::*;

use super::{Dialect, split};
use crate::markup::{Mark, read, visible};

/// Marks in guillemets; those in the text are doubled.
struct Guillemets;

impl Dialect for Guillemets {
    fn units(&self, text: &str) -> usize {
        text.encode_utf16().count()
    }

    fn open(&self, mark: &Mark) -> String {
        format!("«{}»", name(mark))
    }

    fn close(&self, mark: &Mark) -> String {
        format!("«/{}»", name(mark))
    }

    fn escape(&self, text: &str, out: &mut String) {
        *out += &text.replace('«', "««");
    }
}

fn name(mark: &Mark) -> char {
    match mark {
        Mark::Bold => 'b',
        Mark::Italic => 'i',
        Mark::Strike => 's',
        Mark::Code => 'c',
        Mark::Block { .. } => 'p',
        Mark::Quote => 'q',
        Mark::Link(_) => 'a',
    }
}

/// What is read of a part, if its marks are nested as they should be.
fn read_part(part: &str) -> Option<String> {
    let (mut text, mut open, mut rest) = (String::new(), Vec::new(), part);
    while let Some(at) = rest.find('«') {
        text += &rest[..at];
        let mut mark = rest[at + '«'.len_utf8()..].chars();
        match mark.next()? {
            '«' => text.push('«'),
            '/' => {
                (open.pop()? == mark.next()?).then_some(())?;
                (mark.next()? == '»').then_some(())?;
            }
            name => {
                open.push(name);
                (mark.next()? == '»').then_some(())?;
            }
        }
        rest = mark.as_str();
    }
    text += rest;
    open.is_empty().then_some(text)
}

fn without_spaces(text: &str) -> String {
    text.split_whitespace().collect()
}

fn parts(markdown: &str, limit: usize) -> Vec<String> {
    split(&read(markdown), &Guillemets, limit)
}

/// Markdown in which every kind of thing is likely.
fn markdown() -> impl Strategy<Value = String> {
    let bit = prop_oneof![
        "[a-z]{1,12}",
        "[ \n]{1,3}",
        Just("**".to_owned()),
        Just("_".to_owned()),
        Just("~~".to_owned()),
        Just("`".to_owned()),
        Just("\n```rust\n".to_owned()),
        Just("\n```\n".to_owned()),
        Just("\n> ".to_owned()),
        Just("\n- ".to_owned()),
        Just("\n  1. ".to_owned()),
        Just("\n# ".to_owned()),
        Just("\n| a | b |\n|---|---|\n| c | d |\n".to_owned()),
        Just("[x](https://a.b/c)".to_owned()),
        Just("👨‍👩‍👧‍👦😀e\u{301}«<&>".to_owned()),
        Just("<br>\\*!".to_owned()),
        any::<String>(),
    ];
    prop::collection::vec(bit, 0..60).prop_map(|bits| bits.concat())
}

proptest! {
    #[test]
    fn every_part_is_whole_within_the_limit_and_all_of_them_are_the_text(markdown in markdown(), limit in 64_usize..400) {
        let parts = parts(&markdown, limit);

        let read_parts: Option<Vec<String>> = parts.iter().map(|part| read_part(part)).collect();
        prop_assert!(read_parts.is_some(), "{parts:?}");
        let read_parts = read_parts.unwrap_or_default();
        prop_assert!(parts.iter().all(|part| Guillemets.units(part) <= limit), "{parts:?}");
        prop_assert!(read_parts.iter().all(|part| !part.trim().is_empty()), "{parts:?}");
        prop_assert_eq!(without_spaces(&read_parts.concat()), without_spaces(&visible(&read(&markdown))));
    }
}

#[test]
fn a_cut_is_at_the_end_of_a_paragraph_else_of_a_line_else_of_a_word() {
    let paragraphs = format!("{}\n\n{}", "a ".repeat(30), "b ".repeat(30));
    assert_eq!(parts(&paragraphs, 80)[0].trim(), "a ".repeat(30).trim());

    let lines = format!("{}\n{}", "a ".repeat(30), "b ".repeat(30));
    assert_eq!(parts(&lines, 80)[0].trim(), "a ".repeat(30).trim());

    assert_eq!(parts(&"word ".repeat(30), 73)[0].trim(), "word ".repeat(14).trim());
}

#[test]
fn a_character_as_people_see_it_is_never_cut() {
    let family = "👨‍👩‍👧‍👦";

    let parts = parts(&family.repeat(40), 128);

    assert!(parts.len() > 1);
    assert!(parts.iter().all(|part| part.replace(family, "").is_empty()), "{parts:?}");
}
