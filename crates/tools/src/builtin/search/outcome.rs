//! What a search found, as far as it is shown.

use super::below::Below;
use crate::text::MOST_BYTES;

/// What a search found, as far as it is shown.
pub(super) struct Outcome {
    lines: Vec<String>,
    bytes: usize,
    most: usize,
    /// Whether there is more than is shown.
    pub(super) has_more: bool,
    /// Whether the time was up before all was searched.
    pub(super) is_late: bool,
    /// How many files could not be searched, since a line of them is too long.
    pub(super) unreadable: u64,
}

impl Outcome {
    pub(super) fn new(most: usize) -> Self {
        Self { lines: Vec::new(), bytes: 0, most, has_more: false, is_late: false, unreadable: 0 }
    }

    /// How many results are shown at most.
    pub(super) fn most(&self) -> usize {
        self.most
    }

    /// Takes a result; `false` where there is no room for it.
    pub(super) fn add(&mut self, line: String) -> bool {
        if self.lines.len() == self.most || self.bytes + line.len() >= MOST_BYTES {
            self.has_more = true;
            return false;
        }
        self.bytes += line.len() + 1;
        self.lines.push(line);
        true
    }

    pub(super) fn show(mut self, below: &Below) -> String {
        let shown = self.lines.len();
        if shown == 0 {
            self.lines.push("(nothing was found)".to_owned());
        }
        if self.has_more {
            self.lines.push(format!("[the first {shown}; there is more: narrow the search, or raise max_results]"));
        }
        if self.is_late {
            self.lines.push("[the time was up before all was searched: name a smaller folder]".to_owned());
        }
        if self.unreadable > 0 {
            self.lines
                .push(format!("[{} could not be searched]", crate::text::count(self.unreadable, "file", "files")));
        }
        if below.has_skipped() {
            self.lines.push("[ignored files and folders were skipped; no_ignore searches them too]".to_owned());
        }
        self.lines.join("\n")
    }
}
