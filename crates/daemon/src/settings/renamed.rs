//! Keys of earlier versions, so that an upgrade starts.

use super::document::{self, Table};
use super::{KeyPath, Lines};

/// A key that had another name once, or a meaning.
pub(crate) struct Renamed {
    /// What it was called.
    pub(crate) old: &'static str,
    /// What it is called now; `None` where it is gone.
    pub(crate) new: Option<&'static str>,
    /// What to know where it is gone.
    pub(crate) note: &'static str,
}

/// The keys that were renamed or removed since the first version: none so far.
pub(crate) const RENAMED: &[Renamed] = &[];

/// Gives old keys their new names, and says so: the line of each, and what became of it.
pub(crate) fn apply(table: &mut Table<'_>, lines: &Lines, renamed: &[Renamed]) -> Vec<(usize, String)> {
    renamed.iter().filter_map(|entry| entry.apply(table, lines)).collect()
}

impl Renamed {
    fn apply(&self, table: &mut Table<'_>, lines: &Lines) -> Option<(usize, String)> {
        let value = document::remove(table, &KeyPath::dotted(self.old))?;
        document::remove_empty_around(table, &KeyPath::dotted(self.old));
        let line = lines.number(value.span().start);
        let old = self.old;
        let Some(new) = self.new else {
            return Some((line, format!("`{old}` has no meaning any more: {}", self.note)));
        };
        let text = match document::insert(table, &KeyPath::dotted(new), value) {
            Ok(()) => format!("`{old}` is now called `{new}`; the old name still works"),
            Err(_) => format!("`{old}` is now called `{new}`, which is set too; the old one is ignored"),
        };
        Some((line, text))
    }
}
