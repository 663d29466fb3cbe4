//! How the writer of a string used backslashes.

use crate::Error;
use crate::punctuation::Quote;
use crate::reader::Reader;

/// The first place of each kind of backslash in a string.
#[derive(Debug, Default)]
pub(crate) struct Escapes {
    /// It escapes nothing: `\d`, or a backslash before a newline.
    illegal: Option<usize>,
    /// `\b`, `\f`: a control character that no text has.
    rare: Option<usize>,
    /// `\n`, `\r`, `\t` in a word that had a backslash before a letter for no escape: `C:\Users\notes`.
    in_word: Option<usize>,
    /// `\n`, `\r`, `\t` elsewhere.
    loose: Option<usize>,
    /// `\/`, and `\"` where the string is not in such quotes.
    other: Option<usize>,
    /// `\u0041`.
    unicode: Option<usize>,
    /// `\\`.
    pair: Option<usize>,
    /// The string's own quote.
    quote: Option<usize>,
    /// `\'` in double quotes: in other languages an escape, in a shell a backslash and a quote.
    apostrophe: Option<usize>,
    /// Half a surrogate pair.
    half: Option<usize>,
    /// In the present word stood an illegal escape of a letter.
    is_word_literal: bool,
}

/// How a string is to be read.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Reading {
    /// Its backslashes escape.
    Escaped,
    /// Its backslashes are content, the first of them here; only those before its own quotes escape.
    Literal(usize),
}

impl Escapes {
    /// Passes what a backslash, just read, stands before. Gives the last character of that.
    pub(crate) fn read(&mut self, reader: &mut Reader<'_>, quote: Quote) -> Option<char> {
        let at = reader.at() - 1;
        let c = reader.bump()?;
        let kind = match c {
            c if quote.is(c) => &mut self.quote,
            '\\' => &mut self.pair,
            'n' | 'r' | 't' if self.is_word_literal => &mut self.in_word,
            'n' | 'r' | 't' => &mut self.loose,
            'b' | 'f' => &mut self.rare,
            '/' | '"' => &mut self.other,
            '\'' => &mut self.apostrophe,
            'u' => match read_unicode(reader) {
                Unicode::Character => &mut self.unicode,
                Unicode::Half => &mut self.half,
                Unicode::None => &mut self.illegal,
            },
            _ => &mut self.illegal,
        };
        kind.get_or_insert(at);
        let is_letter = c.is_ascii_alphabetic();
        self.is_word_literal = is_letter && (self.is_word_literal || self.illegal == Some(at) || !is_legal(c));
        Some(c)
    }

    /// Takes notice of a character without a backslash.
    pub(crate) fn pass(&mut self, c: char, next: Option<char>) {
        let is_inner = matches!(c, '.' | '-') && next.is_some_and(|next| next.is_ascii_alphanumeric());
        self.is_word_literal &= c.is_ascii_alphanumeric() || c == '_' || is_inner;
    }

    /// Decides how the string is to be read. A writer who left a backslash unescaped may have escaped nothing, as in
    /// `C:\Users\notes`, or only forgot this one, as in `'\d'\nnext line`. Where the two make a difference nothing is certain.
    pub(crate) fn reading(&self) -> Result<Reading, Error> {
        if let Some(at) = self.illegal {
            let escaped = [self.pair, self.loose, self.unicode, self.half];
            let is_mixed = self.quote.is_some() && self.in_word.or(self.other).is_some();
            let doubt = Error::ambiguous("a backslash that escapes nothing, beside others that do", at);
            return if is_mixed || escaped.iter().any(Option::is_some) { Err(doubt) } else { Ok(Reading::Literal(at)) };
        }
        if let Some(at) = self.apostrophe {
            return Err(Error::ambiguous("a backslash before an apostrophe", at));
        }
        match self.half {
            Some(at) => Err(Error::invalid("half a surrogate pair", at)),
            None => Ok(Reading::Escaped),
        }
    }

    pub(crate) fn control_escape(&self) -> Option<usize> {
        self.loose.or(self.rare)
    }
}

/// Whether JSON has an escape with this letter.
fn is_legal(letter: char) -> bool {
    matches!(letter, 'b' | 'f' | 'n' | 'r' | 't' | 'u')
}

/// What `\u` begins.
enum Unicode {
    Character,
    Half,
    None,
}

fn read_unicode(reader: &mut Reader<'_>) -> Unicode {
    let start = reader.at();
    let Some(unit) = unit_at(reader, start) else { return Unicode::None };
    reader.go_to(start + 4);
    match unit {
        0xD800..=0xDBFF => {
            let low = reader.has(start + 4, "\\u").then(|| unit_at(reader, start + 6)).flatten();
            if !low.is_some_and(|low| (0xDC00..=0xDFFF).contains(&low)) {
                return Unicode::Half;
            }
            reader.go_to(start + 10);
            Unicode::Character
        }
        0xDC00..=0xDFFF => Unicode::Half,
        _ => Unicode::Character,
    }
}

/// The number that the four hexadecimal digits at `at` are.
fn unit_at(reader: &Reader<'_>, at: usize) -> Option<u16> {
    let digits = (at..at + 4).map_while(|at| reader.char_at(at)?.to_digit(16));
    let (count, unit) = digits.fold((0, 0), |(count, unit), digit| (count + 1, unit * 16 + digit));
    if count == 4 { u16::try_from(unit).ok() } else { None }
}
