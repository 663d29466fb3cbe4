//! Searching the names of files.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use globset::GlobMatcher;

use super::Clock;
use super::below::{Below, glob_of, matches};
use super::outcome::Outcome;

/// What names are compared with.
enum Wanted {
    /// A part of the name, in lower case.
    Part(String),
    Glob(GlobMatcher),
}

impl Wanted {
    fn new(pattern: &str) -> Result<Self, String> {
        if pattern.contains(['*', '?', '[', '{']) {
            return glob_of("pattern", pattern, true).map(Self::Glob);
        }
        Ok(Self::Part(pattern.to_lowercase()))
    }

    fn fits(&self, path: &Path) -> bool {
        match self {
            Self::Glob(glob) => matches(glob, path),
            Self::Part(part) if part.contains('/') => path.to_string_lossy().to_lowercase().contains(part),
            Self::Part(part) => {
                path.file_name().is_some_and(|name| name.to_string_lossy().to_lowercase().contains(part))
            }
        }
    }
}

/// Finds names, the newest files first.
pub(super) fn search(pattern: &str, below: &Below, clock: &Clock, outcome: &mut Outcome) -> Result<(), String> {
    let wanted = Wanted::new(pattern)?;
    // Never more than are shown; the oldest is on top.
    let mut newest: BinaryHeap<Reverse<(i64, i64, String)>> = BinaryHeap::new();
    for entry in below.walk() {
        if !clock.goes_on()? {
            outcome.is_late = true;
            break;
        }
        if !wanted.fits(below.inside(entry.path())) {
            continue;
        }
        let Ok(found) = entry.metadata() else { continue };
        let mark = if found.is_dir() { "/" } else { "" };
        newest.push(Reverse((found.mtime(), found.mtime_nsec(), format!("{}{mark}", below.called(entry.path())))));
        if newest.len() > outcome.most() {
            newest.pop();
            outcome.has_more = true;
        }
    }
    for Reverse((_, _, name)) in newest.into_sorted_vec() {
        if !outcome.add(name) {
            break;
        }
    }
    Ok(())
}
