//! The place in the text, and what was noticed on the way to it.

use std::cell::Cell;

use crate::Error;
use crate::punctuation::is_space;
use crate::repaired::{Repair, RepairKind};

/// Reads a text from its start to its end. Looking ahead counts as reading, so that what a text costs can be tested.
pub(crate) struct Reader<'a> {
    text: &'a str,
    at: usize,
    steps: Cell<u64>,
    repairs: Vec<Repair>,
    /// The first backslash that was kept because it escapes nothing.
    kept_backslash: Option<usize>,
    /// The first escape that stands for a control character.
    control_escape: Option<usize>,
    /// The first string with unescaped quotes in it.
    inner_quote: Option<usize>,
}

impl<'a> Reader<'a> {
    pub(crate) fn over(text: &'a str) -> Self {
        Self {
            text,
            at: 0,
            steps: Cell::new(0),
            repairs: Vec::new(),
            kept_backslash: None,
            control_escape: None,
            inner_quote: None,
        }
    }

    pub(crate) fn at(&self) -> usize {
        self.at
    }

    pub(crate) fn char_at(&self, at: usize) -> Option<char> {
        self.steps.set(self.steps.get() + 1);
        self.text[at..].chars().next()
    }

    pub(crate) fn peek(&self) -> Option<char> {
        self.char_at(self.at)
    }

    pub(crate) fn bump(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.at += c.len_utf8();
        Some(c)
    }

    /// Goes on to `at`, which was looked at before.
    pub(crate) fn go_to(&mut self, at: usize) {
        self.at = at;
    }

    pub(crate) fn take_while(&mut self, mut wanted: impl FnMut(char) -> bool) -> &'a str {
        let start = self.at;
        while self.peek().is_some_and(&mut wanted) {
            self.bump();
        }
        &self.text[start..self.at]
    }

    pub(crate) fn slice(&self, start: usize, end: usize) -> &'a str {
        &self.text[start..end]
    }

    /// The first place from `at` on that is not white space.
    pub(crate) fn past_space(&self, mut at: usize) -> usize {
        while let Some(c) = self.char_at(at).filter(|c| is_space(*c)) {
            at += c.len_utf8();
        }
        at
    }

    /// Whether `sign` stands at `at`.
    pub(crate) fn has(&self, at: usize, sign: &str) -> bool {
        self.steps.set(self.steps.get() + 1);
        self.text[at..].starts_with(sign)
    }

    pub(crate) fn begins_comment(&self, at: usize) -> bool {
        self.has(at, "//") || self.has(at, "/*")
    }

    pub(crate) fn note(&mut self, kind: RepairKind, at: usize) {
        self.repairs.push(Repair { kind, at });
    }

    pub(crate) fn note_inner_quote(&mut self, at: usize) {
        self.inner_quote.get_or_insert(at);
        self.note(RepairKind::InnerQuote, at);
    }

    /// Takes down that a string keeps its backslashes. Another string, in which `\n` would be a newline, then is in doubt.
    pub(crate) fn note_kept_backslash(&mut self, at: usize) -> Result<(), Error> {
        self.kept_backslash.get_or_insert(at);
        self.note(RepairKind::Backslash, at);
        self.check_backslashes()
    }

    pub(crate) fn note_control_escape(&mut self, at: usize) -> Result<(), Error> {
        self.control_escape.get_or_insert(at);
        self.check_backslashes()
    }

    fn check_backslashes(&self) -> Result<(), Error> {
        match (self.kept_backslash, self.control_escape) {
            (Some(_), Some(at)) => {
                Err(Error::ambiguous("an escape beside strings whose backslashes escape nothing", at))
            }
            _ => Ok(()),
        }
    }

    pub(crate) fn inner_quote(&self) -> Option<usize> {
        self.inner_quote
    }

    /// How often a character was looked at.
    #[cfg(test)]
    pub(crate) fn steps(&self) -> u64 {
        self.steps.get()
    }

    pub(crate) fn into_repairs(self) -> Vec<Repair> {
        self.repairs
    }
}
