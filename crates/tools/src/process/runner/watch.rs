//! The runner: stays with a command until nothing of it is left.

use std::collections::HashSet;
use std::fs::File;
use std::io::{self, Write};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, ExitCode, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use nix::sys::signal::SigSet;
use rustix::process::{Signal, getpid, set_child_subreaper, setsid};
use rustix::stdio::dup2_stderr;
use tokio::time::Instant;

use super::descendants::{descendants, signal};
use super::events::{self, Event};
use crate::process::protocol::{Gone, Launch, Order, Report, Stage};
use crate::process::table::Process;

/// How long what was asked to end may take for it.
const GRACE: Duration = Duration::from_millis(100);

/// How often what is left is killed from then on.
const ROUND: Duration = Duration::from_millis(5);

/// How long after its beginning the end is told to have failed: what hangs in the kernel, or belongs to another user, is not gone at
/// once as all others are.
const PATIENCE: Duration = Duration::from_secs(2);

/// How often is looked from then on, where nothing changes.
const SELDOM: Duration = Duration::from_secs(1);

/// How often one round looks again at once, because it found something new.
const MOST_LOOKS: u32 = 8;

/// Stays with a command until nothing of it is left.
pub(super) struct Watch {
    own: i32,
    leader: i32,
    socket: UnixStream,
    events: Receiver<Event>,
    /// What is told at the end, once the end has begun.
    end: Option<Gone>,
    is_told: bool,
    /// When the command may run no longer; once the end has begun, when it is time to look again.
    due: Option<Instant>,
    /// When it is to be told that something cannot be ended.
    patience_over: Option<Instant>,
    /// What was killed in the last round.
    killed: HashSet<i32>,
}

impl Watch {
    /// Starts the command.
    pub(super) fn begin(order: &Order, socket: UnixStream) -> io::Result<Self> {
        let (sender, events) = channel();
        let own = getpid();
        // Before any thread starts, which would be hit in this one's place.
        SigSet::all().thread_block()?;
        // A session of its own, so that no signal to a session or group, Cowhand's or the command's, reaches it.
        let _ = setsid();
        set_child_subreaper(Some(own))?;
        let (child, entry) = start(order)?;
        // Only who really writes is to hold the output open.
        dup2_stderr(File::options().write(true).open("/dev/null")?)?;
        events::reap(entry, sender.clone());
        events::listen(socket.try_clone()?, sender);
        let leader = child.id().cast_signed();
        let due = Instant::now().checked_add(order.time);
        let (own, killed) = (own.as_raw_pid(), HashSet::new());
        Ok(Self { own, leader, socket, events, end: None, is_told: false, due, patience_over: None, killed })
    }

    /// Stays until nothing is left.
    pub(super) fn attend(mut self) -> ExitCode {
        while let Some(event) = self.next() {
            match event {
                Event::Entered(Ok(())) => self.tell(&Report::Started),
                Event::Entered(Err(reason)) => self.tell(&Report::NotStarted(reason)),
                // How it ended says nothing once it was made to.
                Event::Ended { id, status } if id == self.leader && self.end.is_none() => {
                    self.tell(&Report::Exited(status));
                }
                Event::Ended { .. } => {}
                Event::EndWanted => self.begin_end(false),
                Event::Due if self.end.is_none() => self.begin_end(true),
                Event::Due => self.kill(),
                Event::AllGone => break,
            }
        }
        self.tell_end(Vec::new());
        ExitCode::SUCCESS
    }

    /// No thread is needed for a time to come: where a command has used up all processes that there may be, none could be started.
    fn next(&self) -> Option<Event> {
        let Some(due) = self.due else { return self.events.recv().ok() };
        let pause = due.saturating_duration_since(Instant::now());
        if pause.is_zero() {
            return Some(Event::Due);
        }
        match self.events.recv_timeout(pause) {
            Ok(event) => Some(event),
            Err(RecvTimeoutError::Timeout) => Some(Event::Due),
            Err(RecvTimeoutError::Disconnected) => None,
        }
    }

    /// Asks all of it to end. One that is stopped has to go on for that.
    fn begin_end(&mut self, timed_out: bool) {
        if self.end.is_some() {
            return;
        }
        let living = descendants(self.own);
        for process in &living {
            signal(process, Signal::TERM);
            signal(process, Signal::CONT);
        }
        let others = living.into_iter().filter(|process| process.id != self.leader && !process.is_zombie);
        let left_over = others.map(|process| process.name).collect();
        self.end = Some(Gone { timed_out, left_over, survivors: Vec::new() });
        let now = Instant::now();
        (self.due, self.patience_over) = (Some(now + GRACE), Some(now + PATIENCE));
    }

    /// Kills all that is left, and what that has started meanwhile.
    fn kill(&mut self) {
        let mut killed = HashSet::new();
        for _ in 0..MOST_LOOKS {
            let new: Vec<Process> = descendants(self.own).into_iter().filter(|it| killed.insert(it.id)).collect();
            if new.is_empty() {
                break;
            }
            new.iter().for_each(|process| signal(process, Signal::KILL));
        }
        if self.patience_over.is_some_and(|over| over <= Instant::now()) {
            self.tell_survivors();
        }
        let is_stuck = self.is_told && killed == self.killed;
        self.killed = killed;
        self.due = Some(Instant::now() + if is_stuck { SELDOM } else { ROUND });
    }

    fn tell_survivors(&mut self) {
        let survivors = descendants(self.own).into_iter().filter(|process| !process.is_zombie);
        self.tell_end(survivors.map(|process| process.id).collect());
    }

    fn tell_end(&mut self, survivors: Vec<i32>) {
        if !std::mem::replace(&mut self.is_told, true) {
            let end = self.end.clone().unwrap_or_default();
            self.tell(&Report::Gone(Gone { survivors, ..end }));
        }
    }

    /// That nobody listens any more changes nothing: the end of the command has begun then, or does next.
    fn tell(&mut self, report: &Report) {
        let line = serde_json::to_string(report).expect("a report is made of text and numbers");
        let _ = writeln!(self.socket, "{line}");
    }
}

/// Starts the stage that becomes the command. It tells by the socket what fails.
fn start(order: &Order) -> io::Result<(Child, UnixStream)> {
    let (mut entry, theirs) = UnixStream::pair()?;
    let mut command = Command::new(&order.stages.program);
    command.arg0("cowhand").args(&order.stages.arguments).env_clear();
    command.stdin(OwnedFd::from(theirs)).stdout(Stdio::null());
    let child = command.spawn()?;
    drop(command);
    entry.write_all(&line(&order.launch)?)?;
    Ok((child, entry))
}

fn line(launch: &Launch) -> io::Result<Vec<u8>> {
    let mut line = serde_json::to_vec(&Stage::Enter(launch.clone()))?;
    line.push(b'\n');
    Ok(line)
}
