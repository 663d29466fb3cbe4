//! What people are shown of an edit.

use std::time::Duration;

use similar::{Algorithm, TextDiff};

use crate::text::{clip, head};

/// Lines and bytes of a diff that are shown.
const MOST_SHOWN: (usize, usize) = (200, 8 * 1024);

/// From then on a worse diff will do.
const LONGEST: Duration = Duration::from_millis(500);

/// Letters of a line that are shown.
const WIDEST: usize = 300;

/// The change as a unified diff in Markdown.
pub(super) fn diff(path: &str, old: &str, new: &str) -> String {
    let diff = TextDiff::configure().algorithm(Algorithm::Myers).timeout(LONGEST).diff_lines(old, new);
    let text = diff.unified_diff().context_radius(3).header(path, path).to_string();
    let clipped: Vec<String> = text.lines().map(|line| clip(line, WIDEST)).collect();
    let text = clipped.join("\n");
    let shown = head(&text, MOST_SHOWN.0, MOST_SHOWN.1);
    let rest = if shown.len() < text.len() { "\n…" } else { "" };
    let fence = "`".repeat(longest_run_of_ticks(shown).max(2) + 1);
    format!("{fence}diff\n{}{rest}\n{fence}", shown.trim_end())
}

fn longest_run_of_ticks(text: &str) -> usize {
    text.split(|letter| letter != '`').map(str::len).max().unwrap_or(0)
}
