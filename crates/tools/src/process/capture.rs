//! What a program wrote: its beginning and its end, whatever its length.

use crate::text::{MOST_BYTES, MOST_LINES, count, head, lossy, size, tail};

/// Bytes of the beginning that are kept; some more than are shown, so that it can be cut where a line ends.
const KEPT_HEAD: usize = 16 * 1024;

/// Bytes of the end that are kept.
const KEPT_TAIL: usize = MOST_BYTES;

/// Of an output that is too long, how much is shown of its beginning; the rest of the room is for its end.
const SHOWN_HEAD: (usize, usize) = (MOST_LINES / 5, MOST_BYTES / 6);

/// Bytes that a person is shown while the program runs.
const GLIMPSE: usize = 4 * 1024;

/// From this many bytes on, output of which a tenth is no text is not shown.
const MOST_OF_NO_TEXT: u64 = 4 * 1024;

/// What a program wrote: its beginning and its end, and how much that was.
#[derive(Default)]
pub(crate) struct Capture {
    head: Vec<u8>,
    tail: Vec<u8>,
    bytes: u64,
    breaks: u64,
}

impl Capture {
    /// Adds what was read.
    pub(crate) fn push(&mut self, piece: &[u8]) {
        self.bytes += piece.len() as u64;
        self.breaks += breaks(piece);
        let (first, rest) = piece.split_at(piece.len().min(KEPT_HEAD - self.head.len()));
        self.head.extend_from_slice(first);
        self.tail.extend_from_slice(rest);
        // Not at every push, for each moves all that is kept.
        if self.tail.len() > 2 * KEPT_TAIL {
            self.tail.drain(..self.tail.len() - KEPT_TAIL);
        }
    }

    /// Whether all of it would still be shown with this added.
    pub(crate) fn would_fit(&self, piece: &[u8]) -> bool {
        let bytes = self.bytes + piece.len() as u64;
        bytes <= MOST_BYTES as u64 && self.breaks + breaks(piece) <= MOST_LINES as u64
    }

    /// What is kept of it: everything, as long as it fits.
    pub(crate) fn kept(&self) -> Vec<u8> {
        [self.head.as_slice(), self.tail.as_slice()].concat()
    }

    /// Its last lines, for people, with the one that is not closed.
    pub(crate) fn glimpse(&self, open_line: &str) -> String {
        // A few bytes more, for the first character may be cut.
        let kept = if self.tail.len() > GLIMPSE + 4 { self.tail.clone() } else { self.kept() };
        let last = lossy(&kept[kept.len().saturating_sub(GLIMPSE + 4)..]) + open_line;
        tail(&last, MOST_LINES, GLIMPSE).to_owned()
    }

    /// What the model is shown; `where_all_is` says where to find the whole of what is too long.
    pub(crate) fn show(&self, where_all_is: Option<&str>) -> String {
        let is_whole = self.bytes == (self.head.len() + self.tail.len()) as u64;
        let (first, last) =
            if is_whole { (lossy(&self.kept()), None) } else { (lossy(&self.head), Some(lossy(&self.tail))) };
        let where_all_is = where_all_is.map(|place| format!("; {place}")).unwrap_or_default();
        if self.bytes > MOST_OF_NO_TEXT && is_no_text(&first) {
            let sample = head(&first, 10, 500);
            return format!("{sample}\n[the output is no text: {}{where_all_is}]\n", size(self.bytes));
        }
        if is_whole && first.len() <= MOST_BYTES && self.breaks <= MOST_LINES as u64 {
            return first;
        }
        let (lines, bytes) = SHOWN_HEAD;
        let last = tail(last.as_ref().unwrap_or(&first), MOST_LINES - lines, MOST_BYTES - bytes);
        let all = format!("{}, {}", count(self.breaks, "line", "lines"), size(self.bytes));
        format!("{}\n[… cut here: {all} in all{where_all_is} …]\n\n{last}", head(&first, lines, bytes))
    }
}

fn breaks(piece: &[u8]) -> u64 {
    piece.iter().filter(|byte| **byte == b'\n').count() as u64
}

fn is_no_text(text: &str) -> bool {
    let replaced = text.chars().filter(|letter| *letter == char::REPLACEMENT_CHARACTER).count();
    replaced * 10 > text.chars().count()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn captured(pieces: impl IntoIterator<Item = Vec<u8>>) -> Capture {
        let mut capture = Capture::default();
        pieces.into_iter().for_each(|piece| capture.push(&piece));
        capture
    }

    #[test]
    fn what_fits_is_shown_as_it_is() {
        let capture = captured([b"one\ntw".to_vec(), b"o".to_vec()]);

        assert_eq!(capture.show(None), "one\ntwo");
        assert_eq!(capture.glimpse(""), "one\ntwo");
    }

    #[test]
    fn five_megabytes_are_kept_and_shown_in_bounds() {
        let line = |number: usize| format!("{number:06} {}\n", "x".repeat(93)).into_bytes();
        let capture = captured((0..50_000).map(line));

        let shown = capture.show(Some("all of it is elsewhere"));

        assert!(capture.head.len() + capture.tail.len() <= KEPT_HEAD + 2 * KEPT_TAIL);
        assert!(shown.starts_with("000000 x") && shown.ends_with("x\n"));
        assert!(shown.contains("\n049999 x"));
        assert!(shown.contains("[… cut here: 50000 lines, 4.8 MB in all; all of it is elsewhere …]"), "{shown}");
        assert!((MOST_BYTES - 1_000..MOST_BYTES + 200).contains(&shown.len()), "{}", shown.len());
    }

    #[test]
    fn of_many_short_lines_the_first_and_the_last_are_shown() {
        let capture = captured((0..3_000).map(|number| format!("{number}\n").into_bytes()));

        let shown = capture.show(None);

        assert!(shown.contains("399\n\n[… cut here: 3000 lines"));
        assert!(shown.contains("…]\n\n1400\n"));
    }

    #[test]
    fn a_giant_line_is_cut_between_characters() {
        let capture = captured((0..50_000).map(|_| "é".as_bytes().to_vec()));

        let shown = capture.show(None);

        assert!(!shown.contains(char::REPLACEMENT_CHARACTER));
        assert!(shown.starts_with('é') && shown.ends_with('é'));
    }

    #[test]
    fn much_that_is_no_text_is_only_hinted_at() {
        let capture = captured((0..64).map(|_| (0..=255).collect::<Vec<u8>>().repeat(4)));

        let shown = capture.show(None);

        assert!(shown.len() < 2_000, "{}", shown.len());
        assert!(shown.ends_with("[the output is no text: 64.0 KB]\n"));
    }

    proptest! {
        #[test]
        fn how_the_output_was_cut_into_reads_does_not_matter(length in 0..200_000usize, step in 1..70_000usize) {
            let all: Vec<u8> = (0..length).map(|at| if at % 61 == 0 { b'\n' } else { b'a' + (at % 23) as u8 }).collect();

            let pieces = captured(all.chunks(step).map(<[u8]>::to_vec));

            prop_assert_eq!(pieces.show(None), captured([all]).show(None));
        }
    }
}
