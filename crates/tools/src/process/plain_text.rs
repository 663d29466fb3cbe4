//! Plain text of what a program writes for a terminal: what would be seen there at the end.

use vte::{Params, Parser, Perform};

/// Characters that a line is kept open for at most, to be written over.
const LONGEST_LINE: usize = 16 * 1024;

/// Makes plain text of what a program writes: escape sequences and control characters go, a line that is written over is the one
/// that was written last, and what is not UTF-8 becomes U+FFFD. Its memory is bounded, and no sequence reaches beyond its line.
#[derive(Default)]
pub(crate) struct PlainText {
    parser: Parser,
    page: Page,
    /// Whether the parser may be in the midst of something.
    is_inside: bool,
}

/// The line that is being written, and what is above it.
#[derive(Default)]
struct Page {
    line: Vec<char>,
    column: usize,
    written: String,
    /// Whether the last thing was the end of a line.
    is_closed: bool,
}

impl PlainText {
    /// Takes what was read, and gives what is now certain.
    pub(crate) fn push(&mut self, bytes: &[u8]) -> String {
        let whole_lines = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
        let (lines, rest) = bytes.split_at(whole_lines);
        match std::str::from_utf8(lines) {
            // Most of what programs write needs no more than a look.
            Ok(lines) if !self.is_inside && self.page.line.is_empty() && is_plain(lines.as_bytes()) => {
                self.page.written.push_str(lines);
            }
            _ => lines.split_inclusive(|byte| *byte == b'\n').for_each(|piece| self.push_piece(piece)),
        }
        if !rest.is_empty() {
            self.push_piece(rest);
        }
        std::mem::take(&mut self.page.written)
    }

    /// What stands in the line that may still be written over.
    pub(crate) fn open_line(&self) -> String {
        self.page.line.iter().collect()
    }

    /// Gives the line that may still be written over, and begins another.
    pub(crate) fn close_line(&mut self) -> String {
        self.page.write_line();
        std::mem::take(&mut self.page.written)
    }

    /// Takes a piece of one line, perhaps with its end.
    fn push_piece(&mut self, piece: &[u8]) {
        if !self.is_inside && self.page.column == self.page.line.len() && is_plain(piece) {
            return self.page.append(piece);
        }
        self.page.is_closed = false;
        self.parser.advance(&mut self.page, piece);
        self.is_inside = !piece.ends_with(b"\n");
        if !self.is_inside {
            self.parser = Parser::new();
            if !self.page.is_closed {
                self.page.execute(b'\n');
            }
        }
    }
}

fn is_plain(piece: &[u8]) -> bool {
    piece.iter().all(|byte| matches!(byte, b'\n' | b'\t' | b' '..=b'~'))
}

impl Page {
    fn append(&mut self, piece: &[u8]) {
        for part in piece.chunks(LONGEST_LINE) {
            if part.len() == LONGEST_LINE {
                // More than is kept open: what is here is certain.
                self.write_line();
                self.written.extend(std::str::from_utf8(part));
                continue;
            }
            let text = part.strip_suffix(b"\n").unwrap_or(part);
            self.line.extend(text.iter().map(|byte| char::from(*byte)));
            self.column = self.line.len();
            if text.len() < part.len() {
                self.end_line();
            } else if self.line.len() > LONGEST_LINE {
                self.write_line();
            }
        }
    }

    fn end_line(&mut self) {
        self.write_line();
        self.written.push('\n');
    }

    fn write_line(&mut self) {
        self.written.extend(self.line.drain(..));
        self.column = 0;
    }

    fn put(&mut self, letter: char) {
        match self.line.get_mut(self.column) {
            Some(place) => *place = letter,
            None => self.line.push(letter),
        }
        self.column += 1;
        if self.line.len() > LONGEST_LINE {
            self.write_line();
        }
    }
}

impl Perform for Page {
    fn print(&mut self, letter: char) {
        self.is_closed = false;
        if !letter.is_control() {
            self.put(letter);
        }
    }

