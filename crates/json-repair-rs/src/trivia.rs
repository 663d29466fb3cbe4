//! What stands between tokens and says nothing: white space and comments.

use crate::Error;
use crate::punctuation::{Quote, is_space};
use crate::reader::Reader;
use crate::repaired::RepairKind;

/// Passes white space.
pub(crate) fn skip_space(reader: &mut Reader<'_>) {
    let start = reader.at();
    let space = reader.take_while(is_space);
    if space.chars().all(|c| matches!(c, ' ' | '\t' | '\n' | '\r')) {
        return;
    }
    let is_mark = start == 0 && space.starts_with('\u{feff}');
    reader.note(if is_mark { RepairKind::ByteOrderMark } else { RepairKind::Space }, start);
}

/// Passes white space and comments. A comment may be the rest of a string that ended too early for want of a backslash; its quotes tell:
/// `after_string` says that nothing but this stands between a string and the comment.
pub(crate) fn skip_trivia(reader: &mut Reader<'_>, after_string: bool) -> Result<(), Error> {
    skip_space(reader);
    while reader.begins_comment(reader.at()) {
        let at = reader.at();
        let quotes = skip_comment(reader)?;
        if quotes.is_odd() || (after_string && quotes.are_there()) {
            return Err(Error::ambiguous("quotes in a comment", at));
        }
        reader.note(RepairKind::Comment, at);
        skip_space(reader);
    }
    Ok(())
}

/// Passes a comment, and counts its quotes.
fn skip_comment(reader: &mut Reader<'_>) -> Result<Quotes, Error> {
    let at = reader.at();
    let is_line = reader.has(at, "//");
    reader.go_to(at + 2);
    let (mut quotes, mut previous) = (Quotes::default(), None);
    loop {
        match reader.peek() {
            None if is_line => return Ok(quotes),
            None => return Err(Error::Truncated { open: "comment", at }),
            Some('\n') if is_line => return Ok(quotes),
            Some('*') if !is_line && reader.has(reader.at(), "*/") => {
                reader.go_to(reader.at() + 2);
                return Ok(quotes);
            }
            Some(c) => {
                reader.bump();
                quotes.count(previous, c, reader.peek());
                previous = Some(c);
            }
        }
    }
}

/// How many quotes of each kind a comment has, apostrophes left out.
#[derive(Default)]
pub(crate) struct Quotes {
    double: usize,
    single: usize,
    curly: usize,
}

impl Quotes {
    pub(crate) fn count(&mut self, previous: Option<char>, c: char, next: Option<char>) {
        match Quote::of(c) {
            Some(quote) if quote.is_single() && is_apostrophe(previous, next) => {}
            Some(Quote::Double) => self.double += 1,
            Some(Quote::Single) => self.single += 1,
            Some(Quote::CurlyDouble | Quote::CurlySingle) => self.curly += 1,
            None => {}
        }
    }

    pub(crate) fn is_odd(&self) -> bool {
        [self.double, self.single, self.curly].iter().any(|count| count % 2 == 1)
    }

    pub(crate) fn are_there(&self) -> bool {
        self.double + self.single + self.curly > 0
    }
}

/// Whether a single quote between these two is part of a word, as in `isn't`.
pub(crate) fn is_apostrophe(previous: Option<char>, next: Option<char>) -> bool {
    previous.is_some_and(char::is_alphanumeric) && next.is_some_and(char::is_alphanumeric)
}
