//! What descends from a process, and signals to it.

use std::collections::HashSet;

use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, Signal, kill_process, pidfd_open, pidfd_send_signal};

use crate::process::table::{self, Process};

/// All that descends from a process. One that loses its parent just now may be missing; it is found the next time.
///
/// Zombies are among them, for threads of theirs may still run.
pub(super) fn descendants(of: i32) -> Vec<Process> {
    descending(of, table::all())
}

fn descending(of: i32, all: Vec<Process>) -> Vec<Process> {
    let mut found = HashSet::from([of]);
    let is_new = |found: &HashSet<i32>, it: &&Process| !found.contains(&it.id) && found.contains(&it.parent);
    loop {
        let new: Vec<i32> = all.iter().filter(|it| is_new(&found, it)).map(|it| it.id).collect();
        if new.is_empty() {
            break;
        }
        found.extend(new);
    }
    all.into_iter().filter(|it| it.id != of && found.contains(&it.id)).collect()
}

/// Sends a signal to exactly this process, and not to another that has got its number since.
pub(in crate::process) fn signal(process: &Process, signal: Signal) {
    let Some(id) = Pid::from_raw(process.id) else { return };
    match pidfd_open(id, PidfdFlags::empty()) {
        Ok(handle) if process.is_still_itself() => drop(pidfd_send_signal(handle, signal)),
        Ok(_) | Err(Errno::SRCH) => {}
        // An old system, or one that forbids handles.
        Err(_) if process.is_still_itself() => drop(kill_process(id, signal)),
        Err(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn children_of_children_descend_in_whatever_order_they_are_listed() {
        let process =
            |(id, parent)| Process { id, name: String::new(), parent, session: 1, began: 1, is_zombie: false };
        let all = [(14, 13), (10, 1), (13, 11), (12, 1), (11, 10), (15, 12)].map(process);

        let found = descending(10, all.into());

        assert_eq!(found.iter().map(|it| it.id).collect::<Vec<_>>(), [14, 13, 11]);
    }
}
