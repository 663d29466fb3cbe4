use proptest::prelude::*;

use super::*;

/// What a terminal shows: looks as tags, so that a case reads well.
fn shown(text: &str, width: usize) -> String {
    const TAGS: [(Style, &str); 8] = [
        (Style::PLAIN, "</>"),
        (Style::BOLD, "<b>"),
        (Style::DIM, "<d>"),
        (Style::ITALIC, "<i>"),
        (Style::UNDERLINE, "<u>"),
        (Style::STRIKE, "<s>"),
        (Style::CODE, "<c>"),
        (Style::GOOD, "<g>"),
    ];
    let written = MarkdownStream::render(text, width);
    let tagged = TAGS.iter().fold(written, |text, (style, tag)| text.replace(&style.sequence(), tag));
    let both = (Style::BOLD | Style::ITALIC).sequence();
    tagged.replace(&both, "<bi>").replace(&(Style::BOLD | Style::UNDERLINE).sequence(), "<bu>")
}

#[track_caller]
fn assert_shown(cases: &[(&str, &str)]) {
    for (text, expected) in cases {
        assert_eq!(shown(text, 40), *expected, "of {text:?}");
    }
}

#[test]
fn emphasis_code_and_links_are_shown_as_what_they_are() {
    assert_shown(&[
        ("a **b** c", "a <b>b</> c"),
        ("*i* and _i_ and __b__", "<i>i</> and <i>i</> and <b>b</>"),
        ("***both*** ~~gone~~", "<bi>both</> <s>gone</>"),
        ("**bold *and* more**", "<b>bold <bi>and<b> more</>"),
        ("`a*b*` ``x ` y``", "<c>a*b*</> <c>x ` y</>"),
        ("[docs](https://e.org/a)", "<u>docs<d> (https://e.org/a)</>"),
        ("[https://e.org](https://e.org)", "<u>https://e.org</>"),
        ("![map](m.png)", "<u>map<d> (m.png)</>"),
        (r"\*not\* this", "*not* this"),
    ]);
}

#[test]
fn marks_that_mean_nothing_stay_as_they_are() {
    assert_shown(&[
        ("2 * 3 * 4", "2 * 3 * 4"),
        ("snake_case_name and __init__.py", "snake_case_name and <b>init</>.py"),
        ("an *open mark", "an *open mark"),
        ("an `open mark", "an `open mark"),
        ("[ ] task, [x] done", "[ ] task, [x] done"),
        ("a[0](", "a[0]("),
        ("C:\\dir\\", "C:\\dir\\"),
        ("wow! #1", "wow! #1"),
        ("a **** b", "a **** b"),
    ]);
}

#[test]
fn blocks_are_shown_as_what_they_are() {
    assert_shown(&[
        ("# Title\n\ntext", "<bu>Title</>\n\ntext"),
        ("## Part\ntext", "<b>Part</>\ntext"),
        ("- a\n  - b\n* c\n12. d", "• a\n  • b\n• c\n12. d"),
        ("> said\n> > twice", "<d>│ </>said\n<d>│ │ </>twice"),
        ("a\n\n---\n\nb", "a\n\n<d>────────────────────────────────────────</>\n\nb"),
        ("#hashtag and -x and 1.5", "#hashtag and -x and 1.5"),
        ("-x\n--y\n2024 was", "-x\n--y\n2024 was"),
    ]);
}

#[test]
fn code_is_kept_to_the_letter() {
    assert_shown(&[
        ("```rust\nlet a = **b;\n\n  c\n```\nafter", "  <d>rust</>\n  <c>let a = **b;</>\n\n  <c>  c</>\nafter"),
        ("so:\n```\n# no title\n```", "so:\n  <c># no title</>"),
        ("````\n```\n````", "  <c>```</>"),
        ("1. do\n   ```\n   ls\n   ```\n2. then", "1. do\n     <c>ls</>\n2. then"),
        ("> ```\n> a\n> ```\n> b", "<d>│ </>  <c>a</>\n<d>│ </>b"),
        ("> ```\n> a\nb *c*", "<d>│ </>  <c>a</>\nb <i>c</>"),
        ("~~~\nnever closed", "  <c>never closed</>"),
    ]);
}

#[test]
fn a_table_is_laid_out_in_columns() {
    let table = "| Name | Size |\n|:--|--:|\n| **a** | 5 |\n| 中文 | 120 |\n\nafter";

    let expected =
        "<b>Name</> <d>│</> <b>Size</>\n<d>─────┼─────</>\n<b>a</>    <d>│</>    5\n中文 <d>│</>  120\n\nafter";
    assert_eq!(shown(table, 40), expected);
}

