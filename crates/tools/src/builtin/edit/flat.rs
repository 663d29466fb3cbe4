//! A file with one kind of line ends, which remembers what they were.

use std::ops::Range;

use crate::textual::Style;

/// The text of a file with LF alone. What is not changed of it goes back as it was, line ends and all.
pub(super) struct Flat<'a> {
    content: &'a str,
    pub(super) text: String,
    /// Where in the text a CR was taken away.
    taken: Vec<usize>,
    style: Style,
    /// Bytes of the mark at the beginning.
    mark: usize,
}

impl<'a> Flat<'a> {
    pub(super) fn new(content: &'a str) -> Self {
        let style = Style::of(content.as_bytes());
        let mark = if style.mark { '\u{FEFF}'.len_utf8() } else { 0 };
        let mut text = String::with_capacity(content.len());
        let mut taken = Vec::new();
        let mut pieces = content[mark..].split("\r\n");
        text.push_str(pieces.next().unwrap_or_default());
        for piece in pieces {
            taken.push(text.len());
            text.push('\n');
            text.push_str(piece);
        }
        Self { content, text, taken, style, mark }
    }

    /// The number of the line at a place in the text.
    pub(super) fn line_of(&self, at: usize) -> usize {
        memchr::memchr_iter(b'\n', &self.text.as_bytes()[..at]).count() + 1
    }

    /// The file with these places of the text replaced; they come in order and do not overlap.
    pub(super) fn with(&self, changes: &[(Range<usize>, String)]) -> String {
        let mut content = String::with_capacity(self.content.len());
        let mut from = 0;
        for (place, new) in changes {
            content.push_str(&self.content[from..self.original(place.start)]);
            let has_crlf = Style { crlf: self.style.crlf, mark: false };
            content.push_str(&has_crlf.apply(new));
            from = self.original(place.end);
        }
        content.push_str(&self.content[from..]);
        content
    }

    /// Where a place in the text is in the file.
    fn original(&self, at: usize) -> usize {
        self.mark + at + self.taken.partition_point(|taken| *taken < at)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn what_is_not_changed_stays_as_it_is(content in "\u{FEFF}?[aé\r\n]{0,30}") {
            let flat = Flat::new(&content);

            prop_assert_eq!(flat.with(&[]), content.clone());
            for (at, _) in flat.text.char_indices() {
                prop_assert_eq!(flat.with(&[(at..at, String::new())]), content.clone());
            }
        }

        #[test]
        fn a_change_touches_its_place_alone(before in "[a\r\n]{0,10}b", after in "b[a\r\n]{0,10}") {
            let content = format!("{before}OLD{after}");
            let flat = Flat::new(&content);
            let at = flat.text.find("OLD").unwrap();

            prop_assert_eq!(flat.with(&[(at..at + 3, "NEW".to_owned())]), format!("{before}NEW{after}"));
        }
    }
}
