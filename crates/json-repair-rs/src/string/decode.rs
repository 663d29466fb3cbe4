//! The content of a string whose end is known.

use crate::punctuation::Quote;

/// Decodes a string in which each backslash escapes.
pub(crate) fn decode_escaped(text: &str, quote: Quote) -> String {
    let mut content = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once('\\') {
        content.push_str(before);
        let (c, length) = escaped(behind, quote);
        content.extend(c);
        rest = &behind[length..];
    }
    content.push_str(rest);
    content
}

/// Decodes a string in which a backslash escapes nothing but its quotes.
pub(crate) fn decode_literal(text: &str, quote: Quote) -> String {
    let mut content = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once('\\') {
        content.push_str(before);
        let c = behind.chars().next();
        if !c.is_some_and(|c| quote.is(c)) {
            content.push('\\');
        }
        content.extend(c);
        rest = &behind[c.map_or(0, char::len_utf8)..];
    }
    content.push_str(rest);
    content
}

/// What stands behind a backslash, and how many bytes say so.
fn escaped(text: &str, quote: Quote) -> (Option<char>, usize) {
    let c = match text.chars().next() {
        Some('b') => '\u{8}',
        Some('f') => '\u{c}',
        Some('n') => '\n',
        Some('r') => '\r',
        Some('t') => '\t',
        Some('u') => return unicode(text),
        Some(c) if quote.is(c) => return (Some(c), c.len_utf8()),
        c => return (c, c.map_or(0, char::len_utf8)),
    };
    (Some(c), 1)
}

/// The character of `uXXXX`, or of a pair of them.
fn unicode(text: &str) -> (Option<char>, usize) {
    let unit = |at: usize| text.get(at..at + 4).and_then(|digits| u16::from_str_radix(digits, 16).ok());
    let units = [unit(1), unit(7)];
    let mut decoded = char::decode_utf16(units.into_iter().flatten());
    match decoded.next() {
        Some(Ok(c)) => (Some(c), 1 + if c.len_utf16() == 2 { 10 } else { 4 }),
        _ => (None, 1),
    }
}
