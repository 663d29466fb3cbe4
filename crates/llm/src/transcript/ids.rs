//! Ids of calls that are unique in a request. A history may repeat them: some servers give every call the same.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use crate::Format;

/// The ids that were given out in one request.
#[derive(Debug)]
pub(super) struct Ids<'a> {
    format: Format,
    used: HashSet<Cow<'a, str>>,
    /// How often each id was asked for again.
    repeats: HashMap<Cow<'a, str>, usize>,
}

/// OpenAI refuses ids that are longer than 40 characters.
const LONGEST: usize = 40;

impl<'a> Ids<'a> {
    pub(super) fn new(format: Format) -> Self {
        Self { format, used: HashSet::new(), repeats: HashMap::new() }
    }

    /// Keeps an id that the format takes and that is new, and makes one of it otherwise: the same for the same history.
    pub(super) fn fit(&mut self, id: &'a str) -> Cow<'a, str> {
        let id = self.in_form(id);
        if self.used.insert(id.clone()) {
            return id;
        }
        let mut at = self.repeats.get(&id).map_or(2, |last| last + 1);
        let mut other = with_number(&id, at);
        while self.used.contains(other.as_str()) {
            at += 1;
            other = with_number(&id, at);
        }
        self.repeats.insert(id, at);
        self.used.insert(Cow::Owned(other.clone()));
        Cow::Owned(other)
    }

    fn in_form(&self, id: &'a str) -> Cow<'a, str> {
        // Moonshot's own ids (`functions.read:0`) mean something to its models, so that only Anthropic's rule is kept where it holds.
        let fits = |c: char| match self.format {
            Format::Anthropic => c.is_ascii_alphanumeric() || c == '_' || c == '-',
            Format::OpenAi | Format::Gemini => c.is_ascii_graphic(),
        };
        if !id.is_empty() && id.len() <= LONGEST && id.chars().all(fits) {
            return Cow::Borrowed(id);
        }
        let fitted: String = id.chars().map(|c| if fits(c) { c } else { '_' }).take(LONGEST).collect();
        if fitted.is_empty() { Cow::Borrowed("call") } else { Cow::Owned(fitted) }
    }
}

fn with_number(id: &str, number: usize) -> String {
    let number = format!("_{number}");
    let keep: String = id.chars().take(LONGEST - number.len()).collect();
    keep + &number
}
