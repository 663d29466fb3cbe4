//! From bytes to lines of text, in bounded memory.

/// The longest line that is taken, in bytes.
pub(super) const LONGEST_LINE: usize = 1 << 20;

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// A line that says something; blank ones are passed over.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Line {
    /// Its text.
    Text {
        /// Without the line's end.
        text: String,
        /// Whether some of it was no text, and U+FFFD stands in its place.
        is_mended: bool,
    },
    /// It was longer than [`LONGEST_LINE`] and is gone.
    TooLong,
}

impl Line {
    /// A line that is text already; `None` where it is blank.
    pub(super) fn of(text: &str) -> Option<Self> {
        Self::decode(text.as_bytes())
    }

    /// The same line, some of which was no text.
    pub(super) fn mended(self) -> Self {
        match self {
            Self::Text { text, .. } => Self::Text { text, is_mended: true },
            Self::TooLong => Self::TooLong,
        }
    }

    fn decode(bytes: &[u8]) -> Option<Self> {
        if bytes.len() > LONGEST_LINE {
            return Some(Self::TooLong);
        }
        let text = String::from_utf8_lossy(bytes).replace('\0', "\u{fffd}");
        if text.trim().is_empty() {
            return None;
        }
        let is_mended = text.as_bytes() != bytes;
        Some(Self::Text { text, is_mended })
    }
}

/// Parts bytes into lines, however they come. It never holds more than one line of the longest that is taken.
#[derive(Debug)]
pub(super) struct LineDecoder {
    line: Vec<u8>,
    is_too_long: bool,
    is_first: bool,
}

impl LineDecoder {
    pub(super) fn new() -> Self {
        Self { line: Vec::new(), is_too_long: false, is_first: true }
    }

    /// Takes bytes up to the end of the next line that says something. Gives how many were taken, and the line if it is whole.
    pub(super) fn take(&mut self, bytes: &[u8]) -> (usize, Option<Line>) {
        let mut taken = 0;
        while let Some(end) = bytes[taken..].iter().position(|byte| *byte == b'\n') {
            self.hold(&bytes[taken..taken + end]);
            taken += end + 1;
            if let Some(line) = self.end_line() {
                return (taken, Some(line));
            }
        }
        self.hold(&bytes[taken..]);
        (bytes.len(), None)
    }

    /// The last line, where the input ended without ending it.
    pub(super) fn finish(&mut self) -> Option<Line> {
        self.end_line()
    }

    /// Takes what there is of a line that has not ended.
    pub(super) fn take_partial(&mut self) -> String {
        String::from_utf8_lossy(&std::mem::take(&mut self.line)).into_owned()
    }

    fn hold(&mut self, bytes: &[u8]) {
        // The end of a line may be two bytes long; a mark in front of the first line is three.
        self.is_too_long |= self.line.len() + bytes.len() > LONGEST_LINE + 4;
        if self.is_too_long {
            self.line = Vec::new();
        } else {
            self.line.extend_from_slice(bytes);
        }
    }

    fn end_line(&mut self) -> Option<Line> {
        let bytes = std::mem::take(&mut self.line);
        let is_first = std::mem::replace(&mut self.is_first, false);
        let marked = if is_first { bytes.strip_prefix(BYTE_ORDER_MARK) } else { None };
        let bytes = marked.unwrap_or(&bytes);
        let bytes = bytes.strip_suffix(b"\r").unwrap_or(bytes);
        let is_too_long = std::mem::replace(&mut self.is_too_long, false);
        if is_too_long { Some(Line::TooLong) } else { Line::decode(bytes) }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn lines(input: &[u8], cut: usize) -> Vec<Line> {
        let mut decoder = LineDecoder::new();
        let mut lines = Vec::new();
        for mut piece in input.chunks(cut) {
            while !piece.is_empty() {
                let (taken, line) = decoder.take(piece);
                piece = &piece[taken..];
                lines.extend(line);
            }
        }
        lines.extend(decoder.finish());
        lines
    }

    fn text(text: &str) -> Line {
        Line::Text { text: text.into(), is_mended: false }
    }

    #[test]
    fn lines_end_in_newline_return_newline_or_with_the_input() {
        assert_eq!(lines(b"a\nb\r\nc", 64), [text("a"), text("b"), text("c")]);
    }

    #[test]
    fn blank_lines_say_nothing() {
        assert_eq!(lines(b"\n  \n\t\r\n a \n\n", 64), [text(" a ")]);
    }

    #[test]
    fn a_byte_order_mark_in_front_is_dropped() {
        assert_eq!(lines(b"\xef\xbb\xbfa\n\xef\xbb\xbfb", 64), [text("a"), text("\u{feff}b")]);
        assert_eq!(lines(b"\xef\xbb\xbf\na", 64), [text("a")]);
    }

    #[test]
    fn what_is_no_text_is_mended_and_said_so() {
        let mended = |text: &str| Line::Text { text: text.into(), is_mended: true };

        assert_eq!(lines(b"a\0b\n\xffc\nd", 64), [mended("a\u{fffd}b"), mended("\u{fffd}c"), text("d")]);
    }

    #[test]
    fn a_line_over_the_limit_is_refused_and_the_next_one_is_taken() {
        let mut input = vec![b'x'; LONGEST_LINE];
        input.extend(b"\r\n");
        input.extend(vec![b'y'; LONGEST_LINE + 1]);
        input.extend(b"\nz");

        let lines = lines(&input, 8192);

        assert_eq!(lines.len(), 3);
        assert!(matches!(&lines[0], Line::Text { text, .. } if text.len() == LONGEST_LINE));
        assert_eq!(lines[1..], [Line::TooLong, text("z")]);
    }

    #[test]
    fn a_line_without_end_is_not_held() {
        let mut decoder = LineDecoder::new();

        for _ in 0..100 {
            decoder.take(&[b'x'; 100_000]);
        }

        assert!(decoder.line.capacity() < LONGEST_LINE);
        assert_eq!(decoder.finish(), Some(Line::TooLong));
    }

    proptest! {
        #[test]
        fn any_cut_of_the_bytes_gives_the_same_lines(input in "[a\u{e4}中\\r\\n\0 ]{0,60}", cut in 1_usize..9) {
            prop_assert_eq!(lines(input.as_bytes(), cut), lines(input.as_bytes(), 1000));
        }
    }
}
