//! The real binary at a pseudo-terminal: what a person types, and what they see.

use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::OwnedFd;

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Termios, Winsize, tcgetattr, tcsetwinsize};
use testkit::bound::{LIMIT, within_limit};
use tokio::process::{Child, Command};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

use super::process::Place;

/// What a terminal sends for Ctrl-C.
pub(crate) const CTRL_C: &str = "\x03";
/// What a terminal sends for Ctrl-D.
pub(crate) const CTRL_D: &str = "\x04";

/// A process at a terminal of its own.
pub(crate) struct Desk {
    child: Child,
    /// The end of the person.
    keyboard: File,
    /// The end of the process. While it is held its modes can be looked at.
    line: File,
    modes: Termios,
    output: UnboundedReceiver<Vec<u8>>,
    /// What was shown since the last look, without the sequences that move and colour.
    unseen: Screen,
}

/// Text as a terminal got it, without escape sequences.
#[derive(Default)]
struct Screen {
    text: String,
    raw: Vec<u8>,
}

impl Desk {
    /// Starts a chat at a terminal and waits for its prompt.
    pub(crate) async fn at_prompt(place: &Place) -> Self {
        let mut desk = Self::start(place);
        desk.shows("> ").await;
        desk
    }

    fn start(place: &Place) -> Self {
        let (keyboard, line) = open().expect("the system has pseudo-terminals");
        let modes = tcgetattr(&line).expect("it is a terminal");
        let chat = place.command(&["chat"]);
        // A process without a controlling terminal gets no signal for Ctrl-C.
        let mut command = Command::new("setsid");
        command.arg("--ctty").arg(chat.get_program()).args(chat.get_args()).env_clear();
        command.envs(chat.get_envs().filter_map(|(name, value)| Some((name, value?))));
        command.env("TERM", "xterm").env("NO_COLOR", "1").current_dir(place.work()).kill_on_drop(true);
        let end = || line.try_clone().expect("a descriptor can be duplicated");
        let child = command.stdin(end()).stdout(end()).stderr(end()).spawn().expect("setsid is installed");
        let output = read_all(keyboard.try_clone().expect("a descriptor can be duplicated"));
        Self { child, keyboard, line, modes, output, unseen: Screen::default() }
    }

    /// Presses these keys.
    pub(crate) fn types(&mut self, keys: &str) {
        self.keyboard.write_all(keys.as_bytes()).expect("the terminal is open");
    }

    /// Waits until this is shown, and gives all that was shown since the last look, up to its end.
    pub(crate) async fn shows(&mut self, text: &str) -> String {
        loop {
            if let Some(at) = self.unseen.text.find(text) {
                let rest = self.unseen.text.split_off(at + text.len());
                return std::mem::replace(&mut self.unseen.text, rest);
            }
            match tokio::time::timeout(LIMIT, self.output.recv()).await {
                Ok(Some(bytes)) => self.unseen.take(&bytes),
                _ => panic!("{text:?} was not shown; there is:\n{}", self.unseen.text),
            }
        }
    }

    /// Waits for the end of the process, checks that the terminal's modes are as they were, and gives the exit code.
    pub(crate) async fn ends(mut self) -> i32 {
        let status = within_limit("the end of the process", self.child.wait()).await.expect("it can be waited for");
        let modes = tcgetattr(&self.line).expect("it is a terminal");
        let of = |modes: &Termios| (modes.input_modes, modes.output_modes, modes.control_modes, modes.local_modes);
        assert_eq!(of(&modes), of(&self.modes), "the terminal's modes are not as they were");
        status.code().unwrap_or_else(|| panic!("it ended by a signal: {status}"))
    }
}

impl Screen {
    fn take(&mut self, bytes: &[u8]) {
        self.raw.extend(bytes);
        // A character or a sequence may come in two reads.
        let whole = complete(&self.raw);
        let raw: Vec<u8> = self.raw.drain(..whole).collect();
        self.text += &without_sequences(&String::from_utf8_lossy(&raw));
    }
}

/// How many of these bytes do not end within a character or a sequence.
fn complete(bytes: &[u8]) -> usize {
    let whole = match std::str::from_utf8(bytes) {
        Err(error) if error.error_len().is_none() => error.valid_up_to(),
        _ => bytes.len(),
    };
    let escape = bytes[..whole].iter().rposition(|byte| *byte == 0x1b);
    let open = escape.filter(|at| !bytes[at + 1..whole].iter().any(|byte| byte.is_ascii_alphabetic()));
    open.unwrap_or(whole)
}

/// Leaves out `ESC [ … letter`.
fn without_sequences(text: &str) -> String {
    let mut parts = text.split("\x1b[");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |shown, part| {
        let end = part.find(|char: char| char.is_ascii_alphabetic()).map_or(part.len(), |at| at + 1);
        shown + &part[end..]
    })
}

fn open() -> rustix::io::Result<(File, File)> {
    let keyboard: OwnedFd = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY)?;
    grantpt(&keyboard)?;
    unlockpt(&keyboard)?;
    let name = ptsname(&keyboard, Vec::new())?;
    let flags = rustix::fs::OFlags::RDWR | rustix::fs::OFlags::NOCTTY;
    let line = rustix::fs::open(name.as_c_str(), flags, rustix::fs::Mode::empty())?;
    tcsetwinsize(&line, Winsize { ws_row: 40, ws_col: 100, ws_xpixel: 0, ws_ypixel: 0 })?;
    Ok((File::from(keyboard), File::from(line)))
}

/// Reads on a thread of its own until the other end is closed.
fn read_all(mut keyboard: File) -> UnboundedReceiver<Vec<u8>> {
    let (tell, output) = unbounded_channel();
    std::thread::spawn(move || {
        let mut buffer = [0; 4096];
        while let Ok(count @ 1..) = keyboard.read(&mut buffer) {
            // The test may have seen enough.
            let _ = tell.send(buffer[..count].to_vec());
        }
    });
    output
}
