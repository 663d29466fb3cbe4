//! A line editor for a person at a terminal, and what they type while no prompt is shown.

use std::fs::{File, OpenOptions};
use std::io::{self, Read};
use std::os::fd::OwnedFd;
use std::os::unix::fs::OpenOptionsExt;
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, channel};
use std::thread;

use rustix::event::{PollFd, PollFlags, poll};
use rustyline::error::ReadlineError;
use rustyline::history::FileHistory;
use rustyline::{Config, Editor, ExternalPrinter};
use tracing::warn;

use super::complete::Typing;
use super::reader::Reading;
use super::streams::duplicate;
use super::writer::Prompter;
use crate::terminal::Settings;
use crate::terminal::decode::{Line, LineDecoder};

const PROMPT: &str = "> ";
/// How many lines the history keeps.
const HISTORY_LENGTH: usize = 1000;

/// The editor. While it shows no prompt the terminal is as usual: what is typed is echoed, and a line is taken when it ends. What
/// is half typed when a prompt comes is still in the terminal's own buffer, and so is typed at the prompt.
pub(in crate::terminal) struct LineEditor {
    editor: Editor<Typing, FileHistory>,
    history: Option<PathBuf>,
    stdin: File,
    decoder: LineDecoder,
    prompts: Receiver<u64>,
    wake: OwnedFd,
    /// How many readings were told.
    readings: u64,
    /// Whether another Ctrl-C at an empty prompt means to leave.
    may_quit: bool,
}

impl LineEditor {
    /// Makes an editor, and the end by which it is spoken to; it ends when that is dropped.
    pub(in crate::terminal) fn new(settings: &Settings) -> io::Result<(Self, Prompter)> {
        let config =
            Config::builder().max_history_size(HISTORY_LENGTH).and_then(|config| config.history_ignore_dups(true));
        let config = config.map_err(io::Error::other)?.history_ignore_space(true).build();
        let mut editor = Editor::with_config(config).map_err(io::Error::other)?;
        editor.set_helper(Some(Typing::new(settings.look.styled)));
        let printer = editor.create_external_printer().map_err(io::Error::other)?;
        let (announcements, announced) = channel();
        thread::Builder::new().name("terminal-announcer".into()).spawn(move || announce(printer, &announced))?;
        let (told, prompts) = channel();
        let (wake, waker) = rustix::pipe::pipe()?;
        let mut line_editor = Self {
            editor,
            history: settings.history.clone(),
            stdin: duplicate(io::stdin())?,
            decoder: LineDecoder::new(),
            prompts,
            wake,
            readings: 0,
            may_quit: false,
        };
        line_editor.load_history();
        Ok((line_editor, Prompter { prompts: told, wake: waker, announcements }))
    }

    /// Reads to the end of the input, or until the other end is dropped.
    pub(in crate::terminal) fn run(mut self, tell: impl Fn(Reading)) {
        loop {
            let readings = match self.wait() {
                Ok(Some(Woken::Input)) => self.read(),
                Ok(Some(Woken::Prompt)) => self.prompt_if_due(),
                Ok(None) => return,
                Err(error) => vec![Reading::Failed(error)],
            };
            for reading in readings {
                if let Reading::Line(Line::Text { text, .. }) = &reading {
                    self.remember(text);
                }
                let is_last = matches!(reading, Reading::Ended | Reading::Failed(_));
                self.readings += 1;
                tell(reading);
                if is_last {
                    return;
                }
            }
        }
    }

    /// Waits for a line or a prompt, the line first.
    fn wait(&self) -> io::Result<Option<Woken>> {
        let mut descriptors = [PollFd::new(&self.stdin, PollFlags::IN), PollFd::new(&self.wake, PollFlags::IN)];
        loop {
            match poll(&mut descriptors, None) {
                Err(rustix::io::Errno::INTR) => {}
                Err(error) => return Err(error.into()),
                Ok(_) => break,
            }
        }
        let [input, wake] = descriptors.map(|descriptor| descriptor.revents());
        Ok(match () {
            () if !input.is_empty() => Some(Woken::Input),
            () if wake.contains(PollFlags::IN) => Some(Woken::Prompt),
            () => None,
        })
    }

