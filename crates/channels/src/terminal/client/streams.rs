//! What a terminal adapter reads from and writes to.

use std::fs::File;
use std::io::{self, IsTerminal, Read, Write};
use std::os::fd::{AsFd, OwnedFd};

use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::mpsc;

/// Assumed where a terminal does not tell its width.
const USUAL_WIDTH: usize = 80;
/// No terminal is taken to be narrower.
const SMALLEST_WIDTH: usize = 20;

/// What a terminal adapter reads from and writes to.
pub struct Streams {
    /// Where lines come from.
    pub input: Input,
    /// Where answers go.
    pub stdout: Box<dyn Write + Send>,
    /// Where, in a pipe, everything else goes.
    pub stderr: Box<dyn Write + Send>,
    /// Whether `stdout` is a terminal, which text of others could do harm to.
    pub stdout_is_terminal: bool,
    /// Tells how many columns the terminal has now.
    pub width: Box<dyn Fn() -> usize + Send>,
    /// Yields whenever a person wants to interrupt.
    pub interrupts: mpsc::UnboundedReceiver<()>,
}

/// Where lines come from.
pub enum Input {
    /// From bytes.
    Lines(Box<dyn Read + Send>),
    /// From a person at the terminal of this process, by a line editor.
    Editor,
}

impl Streams {
    /// The streams of this process and its interrupt signal, which from now on does not end it any more. With `has_editor` lines
    /// are read by a line editor; both streams then have to be a terminal.
    ///
    /// # Errors
    ///
    /// When a stream is closed, or signals cannot be listened to.
    ///
    /// # Panics
    ///
    /// Outside a runtime of tokio.
    pub fn of_process(has_editor: bool) -> io::Result<Self> {
        let stdout = duplicate(io::stdout())?;
        let terminal = duplicate(io::stdout())?;
        let input = match has_editor {
            true => Input::Editor,
            false => Input::Lines(Box::new(duplicate(io::stdin())?)),
        };
        let stdout_is_terminal = stdout.is_terminal();
        Ok(Self {
            input,
            stdout_is_terminal,
            stdout: Box::new(stdout),
            stderr: Box::new(duplicate(io::stderr())?),
            width: Box::new(move || if stdout_is_terminal { width_of_terminal(&terminal) } else { USUAL_WIDTH }),
            interrupts: interrupts()?,
        })
    }
}

/// A descriptor of our own, so that bytes pass no buffer of the standard library, which would part them at line ends.
pub(super) fn duplicate(stream: impl AsFd) -> io::Result<File> {
    stream.as_fd().try_clone_to_owned().map(|fd: OwnedFd| File::from(fd))
}

fn width_of_terminal(terminal: &File) -> usize {
    let told = rustix::termios::tcgetwinsize(terminal).map_or(0, |size| usize::from(size.ws_col));
    if told == 0 { USUAL_WIDTH } else { told.max(SMALLEST_WIDTH) }
}

fn interrupts() -> io::Result<mpsc::UnboundedReceiver<()>> {
    let mut signals = signal(SignalKind::interrupt())?;
    let (tell, interrupts) = mpsc::unbounded_channel();
    tokio::spawn(async move { while signals.recv().await.is_some() && tell.send(()).is_ok() {} });
    Ok(interrupts)
}
