//! The lines that one call shows.

use super::lines::Lines;
use crate::text::{MOST_BYTES, lossy, size};

/// Up to this size the lines of a file that are not shown are counted, so that the note can say how many there are.
const MOST_COUNTED: u64 = 64 * 1024 * 1024;

/// The lines that one call shows.
pub(super) struct Page {
    text: String,
    first: u64,
    /// How many lines it has.
    pub(super) shown: u64,
    /// Whether one more line was read and did not fit.
    is_held_back: bool,
    /// The length of a first line that did not fit as a whole.
    cut: Option<u64>,
    has_crlf: bool,
}

impl Page {
    /// Takes lines as long as whole ones fit; of a first line that does not, its beginning.
    pub(super) fn read(lines: &mut Lines, first: u64, limit: usize) -> Result<Self, String> {
        let mut page = Self { text: String::new(), first, shown: 0, is_held_back: false, cut: None, has_crlf: false };
        while page.shown < limit as u64 && page.cut.is_none() {
            let Some(line) = lines.next(MOST_BYTES)? else { break };
            let number = format!("{}|", first + page.shown);
            let text = lossy(&line.kept);
            let room = MOST_BYTES.saturating_sub(page.text.len() + number.len() + 1);
            let fits = line.bytes == line.kept.len() as u64 && text.len() <= room;
            if !fits && page.shown > 0 {
                page.is_held_back = true;
                break;
            }
            page.cut = (!fits).then_some(line.bytes);
            page.text.push_str(&number);
            page.text.push_str(&text[..text.floor_char_boundary(room)]);
            page.text.push('\n');
            page.shown += 1;
            page.has_crlf |= line.crlf;
        }
        Ok(page)
    }

    /// The page with its notes.
    pub(super) fn show(self, lines: &mut Lines, bytes: u64) -> Result<String, String> {
        let last = self.first + self.shown - 1;
        let mut text = self.text;
        if let Some(bytes) = self.cut {
            text.push_str(&format!("[line {last} has {}; only its beginning is shown]\n", size(bytes)));
        }
        if self.has_crlf {
            text.push_str("[lines end with CRLF]\n");
        }
        let is_at_end = !self.is_held_back && lines.peek()?.is_empty();
        let range = format!("lines {}-{last}", self.first);
        let go_on = format!("go on with offset={}", last + 1);
        if !is_at_end && bytes <= MOST_COUNTED {
            let all = last + u64::from(self.is_held_back) + lines.skip_up_to(u64::MAX)?;
            text.push_str(&format!("[{range} of {all}; {go_on}]\n"));
        } else if !is_at_end {
            text.push_str(&format!("[{range} of a file of {}; {go_on}]\n", size(bytes)));
        } else if self.first > 1 {
            text.push_str(&format!("[{range}, the end]\n"));
        }
        text.pop();
        Ok(text)
    }
}