#[test]
fn a_table_wider_than_the_terminal_stays_readable() {
    let table = "| aaaa bbbb | cccc dddd |\n|---|---|\n| e | f |";

    assert_eq!(shown(table, 12), "aaaa bbbb <d>│</>\ncccc dddd\ne <d>│</> f");
}

#[test]
fn bars_without_a_table_are_text() {
    assert_shown(&[("| just a bar\nnext", "| just a bar\nnext"), ("|", "|"), ("| a |\n| b |", "| a |\n| b |")]);
}

#[test]
fn words_move_to_the_next_row_under_the_text_of_their_point() {
    assert_eq!(shown("- one two three", 9), "• one two\n  three");
    assert_eq!(shown("> one two three", 9), "<d>│ </>one two\n<d>│ </>three");
}

#[test]
fn wide_characters_are_broken_where_the_row_ends() {
    assert_eq!(shown("中文字符很长", 5), "中文\n字符\n很长");
    assert_eq!(shown("中文字，符", 6), "中文\n字，符");
}

#[test]
fn a_long_address_is_left_in_one_piece() {
    let address = format!("https://example.org/{}", "a".repeat(61));

    assert_eq!(shown(&format!("see {address} now"), 20), format!("see\n{address} now"));
}

#[test]
fn text_is_shown_before_its_line_ends() {
    let mut stream = MarkdownStream::new(40);

    assert_eq!(stream.push("Hello wor"), "Hello");
    assert_eq!(stream.push("ld, "), " world,");
}

#[test]
fn line_ends_behind_the_text_are_not_written() {
    assert_shown(&[("a\n\n\n\nb\n\n", "a\n\nb"), ("\n\na", "a")]);
}

#[test]
fn an_opening_mark_does_not_hold_the_text_forever() {
    let mut stream = MarkdownStream::new(40);

    let written = stream.push(&format!("*{}", "word ".repeat(1000)));

    assert!(written.starts_with("*word word"));
}

#[test]
fn a_cursor_moved_by_typing_is_taken_into_account() {
    let mut stream = MarkdownStream::new(10);
    let mut written = stream.push("aaaa bbbb ") + "\n";

    stream.cursor_moved_to_start();
    written += &stream.push("cccc dd ");

    assert_eq!(written, "aaaa bbbb\ncccc dd");
}

fn markdown() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("**"),
        Just("*"),
        Just("_"),
        Just("`"),
        Just("```\n"),
        Just("\n"),
        Just("\n\n"),
        Just(" "),
        Just("- "),
        Just("> "),
        Just("# "),
        Just("1. "),
        Just("| a | b |\n"),
        Just("|---|---|\n"),
        Just("["),
        Just("](u)"),
        Just("word"),
        Just("中文，"),
        Just("👩‍👩‍👧"),
        Just("\\"),
        Just("~~"),
        Just("!"),
        Just("    "),
        Just("---\n"),
    ];
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn any_cut_of_the_text_gives_the_same(text in markdown(), cut in 1_usize..9) {
        let chars: Vec<char> = text.chars().collect();
        let mut stream = MarkdownStream::new(20);
        let mut written = String::new();

        for piece in chars.chunks(cut) {
            written += &stream.push(&piece.iter().collect::<String>());
        }
        written += &stream.finish();

        prop_assert_eq!(written, MarkdownStream::render(&text, 20));
    }

    #[test]
    fn every_word_is_shown(text in "[a-z *_`|>#~\\-\n]{0,200}") {
        // The name of a block's language is all that may be cut short.
        prop_assume!(!text.contains("```") && !text.contains("~~~"));
        let letters = |text: &str| text.chars().filter(char::is_ascii_lowercase).collect::<String>();
        let written = MarkdownStream::render(&text, 20);
        let visible = written.split('\x1b').enumerate();
        let visible: String =
            visible.map(|(number, part)| if number == 0 { part } else { part.split_once('m').map_or("", |(_, rest)| rest) }).collect();

        prop_assert_eq!(letters(&visible), letters(&text));
    }

    #[test]
    fn a_row_of_words_is_never_wider_than_the_terminal(words in prop::collection::vec("[a-z中文]{1,6}", 0..40)) {
        let written = MarkdownStream::render(&words.join(" "), 20);

        for row in written.lines() {
            prop_assert!(width_of_text(row) <= 20, "{:?}", row);
        }
    }
}
