//! What becomes of Markdown.

use super::{Mark, Piece, read, visible};

fn text(markdown: &str) -> String {
    visible(&read(markdown))
}

#[test]
fn paragraphs_lists_and_quotes_keep_their_shape() {
    let markdown = "# Head\n\nOne\ntwo.\n\n- a\n  - b\n    more\n- c\n\n3. x\n4. y\n\n> said\n>\n> > again\n\nEnd";

    let shape = "Head\n\nOne\ntwo.\n\n• a\n  • b\n    more\n• c\n\n3. x\n4. y\n\nsaid\n\n> again\n\nEnd";
    assert_eq!(text(markdown), shape);
}

#[test]
fn a_table_is_aligned_code() {
    let markdown = "| name | n |\n|---|--:|\n| 好 **b** | 1 |\n| a_b | 200 |";

    let pieces = read(markdown);

    assert_eq!(pieces[0], Piece::Open(Mark::Block { language: None }));
    assert_eq!(text(markdown), "name │   n\n─────┼────\n好 b │   1\na_b  │ 200");
}

#[test]
fn code_keeps_its_language_and_its_lines() {
    let markdown = "```rust ignore\nlet a = \"<b>\";\n\n    x\n```";

    let pieces = read(markdown);

    assert_eq!(pieces[0], Piece::Open(Mark::Block { language: Some("rust".into()) }));
    assert_eq!(text(markdown), "let a = \"<b>\";\n\n    x");
}

#[test]
fn a_link_that_cannot_be_followed_shows_where_it_leads() {
    assert_eq!(text("[here](https://a.b/?c=d&e)"), "here");
    assert_eq!(text("[here](./there.md)"), "here (./there.md)");
    assert_eq!(text("![](https://a.b/c.png)"), "https://a.b/c.png");
}

#[test]
fn a_mark_never_stands_inside_itself() {
    let pieces = read("# a **b** c");

    let marks: Vec<_> = pieces.iter().filter(|piece| matches!(piece, Piece::Open(_))).collect();

    assert_eq!(marks, [&Piece::Open(Mark::Bold)]);
}

#[test]
fn words_with_underscores_and_stars_stay_as_they_are() {
    assert_eq!(text("snake_case_name and 2 * 3 * 4 < 5 & \\*"), "snake_case_name and 2 * 3 * 4 < 5 & *");
}

#[test]
fn the_first_block_of_an_item_or_a_quote_stands_where_that_begins() {
    assert_eq!(text("- a\n\n- b\n\n  c"), "• a\n• b\n  c");
    assert_eq!(text("> > a\n> > b"), "> a\n> b");
    assert_eq!(text("- > a"), "• a");
    assert_eq!(text("-\n- b"), "• \n• b");
}
