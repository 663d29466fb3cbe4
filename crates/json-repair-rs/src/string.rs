//! Strings: where they end, and what they hold.
//!
//! A string is looked through once for its end and for how its writer used backslashes, then decoded.

use crate::Error;
use crate::punctuation::{Mark, Quote, Shape};
use crate::reader::Reader;
use crate::repaired::RepairKind;

mod decode;
mod escapes;
mod inner;

use decode::{decode_escaped, decode_literal};
use escapes::{Escapes, Reading};
use inner::{Role, closes, opens};

/// Where a string stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// Before the colon of a member.
    Key,
    /// Behind it.
    Member,
    Element,
    TupleElement,
    /// In nothing.
    Outermost,
}

impl Place {
    /// Whether `c` can follow the end of the string as structure.
    fn is_delimiter(self, c: char) -> bool {
        match Mark::of(c) {
            Some(Mark::Close(Shape::Tuple)) => self == Self::TupleElement,
            Some(Mark::Comma | Mark::Colon | Mark::Close(_)) => true,
            Some(Mark::Open(_)) | None => false,
        }
    }
}

/// Reads the string that begins here with such a quote.
pub(crate) fn read_string(reader: &mut Reader<'_>, quote: Quote, place: Place) -> Result<String, Error> {
    let begin = reader.at();
    reader.bump();
    let mut body =
        Body { quote, place, begin, previous: None, inner_quotes: 0, control: None, escapes: Escapes::default() };
    let start = reader.at();
    let end = body.find_end(reader)?;
    body.note_repairs(reader);
    let text = reader.slice(start, end);
    match body.escapes.reading()? {
        Reading::Escaped => {
            if let Some(at) = body.escapes.control_escape() {
                reader.note_control_escape(at)?;
            }
            Ok(decode_escaped(text, quote))
        }
        Reading::Literal(at) => {
            reader.note_kept_backslash(at)?;
            Ok(decode_literal(text, quote))
        }
    }
}

/// What is known of a string while its end is looked for.
struct Body {
    quote: Quote,
    place: Place,
    begin: usize,
    /// The character before the present one; none at the start.
    previous: Option<char>,
    /// How many unescaped quotes were taken for content.
    inner_quotes: usize,
    /// The first control character.
    control: Option<usize>,
    escapes: Escapes,
}

impl Body {
    /// Passes the string, and says where its closing quote stands.
    fn find_end(&mut self, reader: &mut Reader<'_>) -> Result<usize, Error> {
        loop {
            let at = reader.at();
            let Some(c) = reader.bump() else { return Err(Error::Truncated { open: "string", at: self.begin }) };
            if c == '\\' {
                self.previous = self.escapes.read(reader, self.quote);
                if self.previous.is_some_and(|c| c < ' ') {
                    self.control.get_or_insert(at + 1);
                }
                continue;
            }
            if self.quote.is(c) && self.role(reader, at)? == Role::End {
                return Ok(at);
            }
            if c == self.quote.plain() && !self.quote.is(c) && self.is_before_delimiter(reader) {
                return Err(Error::ambiguous("a plain quote in a string in curly quotes", at));
            }
            if c < ' ' {
                self.control.get_or_insert(at);
            }
            self.escapes.pass(c, reader.peek());
            self.previous = Some(c);
        }
    }

    /// What the quote at `at`, just passed, is. Before a delimiter it ends the string: what follows then fits, or the text is refused.
    fn role(&mut self, reader: &mut Reader<'_>, at: usize) -> Result<Role, Error> {
        let next = reader.peek();
        if self.quote.is_single() && crate::trivia::is_apostrophe(self.previous, next) {
            return Ok(Role::Content);
        }
        if self.place == Place::Key {
            return Ok(Role::End);
        }
        let follower_at = reader.past_space(reader.at());
        match reader.char_at(follower_at) {
            None => self.end(at),
            Some(c) if self.place.is_delimiter(c) => self.end(at),
            Some(_) if reader.begins_comment(follower_at) => self.end(at),
            Some(c) if self.quote.is(c) => self.before_quote(reader, at, follower_at),
            Some(_) => self.inner(at, next),
        }
    }

    /// Ends the string, unless a quote in it lacks its partner: then this may be the partner.
    fn end(&self, at: usize) -> Result<Role, Error> {
        if self.inner_quotes.is_multiple_of(2) { Ok(Role::End) } else { Err(doubt(at)) }
    }

    /// Decides about a quote that another one follows. Either a comma is missing between two members, or the first is content and the
    /// second ends the string.
    fn before_quote(&mut self, reader: &Reader<'_>, at: usize, second: usize) -> Result<Role, Error> {
        if self.place == Place::Member && self.inner_quotes == 0 && self.begins_key(reader, second) {
            return Ok(Role::End);
        }
        let is_adjacent = second == reader.at();
        let behind = reader.past_space(second + self.quote_length(reader, second));
        let ends = reader.char_at(behind).is_none_or(|c| self.place.is_delimiter(c));
        if is_adjacent && ends { self.inner(at, None) } else { Err(doubt(at)) }
    }

    /// Takes a quote for content if it looks like the first or second of a pair. In lists that tells nothing: it may as well be a forgotten
    /// comma or another separator.
    fn inner(&mut self, at: usize, next: Option<char>) -> Result<Role, Error> {
        let is_paired =
            if self.inner_quotes.is_multiple_of(2) { opens(self.previous, next) } else { closes(self.previous, next) };
        if self.place != Place::Member || !is_paired {
            return Err(doubt(at));
        }
        self.inner_quotes += 1;
        Ok(Role::Content)
    }

    /// Whether a quoted key and its colon begin at `at`.
    fn begins_key(&self, reader: &Reader<'_>, at: usize) -> bool {
        let mut end = at + self.quote_length(reader, at);
        let mut escaped = false;
        while let Some(c) = reader.char_at(end) {
            end += c.len_utf8();
            match c {
                _ if escaped => escaped = false,
                '\\' => escaped = true,
                c if self.quote.is(c) => {
                    let colon = reader.char_at(reader.past_space(end));
                    return colon.and_then(Mark::of) == Some(Mark::Colon);
                }
                _ => {}
            }
        }
        false
    }

    fn is_before_delimiter(&self, reader: &Reader<'_>) -> bool {
        reader.char_at(reader.past_space(reader.at())).is_some_and(|c| self.place.is_delimiter(c))
    }

    fn quote_length(&self, reader: &Reader<'_>, at: usize) -> usize {
        reader.char_at(at).map_or(0, char::len_utf8)
    }

    fn note_repairs(&self, reader: &mut Reader<'_>) {
        if self.quote != Quote::Double {
            reader.note(RepairKind::Quotes, self.begin);
        }
        if let Some(at) = self.control {
            reader.note(RepairKind::Control, at);
        }
        if self.inner_quotes > 0 {
            reader.note_inner_quote(self.begin);
        }
    }
}

fn doubt(at: usize) -> Error {
    Error::ambiguous("an unescaped quote", at)
}
