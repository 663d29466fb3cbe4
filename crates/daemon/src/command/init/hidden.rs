//! A line that is typed without being shown.

use std::io;
use std::os::fd::{AsFd, BorrowedFd};

use rustix::termios::{LocalModes, OptionalActions, SpecialCodeIndex, Termios, tcgetattr, tcsetattr};

/// What was typed.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Typed {
    /// A line, without its end.
    Line(String),
    /// Ctrl-D, or the terminal is gone.
    End,
    /// Ctrl-C.
    Interrupted,
}

/// Reads a line from a terminal that shows nothing of it.
pub(crate) fn read_hidden(terminal: impl AsFd) -> io::Result<Typed> {
    let quiet = Quiet::new(terminal.as_fd())?;
    let mut line = Line::default();
    loop {
        let mut byte = [0];
        let count = rustix::io::retry_on_intr(|| rustix::io::read(quiet.terminal, &mut byte))?;
        if count == 0 {
            return Ok(Typed::End);
        }
        if let Some(typed) = line.take(byte[0]) {
            return Ok(typed);
        }
    }
}

/// A terminal that shows nothing of what is typed, until this is dropped.
struct Quiet<'a> {
    terminal: BorrowedFd<'a>,
    before: Termios,
}

impl<'a> Quiet<'a> {
    fn new(terminal: BorrowedFd<'a>) -> io::Result<Self> {
        let before = tcgetattr(terminal)?;
        let mut modes = before.clone();
        // Without ISIG, Ctrl-C arrives as a byte, so that it cannot end the process while the terminal shows nothing.
        modes.local_modes -= LocalModes::ECHO | LocalModes::ICANON | LocalModes::ISIG;
        modes.special_codes[SpecialCodeIndex::VMIN] = 1;
        modes.special_codes[SpecialCodeIndex::VTIME] = 0;
        tcsetattr(terminal, OptionalActions::Now, &modes)?;
        Ok(Self { terminal, before })
    }
}

impl Drop for Quiet<'_> {
    fn drop(&mut self) {
        // The terminal is gone when this fails.
        let _ = tcsetattr(self.terminal, OptionalActions::Now, &self.before);
    }
}

/// A line in the making, with the keys that a terminal would have edited it by.
#[derive(Default)]
struct Line(Vec<u8>);

impl Line {
    fn take(&mut self, byte: u8) -> Option<Typed> {
        const INTERRUPT: u8 = 0x03;
        const END: u8 = 0x04;
        const ERASE_ALL: u8 = 0x15;
        match byte {
            b'\n' | b'\r' => return Some(Typed::Line(String::from_utf8_lossy(&self.0).into_owned())),
            INTERRUPT => return Some(Typed::Interrupted),
            END if self.0.is_empty() => return Some(Typed::End),
            END => {}
            ERASE_ALL => self.0.clear(),
            0x7f | 0x08 => self.erase(),
            byte => self.0.push(byte),
        }
        None
    }

    /// Takes the last character away, all its bytes.
    fn erase(&mut self) {
        while self.0.pop().is_some_and(|byte| byte & 0xc0 == 0x80) {}
    }
}

#[cfg(test)]
mod tests {
    use std::os::fd::OwnedFd;

    use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

    use super::*;

    fn typed(keys: &str) -> Option<Typed> {
        let mut line = Line::default();
        keys.bytes().find_map(|byte| line.take(byte))
    }

    #[test]
    fn a_line_can_be_edited() {
        assert_eq!(typed("sk-x\u{7f}test\n"), Some(Typed::Line("sk-test".into())));
        assert_eq!(typed("wrong\u{15}sk-é\u{8}\r"), Some(Typed::Line("sk-".into())));
        assert_eq!(typed("\u{7f}\n"), Some(Typed::Line(String::new())));
    }

    #[test]
    fn control_c_interrupts_and_control_d_ends_an_empty_line() {
        assert_eq!(typed("sk\u{3}"), Some(Typed::Interrupted));
        assert_eq!(typed("\u{4}"), Some(Typed::End));
        assert_eq!(typed("sk\u{4}\n"), Some(Typed::Line("sk".into())));
    }

    fn terminal() -> (OwnedFd, std::fs::File) {
        let keyboard = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&keyboard).unwrap();
        unlockpt(&keyboard).unwrap();
        let name = ptsname(&keyboard, Vec::new()).unwrap();
        let terminal = std::fs::File::options().read(true).write(true).open(name.to_str().unwrap()).unwrap();
        (keyboard, terminal)
    }

    #[test]
    fn nothing_of_a_key_is_shown_and_the_terminal_is_as_before() {
        let (keyboard, terminal) = terminal();
        let before = tcgetattr(&terminal).unwrap().local_modes;
        let quiet = Quiet::new(terminal.as_fd()).unwrap();
        rustix::io::write(&keyboard, b"sk-test\n").unwrap();
        drop(quiet);

        let typed = read_hidden(&terminal).unwrap();
        rustix::io::write(&terminal, b"!").unwrap();
        let mut shown = [0; 100];
        let count = rustix::io::read(&keyboard, &mut shown).unwrap();

        assert_eq!(typed, Typed::Line("sk-test".into()));
        assert_eq!(&shown[..count], b"!");
        assert_eq!(tcgetattr(&terminal).unwrap().local_modes, before);
    }
}
