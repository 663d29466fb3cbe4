//! A program and all that came of it.

use std::collections::HashSet;
use std::sync::atomic::{AtomicU64, Ordering};

use rustix::process::{Pid, Signal, WaitOptions, kill_process, kill_process_group, waitpid};

use super::table::{self, Process};

/// The variable that a program and what it starts are known by.
pub(super) const MARK: &str = "COWHAND_CALL";

/// A value of [`MARK`] that no other program of this machine has.
pub(super) fn new_mark() -> String {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    format!("{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed))
}

/// A program and all that came of it: what is in its process group, descends from it, or carries its mark.
#[derive(Clone)]
pub(super) struct Family {
    leader: Pid,
    began: u64,
    variable: String,
    /// Those that were seen to belong to it, by id and beginning, for their tie may be gone when they are looked for again.
    known: HashSet<(i32, u64)>,
}

impl Family {
    /// The family of a program that was just started as the leader of a group, with this value of [`MARK`].
    pub(super) fn of(leader: Pid, mark: &str) -> Self {
        let began = Process::of(leader.as_raw_pid()).map_or(0, |leader| leader.began);
        Self { leader, began, variable: format!("{MARK}={mark}"), known: HashSet::new() }
    }

    /// All of it that still runs. Those that have ended and were left to this process are reaped, but for the leader, who is somebody's.
    pub(super) fn living(&mut self) -> Vec<Process> {
        let mut living = self.members(table::all());
        let own = std::process::id().cast_signed();
        living.retain(|member| {
            if member.is_zombie && member.parent == own && member.id != self.leader.as_raw_pid() {
                let _ = waitpid(Pid::from_raw(member.id), WaitOptions::NOHANG);
            }
            !member.is_zombie
        });
        living
    }

    /// Sends a signal to each of these, and to their group at once where that is still theirs.
    pub(super) fn signal(&self, members: &[Process], signal: Signal) {
        let leader = self.leader.as_raw_pid();
        if members.iter().any(|member| member.group == leader) {
            let _ = kill_process_group(self.leader, signal);
        }
        let others = members.iter().filter(|member| member.group != leader);
        for other in others.filter_map(|other| Pid::from_raw(other.id)) {
            let _ = kill_process(other, signal);
        }
    }

    fn members(&mut self, all: Vec<Process>) -> Vec<Process> {
        // Nothing that is older than the leader can have come of it, so most environments need not be read.
        let candidates: Vec<Process> = all.into_iter().filter(|process| process.began >= self.began).collect();
        let mut found: HashSet<i32> = HashSet::new();
        for process in &candidates {
            let is_known = self.known.contains(&(process.id, process.began));
            if is_known || process.group == self.leader.as_raw_pid() || process.has_variable(&self.variable) {
                found.insert(process.id);
            }
        }
        let is_new_child =
            |found: &HashSet<i32>, process: &&Process| !found.contains(&process.id) && found.contains(&process.parent);
        while let Some(child) = candidates.iter().find(|process| is_new_child(&found, process)) {
            found.insert(child.id);
        }
        let members: Vec<Process> = candidates.into_iter().filter(|process| found.contains(&process.id)).collect();
        self.known = members.iter().map(|member| (member.id, member.began)).collect();
        members
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A process that began at 100 or later, under ids that do not exist, so that no environment is found.
    fn process(id: i32, parent: i32, group: i32) -> Process {
        Process { id, name: String::new(), parent, group, began: 100, is_zombie: false }
    }

    const LEADER: i32 = 2_000_000_010;

    fn family() -> Family {
        Family {
            leader: Pid::from_raw(LEADER).unwrap(),
            began: 100,
            variable: "COWHAND_CALL=none".into(),
            known: HashSet::new(),
        }
    }

    fn ids(members: &[Process]) -> Vec<i32> {
        members.iter().map(|member| member.id - LEADER).collect()
    }

    #[test]
    fn group_and_descendants_belong_to_it_and_strangers_do_not() {
        let all = vec![
            process(LEADER + 4, LEADER + 3, 5),
            process(LEADER, 1, LEADER),
            process(LEADER + 1, 1, LEADER),
            process(LEADER + 2, 1, 7),
            process(LEADER + 3, LEADER + 1, 5),
        ];

        assert_eq!(ids(&family().members(all)), [4, 0, 1, 3]);
    }

    #[test]
    fn an_older_process_with_a_number_used_again_is_a_stranger() {
        let older = Process { began: 99, ..process(LEADER + 1, LEADER, LEADER) };

        assert!(family().members(vec![older]).is_empty());
    }

    #[test]
    fn a_member_stays_one_when_its_tie_is_gone() {
        let mut family = family();
        family.members(vec![process(LEADER, 1, LEADER), process(LEADER + 1, LEADER, 5)]);

        let orphan = process(LEADER + 1, 1, 5);
        let stranger = Process { began: 200, ..process(LEADER + 1, 1, 5) };

        assert_eq!(ids(&family.members(vec![orphan])), [1]);
        assert!(family.members(vec![stranger]).is_empty());
    }
}
