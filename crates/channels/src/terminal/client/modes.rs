//! The modes of a terminal, put back as they were.

use std::fs::File;
use std::io::{self, Write};

use rustix::termios::{OptionalActions, Termios, tcgetattr, tcsetattr};

use super::streams::duplicate;

/// Sent by a line editor at its start is its opposite: what is pasted is marked as such.
const END_OF_MARKED_PASTE: &[u8] = b"\x1b[?2004l";

/// Remembers the modes of the terminal of this process and restores them when dropped, whatever happened in between.
#[derive(Debug)]
pub(in crate::terminal) struct TerminalModes {
    terminal: File,
    modes: Termios,
}

impl TerminalModes {
    /// The modes as they are now; `None` where there is no terminal.
    pub(in crate::terminal) fn save() -> Option<Self> {
        let terminal = duplicate(io::stdin()).ok()?;
        let modes = tcgetattr(&terminal).ok()?;
        Some(Self { terminal, modes })
    }
}

impl Drop for TerminalModes {
    fn drop(&mut self) {
        let are_changed = tcgetattr(&self.terminal).is_ok_and(|now| now.local_modes != self.modes.local_modes);
        if are_changed {
            let _ = tcsetattr(&self.terminal, OptionalActions::Now, &self.modes);
            let _ = io::stdout().write_all(END_OF_MARKED_PASTE);
            let _ = io::stdout().flush();
        }
    }
}
