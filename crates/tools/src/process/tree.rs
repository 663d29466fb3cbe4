//! A running program with all that it starts.

use std::collections::HashSet;
use std::io;
use std::process::ExitStatus;
use std::time::Duration;

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, waitid};
use tokio::process::{Child, Command};
use tokio::task::spawn_blocking;
use tokio::time::{Instant, MissedTickBehavior, interval};

use super::family::{Family, MARK, new_mark};
use super::table::Process;

/// How long what was asked to end may take for it.
const GRACE: Duration = Duration::from_secs(2);

/// How long what was killed may take to be gone. Only one that hangs in the kernel, or belongs to another user, is not at once.
const PATIENCE: Duration = Duration::from_secs(3);

/// How often is looked whether all is gone: the end of a process that is not a child cannot be waited for.
const ROUND: Duration = Duration::from_millis(10);

/// Rounds after which a tree that is dropped is given up.
const MOST_ROUNDS: u32 = 200;

/// How often is looked whether the program was stopped.
const LOOK: Duration = Duration::from_millis(500);

/// A running program with all that it starts. Dropping it kills what still runs, without a grace.
pub(crate) struct Tree {
    child: Child,
    leader: Pid,
    family: Family,
    is_gone: bool,
}

/// What was ended.
#[derive(Default)]
pub(crate) struct Ended {
    /// Names of what still ran when the end began, the program itself left out.
    pub(crate) found: Vec<String>,
    /// Ids of what could not be ended.
    pub(crate) survivors: Vec<i32>,
}

impl Tree {
    /// Starts a program. It is consumed, for it holds our copies of the ends of pipes that are handed to the program.
    pub(crate) fn spawn(mut command: Command) -> io::Result<Self> {
        let mark = new_mark();
        let child = command.process_group(0).env(MARK, &mark).spawn()?;
        let id = child.id().and_then(|id| Pid::from_raw(id.cast_signed()));
        let leader = id.ok_or_else(|| io::Error::other("the program has no process id"))?;
        Ok(Self { child, leader, family: Family::of(leader, &mark), is_gone: false })
    }

    /// Waits until the program itself is done; what it has started may still run.
    pub(crate) async fn wait(&mut self) -> io::Result<ExitStatus> {
        self.child.wait().await
    }

    /// Comes back once the system has stopped the program because it wants something of a terminal, where nobody could answer.
    pub(crate) fn stopped_by_terminal(&self) -> impl Future<Output = ()> + use<> {
        let leader = self.leader;
        async move {
            let mut looks = interval(LOOK);
            while !is_stopped_by_terminal(leader) {
                looks.tick().await;
            }
        }
    }

    /// Ends all of it: what still runs is asked to, and after a grace is killed. Comes back when nothing runs any more.
    pub(crate) async fn end(&mut self) -> Ended {
        let began = Instant::now();
        let mut rounds = interval(ROUND);
        rounds.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut asked = HashSet::new();
        let mut ended = Ended::default();
        loop {
            rounds.tick().await;
            let living = self.living().await;
            if asked.is_empty() {
                let others = living.iter().filter(|process| process.id != self.leader.as_raw_pid());
                ended.found = others.map(|process| process.name.clone()).collect();
            }
            if living.is_empty() && self.is_reaped() || began.elapsed() > GRACE + PATIENCE {
                self.is_gone = true;
                ended.survivors = living.iter().map(|process| process.id).collect();
                return ended;
            }
            if began.elapsed() > GRACE {
                self.family.signal(&living, Signal::KILL);
            } else {
                self.ask(living, &mut asked);
            }
        }
    }

    /// Asks those to end that were not asked before. One that is stopped has to go on for that.
    fn ask(&self, living: Vec<Process>, asked: &mut HashSet<i32>) {
        let new: Vec<Process> = living.into_iter().filter(|process| asked.insert(process.id)).collect();
        self.family.signal(&new, Signal::TERM);
        self.family.signal(&new, Signal::CONT);
    }

    /// Reaps the program itself where it has ended.
    fn is_reaped(&mut self) -> bool {
        !matches!(self.child.try_wait(), Ok(None))
    }

    async fn living(&mut self) -> Vec<Process> {
        let mut family = self.family.clone();
        let look = spawn_blocking(move || {
            let living = family.living();
            (family, living)
        });
        match look.await {
            Ok((family, living)) => {
                self.family = family;
                living
            }
            Err(_) => self.family.living(),
        }
    }
}

fn is_stopped_by_terminal(leader: Pid) -> bool {
    let options = WaitIdOptions::STOPPED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    let status = waitid(WaitId::Pid(leader), options).ok().flatten();
    let signal = status.and_then(|status| status.stopping_signal());
    signal.is_some_and(|signal| signal == Signal::TTIN.as_raw() || signal == Signal::TTOU.as_raw())
}

impl Drop for Tree {
    fn drop(&mut self) {
        // Rounds are counted, for a clock that is paused would let them go on for ever.
        for _ in 0..MOST_ROUNDS {
            if self.is_gone {
                return;
            }
            let living = self.family.living();
            self.family.signal(&living, Signal::KILL);
            self.is_gone = living.is_empty() && self.is_reaped();
            if !self.is_gone {
                std::thread::sleep(ROUND);
            }
        }
    }
}
