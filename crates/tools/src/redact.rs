//! Secrets taken out of what is shown, sent and logged.
//!
//! Two kinds are known: values that this process holds (keys, tokens), and texts that have the shape of a token, wherever they come
//! from. Both become [`REDACTED`].

mod shapes;
mod stream;

use std::borrow::Cow;
use std::sync::Arc;

use aho_corasick::{AhoCorasick, Input, MatchKind};
use shapes::Found;

pub use stream::Redactor;

/// What stands in a secret's place.
pub const REDACTED: &str = "[redacted]";

/// A shorter value is no secret, and would be found in every second text.
const SHORTEST: usize = 8;

/// The secrets that are taken out. Cheap to copy. It has no `Debug` that would show them.
#[derive(Clone, Default)]
pub struct Secrets {
    values: Arc<[String]>,
    search: Option<Arc<AhoCorasick>>,
}

impl Secrets {
    /// These values, beside all that has the shape of a token. Values of fewer than 8 characters are left alone.
    #[must_use]
    pub fn new(values: impl IntoIterator<Item = String>) -> Self {
        let mut values: Vec<String> =
            values.into_iter().map(|value| value.trim().to_owned()).filter(|value| value.len() >= SHORTEST).collect();
        values.sort();
        values.dedup();
        // More of them than the searcher can take do not fit into a process's environment.
        let search = AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).build(&values).ok();
        Self { search: search.filter(|_| !values.is_empty()).map(Arc::new), values: values.into() }
    }

    /// The text without secrets.
    #[must_use]
    pub fn redact<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let found = self.find(text, 0);
        if found.is_empty() { Cow::Borrowed(text) } else { Cow::Owned(replaced(text, 0, &found)) }
    }

    /// A text from a place on, without secrets.
    fn redacted(&self, text: &str, from: usize) -> String {
        replaced(text, from, &self.find(text, from))
    }

    /// Takes secrets out of a text in place.
    pub fn redact_in(&self, text: &mut String) {
        if let Cow::Owned(redacted) = self.redact(text) {
            *text = redacted;
        }
    }

    /// Where secrets stand, in order; what overlaps is one.
    fn find(&self, text: &str, from: usize) -> Vec<(usize, usize)> {
        let mut merged: Vec<(usize, usize)> = Vec::new();
        for Found { start, end, .. } in self.find_each(text, from) {
            match merged.last_mut() {
                Some(last) if start < last.1 => last.1 = last.1.max(end),
                _ => merged.push((start, end)),
            }
        }
        merged
    }

    fn find_each(&self, text: &str, from: usize) -> Vec<Found> {
        let values = self.search.iter().flat_map(|search| search.find_iter(Input::new(text).range(from..)));
        let values = values.map(|it| Found { start: it.start(), end: it.end(), known_from: it.start() });
        let mut found: Vec<Found> = values.chain(shapes::find(text, from)).collect();
        found.sort_unstable();
        found
    }

    /// Where the end of a text begins that can still become a secret with what comes behind it.
    fn open_from(&self, text: &str, from: usize) -> usize {
        let longest = self.values.iter().map(String::len).max().unwrap_or(0);
        let first = from.max(text.len().saturating_sub(longest));
        let begins_one = |at: &usize| {
            let end = &text.as_bytes()[*at..];
            self.values.iter().any(|value| value.len() > end.len() && value.as_bytes().starts_with(end))
        };
        let of_values = (first..text.len()).filter(|at| text.is_char_boundary(*at)).find(begins_one);
        let open = shapes::open_from(text, from).min(of_values.unwrap_or(text.len()));
        // A secret that is whole may begin before that, or be known by what stands before, and be part of a longer one.
        let found = self.find_each(text, from);
        let before = |open: usize| {
            found.iter().filter(move |it| it.known_from < open && open < it.end).map(|it| it.known_from).min()
        };
        std::iter::successors(Some(open), |open| before(*open)).last().unwrap_or(open)
    }
}

fn replaced(text: &str, from: usize, found: &[(usize, usize)]) -> String {
    let mut redacted = String::with_capacity(text.len() - from);
    let mut at = from;
    for (start, end) in found {
        redacted.push_str(&text[at..*start]);
        redacted.push_str(REDACTED);
        at = *end;
    }
    redacted.push_str(&text[at..]);
    redacted
}

impl std::fmt::Debug for Secrets {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Secrets({})", self.values.len())
    }
}

/// Whether a variable of this name holds a secret.
#[must_use]
pub fn is_secret_name(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    ["KEY", "TOKEN", "SECRET", "PASSWORD", "PASSWD", "CREDENTIAL"].iter().any(|part| name.contains(part))
}

#[cfg(test)]
mod tests;
