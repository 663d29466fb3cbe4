//! Reading takes steps in proportion to the size of the text, whatever stands in it.

use proptest::prelude::*;

use crate::reader::Reader;
use crate::{Limits, attempt};

/// How often a character may be looked at.
const LOOKS: u64 = 16;

fn assert_linear(text: &str) -> Result<(), TestCaseError> {
    let mut reader = Reader::over(text);
    let _ = attempt::read_text(&mut reader, Limits::default());
    let (steps, size) = (reader.steps(), text.len() as u64);
    let start: String = text.chars().take(40).collect();
    prop_assert!(steps <= LOOKS * size + 64, "{steps} steps for {size} bytes: {start:?}");
    Ok(())
}

/// What is repeated to a megabyte.
const UNITS: [&str; 66] = [
    "[",
    "{\"a\":",
    "]",
    "}",
    "}{",
    "{}",
    "][",
    "(",
    ",",
    ":",
    "\"",
    "\"'",
    "'",
    "\"\"",
    "\"\" ",
    "\" \"",
    "\", ",
    "\",\"",
    "\":",
    "\":\"",
    "\"a\" ",
    " \"a\"",
    " \"a\" b",
    "\"a\":1,",
    "\"a\":1 ",
    "a:",
    "a ",
    "1,",
    "1 ",
    "\\",
    "\\\"",
    "\\\\",
    "\\u",
    "\\ud800",
    "\\n",
    "\\d",
    "\n",
    " ",
    "\u{a0}",
    "\0",
    "{\"a\":1}",
    "{\"a\":1},",
    "[1],",
    "```",
    "```\n",
    "`",
    "~~~",
    "<",
    "<a",
    "<a>",
    "</a\"",
    "/",
    "//",
    "//\n",
    "/*",
    "/**/",
    "\"/*",
    "\",/*",
    "/*\"/**/",
    "“",
    "“”",
    "“\"",
    "，",
    "，“",
    "'s",
    "\"x\":[",
];

/// What stands before it.
const STARTS: [&str; 13] = [
    "",
    "{",
    "[",
    "(",
    "{\"a\":",
    "{\"a\":\"",
    "{\"a\":\"x\" ",
    "{\"a\":1,",
    "[\"",
    "{'a':'",
    "{“a”:“",
    "{\"a\":1}",
    "```json\n",
];

#[test]
fn a_megabyte_of_anything_is_read_in_linear_time() {
    for (start, unit) in STARTS.into_iter().flat_map(|start| UNITS.map(|unit| (start, unit))) {
        let text = start.to_owned() + &unit.repeat((1 << 20) / unit.len());
        assert_linear(&text).unwrap();
    }
}

/// All of these are read to their end, so that no early refusal hides the cost.
#[test]
fn a_megabyte_that_needs_repair_everywhere_is_read_in_linear_time() {
    let many = |unit: &str| unit.repeat((1 << 20) / unit.len());
    let texts = [
        format!("{{\"a\":\"{}\"}}", many(" \"x\" y")),
        format!("{{\"a\":\"{}\"}}", many("\\d\n")),
        format!("{{\"a\":[{}]}}", many("{\"b\":1} ")),
        format!("{{\"a\":[{}]}}", many("'b',")),
        format!("{{\"a\":[{}]}}", many("“b”，")),
        format!("{{\"a\":[{}]}}", many("(1,),")),
        format!("{{\"a\":[{}]}}", many("None, /* \"\" */ // x\n")),
        format!("{{{}}}", many("\"a\":\"b\" ")),
        format!("{{{}}}", many("a:1,")),
        many("{\"a\":1}"),
        many("<a>") + "{}" + &many("</a>"),
        many("word ") + "{}\n" + &many("word "),
    ];

    for text in texts {
        let mut reader = Reader::over(&text);
        attempt::read_text(&mut reader, Limits::default()).unwrap();
        assert_linear(&text).unwrap();
    }
}

proptest! {
    #[test]
    fn any_text_is_read_in_linear_time(
        start in prop::sample::select(&STARTS[..]),
        unit in "[{}\\[\\]():,\"'“”\\\\/*`<>u8 \n\u{a0}a1]{1,8}",
        count in 1..400_usize,
    ) {
        assert_linear(&(start.to_owned() + &unit.repeat(count)))?;
    }
}
