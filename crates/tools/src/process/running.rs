//! A command that runs, as seen from Cowhand: its runner, and what that tells.

use std::io::{self, PipeWriter};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream as Pair;
use std::os::unix::process::ExitStatusExt;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::net::UnixStream;
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio::process::{Child, Command};
use tokio::task::spawn_blocking;
use tokio::time::{Instant, sleep, timeout, timeout_at};

use super::Ending;
use super::protocol::{Gone, Order, Report, Stage};
use super::runner::signal;
use super::table::{self, Process};

/// How long is waited for the word that a command runs.
const LONGEST_START: Duration = Duration::from_secs(10);

/// How long a runner may take to end its command; it says so itself after 2 seconds that something cannot be ended.
const LONGEST_END: Duration = Duration::from_secs(8);

/// How much later than its time a command is ended from here, should the runner not have done so.
const MARGIN: Duration = Duration::from_secs(2);

/// How often what a killed runner has left is killed, a hundredth of a second apart.
const MOST_ROUNDS: u32 = 200;

/// A command that runs. Dropping it has all of it ended behind it.
pub(crate) struct Running {
    runner: Child,
    id: i32,
    reports: Lines<BufReader<OwnedReadHalf>>,
    /// Closing it asks for the end.
    wish: Option<OwnedWriteHalf>,
    /// When it is ended from here, should the runner not have done so.
    deadline: Instant,
    gone: Option<Gone>,
}

/// What was ended.
pub(crate) struct Ended {
    /// Names of what still ran when the end began, the command itself left out.
    pub(crate) left_over: Vec<String>,
    /// Ids of what could not be ended.
    pub(crate) survivors: Vec<i32>,
}

impl Running {
    /// Has a command started, which writes here what it has to say.
    pub(crate) async fn start(order: &Order, output: PipeWriter) -> io::Result<Self> {
        let (ours, theirs) = Pair::pair()?;
        ours.set_nonblocking(true)?;
        let (reports, mut wish) = UnixStream::from_std(ours)?.into_split();
        let mut command = Command::new(&order.stages.program);
        command.arg0("cowhand").args(&order.stages.arguments).env_clear().current_dir("/");
        command.stdin(OwnedFd::from(theirs)).stdout(Stdio::null()).stderr(output);
        let runner = command.spawn()?;
        drop(command);
        let id = runner.id().map_or(0, u32::cast_signed);
        let mut line = serde_json::to_vec(&Stage::Run(order.clone()))?;
        line.push(b'\n');
        wish.write_all(&line).await?;
        let reports = BufReader::new(reports).lines();
        let running =
            Self { runner, id, reports, wish: Some(wish), deadline: Instant::now() + order.time + MARGIN, gone: None };
        Ok(running)
    }

    /// Waits until it runs, or could not be started.
    pub(crate) async fn starts(&mut self) -> io::Result<()> {
        match timeout(LONGEST_START, self.report()).await {
            // Where nothing is heard, something holds the runner up. Its end is seen to as that of any other.
            Ok(Some(Report::Started)) | Err(_) => Ok(()),
            Ok(Some(Report::NotStarted(reason))) => Err(io::Error::other(reason)),
            Ok(_) => Err(io::Error::other("its runner ended before it began")),
        }
    }

    /// Waits until the command is done, was ended because its time was up, or could not be started.
    pub(crate) async fn happens(&mut self) -> Ending {
        loop {
            match timeout_at(self.deadline, self.report()).await {
                Ok(Some(Report::Started)) => {}
                Ok(Some(Report::NotStarted(reason))) => return Ending::NotStarted(reason),
                Ok(Some(Report::Exited(status))) => return Ending::Exited(ExitStatus::from_raw(status)),
                Ok(Some(Report::Gone(gone))) => {
                    self.gone = Some(gone);
                    return Ending::TimedOut;
                }
                Ok(None) => return Ending::Lost,
                Err(_) => return Ending::TimedOut,
            }
        }
    }

    /// Ends all of it that still runs. Comes back when nothing does.
    pub(crate) async fn end(mut self) -> Ended {
        drop(self.wish.take());
        let gone = match self.gone.take() {
            Some(gone) => Some(gone),
            None => timeout(LONGEST_END, self.until_gone()).await.ok().flatten(),
        };
        match gone {
            Some(Gone { left_over, survivors, .. }) => {
                // One that has told of survivors stays with them.
                if survivors.is_empty() {
                    let _ = timeout(LONGEST_END, self.runner.wait()).await;
                }
                Ended { left_over, survivors }
            }
            None => self.sweep().await,
        }
    }

    /// Waits until the runner says that nothing is left; for nothing, where it does not live to say so.
    async fn until_gone(&mut self) -> Option<Gone> {
        // It may have been stopped.
        self.signal(Signal::CONT);
        loop {
            match self.report().await {
                Some(Report::Gone(gone)) => return Some(gone),
                Some(_) => {}
                None => return None,
            }
        }
    }

    async fn report(&mut self) -> Option<Report> {
        let line = self.reports.next_line().await.ok().flatten()?;
        serde_json::from_str(&line).ok()
    }

    /// Does in place of a runner that was killed what can still be done: ends what is in its session.
    async fn sweep(mut self) -> Ended {
        let _ = self.runner.kill().await;
        let mut left_over = Vec::new();
        for _ in 0..MOST_ROUNDS {
            let living = self.session().await;
            if living.is_empty() {
                return Ended { left_over, survivors: Vec::new() };
            }
            living.iter().for_each(|process| signal(process, Signal::KILL));
            if left_over.is_empty() {
                left_over = living.into_iter().map(|process| process.name).collect();
            }
            sleep(Duration::from_millis(10)).await;
        }
        let survivors = self.session().await.into_iter().map(|process| process.id).collect();
        Ended { left_over, survivors }
    }

    async fn session(&self) -> Vec<Process> {
        let id = self.id;
        let of_session = move || table::all().into_iter().filter(|it| it.session == id && !it.is_zombie).collect();
        spawn_blocking(of_session).await.unwrap_or_default()
    }

    fn signal(&self, signal: Signal) {
        // It is not reaped yet, so its number is still its own.
        if let Some(id) = self.runner.id().and_then(|id| Pid::from_raw(id.cast_signed())) {
            let _ = kill_process(id, signal);
        }
    }
}