    fn read(&mut self) -> Vec<Reading> {
        let mut buffer = [0; 4096];
        let count = match self.stdin.read(&mut buffer) {
            Ok(count) => count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => return Vec::new(),
            Err(error) => return vec![Reading::Failed(error)],
        };
        if count == 0 {
            return self.decoder.finish().map(Reading::Line).into_iter().chain([Reading::Ended]).collect();
        }
        let (mut readings, mut rest) = (Vec::new(), &buffer[..count]);
        while !rest.is_empty() {
            let (taken, line) = self.decoder.take(rest);
            readings.extend(line.map(Reading::Line));
            rest = &rest[taken..];
        }
        readings
    }

    /// Shows the prompt that was asked for, unless something was told since: then another one will be asked for.
    fn prompt_if_due(&mut self) -> Vec<Reading> {
        let _ = rustix::io::read(&self.wake, &mut [0]);
        match self.prompts.try_recv() {
            Ok(readings) if readings == self.readings => vec![self.prompt()],
            _ => Vec::new(),
        }
    }

    fn prompt(&mut self) -> Reading {
        let (mut before, mut after) = (self.decoder.take_partial(), String::new());
        let mut has_lost_bytes = false;
        loop {
            let read =
                self.editor.readline_with_initial(PROMPT, (&std::mem::take(&mut before), &std::mem::take(&mut after)));
            match read {
                Ok(line) => {
                    self.may_quit = false;
                    let Some(decoded) = Line::of(&line) else { continue };
                    return Reading::Line(if has_lost_bytes { decoded.mended() } else { decoded });
                }
                // Bytes that are no text; what was typed before them goes on.
                Err(ReadlineError::Io(error)) if error.kind() == io::ErrorKind::InvalidData => {
                    (before, after) = self.editor.helper().map(Typing::parts).unwrap_or_default();
                    before.push(char::REPLACEMENT_CHARACTER);
                    has_lost_bytes = true;
                }
                Err(ReadlineError::Interrupted) if !self.is_empty() => self.may_quit = false,
                Err(ReadlineError::Interrupted) => {
                    let is_second = std::mem::replace(&mut self.may_quit, true);
                    return Reading::Interrupted { is_second };
                }
                Err(ReadlineError::Eof) => return Reading::Ended,
                Err(ReadlineError::Io(error)) => return Reading::Failed(error),
                Err(error) => return Reading::Failed(io::Error::other(error)),
            }
        }
    }

    fn is_empty(&self) -> bool {
        self.editor.helper().is_none_or(Typing::is_empty)
    }

    fn load_history(&mut self) {
        let Some(path) = &self.history else { return };
        // Made here, because the editor would change the mask of the whole process for a moment.
        let made = OpenOptions::new().create(true).append(true).mode(0o600).open(path);
        let loaded = made.map_err(ReadlineError::Io).and_then(|_| self.editor.load_history(path));
        if let Err(error) = loaded {
            warn!(%error, path = %path.display(), "the history of the line editor cannot be read");
        }
    }

    /// Puts a line into the history.
    fn remember(&mut self, line: &str) {
        let added = self.editor.add_history_entry(line);
        let Some(path) = self.history.as_ref().filter(|_| matches!(added, Ok(true))) else { return };
        if let Err(error) = self.editor.append_history(path) {
            warn!(%error, path = %path.display(), "the history of the line editor cannot be written");
        }
    }
}

enum Woken {
    Input,
    Prompt,
}

/// Prints above the prompt. On a thread of its own: while no prompt is shown, the editor may take its time.
fn announce(mut printer: impl ExternalPrinter, announced: &Receiver<String>) {
    for text in announced {
        if let Err(error) = printer.print(text) {
            warn!(%error, "something could not be shown above the prompt");
        }
    }
}
