use proptest::prelude::*;

use super::*;

/// What is made of a text that comes in the given pieces, as (reasoning, text).
fn split<'a>(pieces: impl IntoIterator<Item = &'a str>) -> (String, String) {
    let (mut reasoning, mut text) = (String::new(), String::new());
    let mut keep = |piece: Piece<'_>| match piece {
        Piece::Text(piece) => text.push_str(piece),
        Piece::Reasoning(piece) => reasoning.push_str(piece),
    };
    let mut filter = ThinkFilter::default();
    for piece in pieces {
        filter.push(piece, &mut keep);
    }
    filter.finish(&mut keep);
    (reasoning, text)
}

fn check(content: &str, reasoning: &str, text: &str) {
    assert_eq!(split([content]), (reasoning.into(), text.into()), "{content:?}");
}

#[test]
fn tags_at_the_start_hold_reasoning() {
    check("<think>plan</think>answer", "plan", "answer");
    check("<thinking>plan</thinking>answer", "plan", "answer");
    check("\n<think>a</think>\n<think>b</think>\nanswer", "ab", "\nanswer");
}

#[test]
fn either_closing_tag_ends_what_either_opening_one_begins() {
    check("<think>b</thinking>c", "b", "c");
    check("<thinking>b</think>c", "b", "c");
    check("</thinking>c", "", "c");
}

#[test]
fn later_tags_are_text() {
    check("Use <think>x</think> tags", "", "Use <think>x</think> tags");
    check("<think>plan</think>a</think>b<think>c", "plan", "a</think>b<think>c");
    check("`<think>` opens", "", "`<think>` opens");
}

#[test]
fn a_closing_tag_without_an_opening_one_is_removed_at_the_start_only() {
    check("</think>Hello", "", "Hello");
    check("<think>a</think></thinking>Hello", "a", "Hello");
    check("Hello</think>", "", "Hello</think>");
}

#[test]
fn thinking_that_never_closes_is_all_reasoning() {
    check("<think>step 1</thi", "step 1</thi", "");
}

#[test]
fn what_only_looks_like_a_tag_is_text() {
    check("<thin air>", "", "<thin air>");
    check("<", "", "<");
    check("  code", "", "  code");
    check(" \n", "", " \n");
}

#[test]
fn white_space_alone_behind_thinking_is_no_text() {
    check("<think>plan</think>\n\n", "plan", "");
}

/// Upstream filters each chunk by itself, so that a tag cut between two chunks shows the reasoning to people (W5).
#[test]
fn w5_a_tag_cut_between_chunks_shows_no_reasoning() {
    assert_eq!(split(["<th", "ink>secret</thi", "nk>ANSWER"]), ("secret".into(), "ANSWER".into()));
}

#[test]
fn only_what_may_become_a_tag_is_held_back() {
    let mut filter = ThinkFilter::default();
    let mut seen = Vec::new();
    for piece in ["<think>", "a < b</", "x", "</think>", "Hi"] {
        filter.push(piece, &mut |piece| seen.push(format!("{piece:?}")));
    }

    assert_eq!(seen, [r#"Reasoning("a < b")"#, r#"Reasoning("</x")"#, r#"Text("Hi")"#]);
}

#[test]
fn white_space_without_end_takes_linear_time() {
    let mut filter = ThinkFilter::default();
    let mut text = 0;
    for _ in 0..200_000 {
        filter.push("\n", &mut |_| {});
    }
    filter.push("x", &mut |piece| text += matches!(piece, Piece::Text(_)) as usize);

    assert_eq!(text, 1);
}

proptest! {
    #[test]
    fn any_cut_gives_the_same(
        parts in prop::collection::vec("</?think(ing)?>|<|think|>|[a\u{e9} \n]|</thin", 0..10),
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..8),
    ) {
        let content = parts.concat();
        let ends: Vec<usize> = content.char_indices().map(|(at, _)| at).chain([content.len()]).collect();
        let mut cuts: Vec<usize> = cuts.iter().map(|cut| *cut.get(&ends)).collect();
        cuts.extend([0, content.len()]);
        cuts.sort_unstable();

        let whole = split([content.as_str()]);

        prop_assert_eq!(&split(cuts.windows(2).map(|cut| &content[cut[0]..cut[1]])), &whole);
        prop_assert_eq!(&split(ends.windows(2).map(|cut| &content[cut[0]..cut[1]])), &whole);
    }
}
