//! Output that nobody has looked at yet: the newest of it.

use std::collections::VecDeque;

use crate::process::Capture;
use crate::text::size;

/// Output that nobody has looked at yet: the newest of it.
pub(super) struct Ring {
    bytes: VecDeque<u8>,
    most: usize,
    lost: u64,
}

impl Ring {
    pub(super) fn new(most: usize) -> Self {
        Self { bytes: VecDeque::new(), most, lost: 0 }
    }

    /// Adds output; the oldest makes room.
    pub(super) fn push(&mut self, text: &str) {
        self.bytes.extend(text.as_bytes());
        let excess = self.bytes.len().saturating_sub(self.most);
        self.bytes.drain(..excess);
        self.lost += excess as u64;
    }

    /// Takes it, as it is to be shown.
    pub(super) fn take(&mut self) -> String {
        let mut capture = Capture::default();
        // A character may have been cut where the oldest was dropped.
        while self.lost > 0 && self.bytes.front().is_some_and(|byte| byte & 0xC0 == 0x80) {
            self.bytes.pop_front();
        }
        let (first, second) = self.bytes.as_slices();
        capture.push(first);
        capture.push(second);
        let shown = capture.show(None);
        self.bytes = VecDeque::new();
        match std::mem::take(&mut self.lost) {
            0 => shown,
            lost => format!("[… {} before this are lost, as nobody looked …]\n{shown}", size(lost)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_look_shows_what_is_new() {
        let mut ring = Ring::new(100);
        ring.push("one\n");
        ring.push("two\n");

        assert_eq!([ring.take(), ring.take()], ["one\ntwo\n", ""]);
        ring.push("three");
        assert_eq!(ring.take(), "three");
    }

    #[test]
    fn the_newest_is_kept_and_what_is_lost_is_told() {
        let mut ring = Ring::new(10);

        ring.push(&"é".repeat(100));
        ring.push("x");

        assert_eq!(ring.take(), format!("[… 191 bytes before this are lost, as nobody looked …]\n{}x", "é".repeat(4)));
        assert_eq!(ring.take(), "");
    }
}
