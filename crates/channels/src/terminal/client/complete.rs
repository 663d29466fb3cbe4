//! What the line editor knows of what is typed: commands and files to complete it to, and whether it is empty.

use std::borrow::Cow;
use std::cell::RefCell;

use chat::command::COMMANDS;
use rustyline::completion::{Completer, FilenameCompleter, Pair};
use rustyline::highlight::Highlighter;
use rustyline::hint::Hinter;
use rustyline::validate::Validator;
use rustyline::{Context, Helper};

use crate::markdown::style::Style;

/// Helps the line editor.
pub(super) struct Typing {
    /// What is typed, and where the cursor is in it.
    typed: RefCell<(String, usize)>,
    is_styled: bool,
    files: FilenameCompleter,
}

impl Typing {
    pub(super) fn new(is_styled: bool) -> Self {
        Self { typed: RefCell::default(), is_styled, files: FilenameCompleter::new() }
    }

    /// Whether nothing was typed when the editor returned.
    pub(super) fn is_empty(&self) -> bool {
        self.typed.borrow().0.is_empty()
    }

    /// What was typed before the cursor and after it when the editor returned.
    pub(super) fn parts(&self) -> (String, String) {
        let (line, at) = &*self.typed.borrow();
        let (before, after) = line.split_at(*at);
        (before.to_owned(), after.to_owned())
    }
}

impl Helper for Typing {}

impl Validator for Typing {}

impl Hinter for Typing {
    type Hint = String;

    /// There are no hints: this is where the editor tells what is typed, which an interrupt does not.
    fn hint(&self, line: &str, at: usize, _: &Context<'_>) -> Option<String> {
        self.typed.replace((line.to_owned(), at));
        None
    }
}

impl Highlighter for Typing {
    fn highlight_prompt<'b, 's: 'b, 'p: 'b>(&'s self, prompt: &'p str, _: bool) -> Cow<'b, str> {
        if self.is_styled { Cow::Owned(Style::BOLD.paint(prompt)) } else { Cow::Borrowed(prompt) }
    }
}

impl Completer for Typing {
    type Candidate = Pair;

    fn complete(&self, line: &str, at: usize, context: &Context<'_>) -> rustyline::Result<(usize, Vec<Pair>)> {
        let commands = commands(&line[..at]);
        if commands.is_empty() { self.files.complete(line, at, context) } else { Ok((0, commands)) }
    }
}

/// The commands that begin like this.
fn commands(typed: &str) -> Vec<Pair> {
    let Some(typed) = typed.strip_prefix('/') else { return Vec::new() };
    let matching = COMMANDS.iter().filter(|(name, ..)| name.starts_with(typed));
    let candidate = |(name, rest, _): &(&str, &str, &str)| {
        let space = if rest.is_empty() { "" } else { " " };
        Pair { display: format!("/{name}{rest}"), replacement: format!("/{name}{space}") }
    };
    matching.map(candidate).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn replacements(typed: &str) -> Vec<String> {
        commands(typed).into_iter().map(|pair| pair.replacement).collect()
    }

    #[test]
    fn commands_are_completed_where_a_message_begins() {
        assert_eq!(replacements("/st"), ["/stop", "/steer ", "/status"]);
        assert_eq!(
            replacements("/"),
            COMMANDS.map(|(name, rest, _)| format!("/{name}{}", if rest.is_empty() { "" } else { " " }))
        );
    }

    #[test]
    fn anything_else_is_no_command() {
        assert!(replacements("/etc/ho").is_empty());
        assert!(replacements("see /st").is_empty());
        assert!(replacements("").is_empty());
    }
}
