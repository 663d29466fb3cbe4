//! Which updates were seen, and which of them are safe.

use std::collections::BTreeSet;

use super::Standing;

/// The updates of one bot. The service keeps each until a question names a later one.
#[derive(Debug, Default)]
pub(crate) struct Offsets {
    /// The update after the last that was seen.
    seen: i64,
    /// Those that were seen and are not safe.
    open: BTreeSet<i64>,
}

impl Offsets {
    /// Takes note of an update; `false` where it was seen before.
    pub(crate) fn see(&mut self, update: i64, asked: i64) -> bool {
        // After a week without any, the service may count anew from below.
        if update < asked {
            *self = Self::default();
        }
        if update < self.seen {
            return false;
        }
        self.seen = update + 1;
        self.open.insert(update);
        true
    }

    /// An update is safe.
    pub(crate) fn settle(&mut self, update: i64) {
        self.open.remove(&update);
    }

    pub(crate) fn standing(&self) -> Standing {
        let next = self.open.first().copied().unwrap_or(self.seen);
        Standing { next, is_settled: self.open.is_empty() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn standing(next: i64, is_settled: bool) -> Standing {
        Standing { next, is_settled }
    }

    #[test]
    fn nothing_is_confirmed_that_is_not_safe() {
        let mut offsets = Offsets::default();
        assert!(offsets.see(7, 0) && offsets.see(8, 0) && offsets.see(9, 0));

        offsets.settle(8);
        assert_eq!(offsets.standing(), standing(7, false));
        offsets.settle(7);
        assert_eq!(offsets.standing(), standing(9, false));
        offsets.settle(9);
        assert_eq!(offsets.standing(), standing(10, true));
    }

    #[test]
    fn what_comes_again_because_it_is_not_safe_is_not_new() {
        let mut offsets = Offsets::default();
        offsets.see(7, 0);

        assert!(!offsets.see(7, 7));
        assert!(offsets.see(8, 7));
    }

    #[test]
    fn a_count_that_starts_anew_is_followed() {
        let mut offsets = Offsets::default();
        offsets.see(900, 0);
        offsets.settle(900);

        assert!(offsets.see(5, 901));
        offsets.settle(5);

        assert_eq!(offsets.standing(), standing(6, true));
    }
}