    fn execute(&mut self, byte: u8) {
        self.is_closed = byte == b'\n';
        match byte {
            b'\n' => self.end_line(),
            b'\r' => self.column = 0,
            b'\t' => self.put('\t'),
            0x08 => self.column = self.column.saturating_sub(1),
            0 => self.put(char::REPLACEMENT_CHARACTER),
            _ => {}
        }
    }

    fn csi_dispatch(&mut self, parameters: &Params, intermediates: &[u8], _: bool, action: char) {
        if !intermediates.is_empty() {
            return;
        }
        let number = parameters.iter().next().map_or(0, |parameter| usize::from(parameter[0]));
        match (action, number) {
            ('K', 0) => self.line.truncate(self.column),
            ('K', 2) => (self.line.clear(), self.column = 0).1,
            ('G', _) => self.column = number.saturating_sub(1).min(self.line.len()),
            ('D', _) => self.column = self.column.saturating_sub(number.max(1)),
            ('C', _) => self.column = (self.column + number.max(1)).min(self.line.len()),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn plain(bytes: impl AsRef<[u8]>) -> String {
        let mut text = PlainText::default();
        let first = text.push(bytes.as_ref());
        first + &text.close_line()
    }

    #[test]
    fn text_stays_as_it_is() {
        for same in ["", "a", "a\n", "\n\n", "tab\tand ä文🎉\r\n".replace('\r', "").as_str(), "no end"] {
            assert_eq!(plain(same), same);
        }
        assert_eq!(plain("dos\r\nlines\r\n"), "dos\nlines\n");
    }

    #[test]
    fn colours_titles_and_links_go() {
        assert_eq!(plain("\x1b[1;31mred\x1b[0m \x1b[38:2::1:2:3mtrue\x1b[m"), "red true");
        assert_eq!(plain("\x1b]0;title\x07a\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\"), "alink");
        assert_eq!(plain("\x1b(B\x1b[?25lhidden\x1b[?25h\x07\x1bPq#0\x1b\\"), "hidden");
        assert_eq!(plain("\u{9b}31mc1\u{85}"), "31mc1");
    }

    #[test]
    fn of_a_line_that_is_written_over_the_last_is_left() {
        assert_eq!(plain("10%\r50%\r100%\ndone\n"), "100%\ndone\n");
        assert_eq!(plain("a long line\rshort\x1b[K\n"), "short\n");
        assert_eq!(plain("a long line\x1b[2K\rnew\n"), "new\n");
        assert_eq!(plain("abd\x08c\n12\x1b[1G3\n"), "abc\n32\n");
    }

    #[test]
    fn a_sequence_that_is_never_closed_costs_its_line_only() {
        assert_eq!(plain("a\x1b]0;never\nb\n\x1bPnor this\nc"), "a\nb\n\nc");
    }

    #[test]
    fn what_is_no_text_is_replaced() {
        assert_eq!(plain(b"a\xffb\0c\xe2\x82\nd"), "a\u{FFFD}b\u{FFFD}c\u{FFFD}\nd");
    }

    #[test]
    fn a_giant_line_is_given_out_in_bounds() {
        let mut text = PlainText::default();
        let mut length = 0;
        for block in [vec![b'x'; 65_536], vec![0xff; 65_536], b"\x1b]".repeat(40_000), vec![b'y'; 65_536]] {
            length += text.push(&block).len();
            assert!(text.page.line.len() <= 2 * LONGEST_LINE);
        }
        assert!(length > 65_536);
    }

    proptest! {
        #[test]
        fn however_it_is_cut_the_text_is_the_same_and_plain(
            bytes in proptest::collection::vec(prop_oneof![
                Just(b'\n'), Just(b'\r'), Just(0x1b), Just(b'['), Just(b']'), Just(b'K'), Just(8), Just(b'a'), any::<u8>(),
            ], 0..200),
            cut in 1..20usize,
        ) {
            let whole = plain(&bytes);

            let mut text = PlainText::default();
            let pieces: String = bytes.chunks(cut).map(|piece| text.push(piece)).collect();

            prop_assert_eq!(pieces + &text.close_line(), whole.clone());
            prop_assert!(whole.chars().all(|letter| matches!(letter, '\n' | '\t') || !letter.is_control()));
        }
    }
}
