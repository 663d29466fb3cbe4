//! The processes that there are, from `/proc`.

use std::fs;

/// A process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Process {
    pub(super) id: i32,
    /// What its program calls itself, at most 15 bytes.
    pub(super) name: String,
    pub(super) parent: i32,
    pub(super) session: i32,
    /// When it began, in ticks since the system did; with the id it names a process for good.
    pub(super) began: u64,
    /// Whether it has ended and only waits to be reaped; or its first thread has, and others still run.
    pub(super) is_zombie: bool,
}

impl Process {
    /// The process of this id.
    pub(super) fn of(id: i32) -> Option<Self> {
        parse(&String::from_utf8_lossy(&fs::read(format!("/proc/{id}/stat")).ok()?))
    }

    /// Whether its number still names it.
    pub(super) fn is_still_itself(&self) -> bool {
        Self::of(self.id).is_some_and(|now| now.began == self.began)
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
        session: fields.get(3)?.parse().ok()?,
        began: fields.get(19)?.parse().ok()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_with_brackets_and_blanks_is_read_whole() {
        let line = "42 (a) (b c) Z 7 40 41 0 -1 4194304 1 2 3 4 5 6 7 8 20 0 1 0 98765 0 0\n";

        let expected =
            Process { id: 42, name: "a) (b c".into(), parent: 7, session: 41, began: 98_765, is_zombie: true };
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
