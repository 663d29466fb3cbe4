//! The processes that there are, from `/proc`.

use std::time::Duration;
use std::{fs, io, thread};

/// How long is waited before a process is looked at again that is just starting a program.
const MOMENT: Duration = Duration::from_millis(1);

/// How often it is looked at, for a program may have to come from a slow disk.
const MOST_LOOKS: u32 = 200;

/// A process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Process {
    pub(super) id: i32,
    /// What its program calls itself, at most 15 bytes.
    pub(super) name: String,
    pub(super) parent: i32,
    pub(super) group: i32,
    /// When it began, in ticks since the system did; with the id it names a process for good.
    pub(super) began: u64,
    /// Whether it has ended and only waits to be reaped.
    pub(super) is_zombie: bool,
}

impl Process {
    /// The process of this id.
    pub(super) fn of(id: i32) -> Option<Self> {
        parse(&String::from_utf8_lossy(&fs::read(format!("/proc/{id}/stat")).ok()?))
    }

    /// Whether it was started with this variable, a `NAME=value`. What it may not look into counts as not.
    pub(super) fn has_variable(&self, variable: &str) -> bool {
        let mut was_set_up = false;
        for _ in 0..MOST_LOOKS {
            let Ok(environment) = self.file("environ") else { return false };
            if !environment.is_empty() {
                return environment.split(|byte| *byte == 0).any(|found| found == variable.as_bytes());
            }
            // In the midst of starting another program a process shows neither environment nor arguments. One with arguments that
            // shows no environment a moment later has none.
            if was_set_up || self.is_zombie || self.is_of_the_kernel() {
                return false;
            }
            was_set_up = self.file("cmdline").is_ok_and(|arguments| !arguments.is_empty());
            thread::sleep(MOMENT);
        }
        false
    }

    fn is_of_the_kernel(&self) -> bool {
        self.group == 0
    }

    fn file(&self, name: &str) -> io::Result<Vec<u8>> {
        fs::read(format!("/proc/{}/{name}", self.id))
    }
}

/// All processes that can be seen.
pub(super) fn all() -> Vec<Process> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| Process::of(entry.file_name().to_str()?.parse().ok()?)).collect()
}

/// Reads a line of `/proc/PID/stat`. The name stands in brackets and may hold anything, brackets too.
fn parse(line: &str) -> Option<Process> {
    let (id, rest) = line.split_once(" (")?;
    let (name, rest) = rest.rsplit_once(") ")?;
    let fields: Vec<&str> = rest.split_ascii_whitespace().collect();
    Some(Process {
        id: id.parse().ok()?,
        name: name.to_owned(),
        is_zombie: matches!(*fields.first()?, "Z" | "X"),
        parent: fields.get(1)?.parse().ok()?,
        group: fields.get(2)?.parse().ok()?,
        began: fields.get(19)?.parse().ok()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_with_brackets_and_blanks_is_read_whole() {
        let line = "42 (a) (b c) Z 7 40 40 0 -1 4194304 1 2 3 4 5 6 7 8 20 0 1 0 98765 0 0\n";

        let expected = Process { id: 42, name: "a) (b c".into(), parent: 7, group: 40, began: 98_765, is_zombie: true };
        assert_eq!(parse(line), Some(expected));
        assert_eq!(parse("42 (a"), None);
    }

    #[test]
    fn this_process_is_among_all() {
        let id = i32::try_from(std::process::id()).unwrap();

        let own = all().into_iter().find(|process| process.id == id).unwrap();

        assert!(!own.is_zombie);
        assert_eq!(u32::try_from(own.parent).unwrap(), std::os::unix::process::parent_id());
    }
}
