//! Where lines come from, and how far ahead they are read.

use std::io::{self, Read};
use std::sync::mpsc::{Sender, channel};
use std::thread;

use super::editor::LineEditor;
use super::reader::{Reading, read_lines};
use super::streams::{Input, duplicate};
use super::writer::Prompter;
use crate::terminal::Settings;

/// How many lines may be without an end before the next one is read.
const READ_AHEAD: usize = 20;

/// The input.
pub(in crate::terminal) enum Source {
    /// Nothing is read yet.
    Waiting(Waiting),
    /// Lines are read, as many as are allowed.
    Reading(Sender<()>),
    /// A person is at the line editor, or nothing is read any more.
    Detached,
}

pub(in crate::terminal) enum Waiting {
    Lines(Box<dyn Read + Send>),
    Editor(Box<LineEditor>),
}

impl Source {
    /// Makes the input ready, and, where there is a line editor, the end by which it is spoken to. Where the cursor does not move,
    /// lines are read as the terminal itself edits them.
    pub(in crate::terminal) fn new(input: Input, settings: &Settings) -> io::Result<(Self, Option<Prompter>)> {
        match input {
            Input::Lines(lines) => Ok((Self::Waiting(Waiting::Lines(lines)), None)),
            Input::Editor if !settings.look.moves => {
                let lines = duplicate(io::stdin())?;
                Ok((Self::Waiting(Waiting::Lines(Box::new(lines))), None))
            }
            Input::Editor => {
                let (editor, prompter) = LineEditor::new(settings)?;
                Ok((Self::Waiting(Waiting::Editor(Box::new(editor))), Some(prompter)))
            }
        }
    }

    /// Starts the thread that reads.
    pub(in crate::terminal) fn start(&mut self, tell: impl Fn(Reading) + Send + 'static) -> io::Result<()> {
        let thread = thread::Builder::new().name("terminal-input".into());
        match std::mem::replace(self, Self::Detached) {
            Self::Waiting(Waiting::Lines(lines)) => {
                let (allow, permits) = channel();
                *self = Self::Reading(allow);
                (0..READ_AHEAD).for_each(|_| self.allow());
                thread.spawn(move || read_lines(lines, &permits, tell))?;
            }
            Self::Waiting(Waiting::Editor(editor)) => _ = thread.spawn(move || editor.run(tell))?,
            started => *self = started,
        }
        Ok(())
    }

    /// Allows one more line to be read.
    pub(in crate::terminal) fn allow(&self) {
        if let Self::Reading(allow) = self {
            // The thread is gone when the input has ended.
            let _ = allow.send(());
        }
    }

    /// Reads nothing any more.
    pub(in crate::terminal) fn close(&mut self) {
        *self = Self::Detached;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::terminal::Look;

    #[test]
    fn where_the_cursor_does_not_move_there_is_no_line_editor() {
        let settings = Settings { history: None, look: Look::of(Some("dumb"), None) };

        let (source, prompter) = Source::new(Input::Editor, &settings).unwrap();

        assert!(matches!(source, Source::Waiting(Waiting::Lines(_))));
        assert!(prompter.is_none());
    }
}
