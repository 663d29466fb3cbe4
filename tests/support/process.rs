//! The real binary, each test's own: a folder, an environment with nothing in it, and processes that are spoken to by line.

use std::borrow::Borrow;
use std::ffi::OsStr;
use std::path::PathBuf;
use std::process::{ExitStatus, Stdio};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use tempfile::TempDir;
use testkit::bound::within_limit;
use testkit::{Received, ScriptedModel};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::process::{Child, ChildStdin, Command};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tokio::task::JoinHandle;

use super::stream;

/// Where the processes of one test live: `data`, `work` and `home` are empty folders of its own.
pub(crate) struct Place {
    folder: TempDir,
    variables: Vec<(String, String)>,
}

/// A process that ended.
#[derive(Debug)]
pub(crate) struct Ended {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// A process that runs.
pub(crate) struct Process {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: UnboundedReceiver<String>,
    stdout: String,
    complaints: UnboundedReceiver<String>,
    stderr: JoinHandle<String>,
}

impl Place {
    /// A place without any key.
    pub(crate) fn new() -> Self {
        let folder = TempDir::new().expect("a temporary folder");
        for name in ["work", "home"] {
            std::fs::create_dir(folder.path().join(name)).expect("the folder is new");
        }
        Self { folder, variables: Vec::new() }
    }

    /// A place where the demo model is asked.
    pub(crate) fn with_demo() -> Self {
        Self::new().set("COWHAND_MODEL", "demo")
    }

    /// A place where this model is asked.
    pub(crate) fn with(model: &ScriptedModel) -> Self {
        Self::new().set("OPENAI_API_KEY", model.key()).set("OPENAI_BASE_URL", &model.openai_url())
    }

    /// Sets a variable.
    pub(crate) fn set(mut self, name: &str, value: &str) -> Self {
        self.variables.push((name.to_owned(), value.to_owned()));
        self
    }

    pub(crate) fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    pub(crate) fn ledger(&self) -> PathBuf {
        self.data().join("ledger.db")
    }

    /// The folder in which the agent works.
    pub(crate) fn work(&self) -> PathBuf {
        self.folder.path().join("work")
    }

    /// Puts a file into the folder in which the agent works.
    pub(crate) fn file(&self, name: &str, content: &str) -> PathBuf {
        let path = self.work().join(name);
        std::fs::write(&path, content).expect("the folder can be written");
        path
    }

    /// The binary with these arguments, in the folder in which the agent works.
    pub(crate) fn command(&self, arguments: &[&str]) -> std::process::Command {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_cowhand"));
        command.args(arguments).current_dir(self.work()).env_clear();
        command.env("PATH", std::env::var_os("PATH").expect("tests have a PATH"));
        command.env("HOME", self.folder.path().join("home")).env("COWHAND_DATA_DIR", self.data());
        command.envs(self.variables.iter().map(|(name, value)| (name, value)));
        command
    }

    /// Starts a process with these arguments.
    pub(crate) fn start(&self, arguments: &[&str]) -> Process {
        self.start_with(arguments, &[])
    }

    /// Starts a process with these arguments and these variables besides its own.
    pub(crate) fn start_with(&self, arguments: &[&str], variables: &[(&str, &str)]) -> Process {
        let mut command = Command::from(self.command(arguments));
        command.envs(variables.iter().copied());
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
        let mut child = command.spawn().expect("the binary is built and can be run");
        let (tell, lines) = unbounded_channel();
        let mut out = BufReader::new(child.stdout.take().expect("it is piped")).lines();
        tokio::spawn(async move {
            while let Some(line) = out.next_line().await.expect("output is UTF-8") {
                // The test may have seen enough.
                let _ = tell.send(line);
            }
        });
        let (complain, complaints) = unbounded_channel();
        let mut err = BufReader::new(child.stderr.take().expect("it is piped")).lines();
        let stderr = tokio::spawn(async move {
            let mut text = String::new();
            while let Some(line) = err.next_line().await.expect("errors are UTF-8") {
                text += &format!("{line}\n");
                // The test may not want to know.
                let _ = complain.send(line);
            }
            text
        });
        let stdin = child.stdin.take();
        Process { child, stdin, lines, stdout: String::new(), complaints, stderr }
    }

    /// Runs a process to its end with this input.
    pub(crate) async fn run(&self, arguments: &[&str], input: impl AsRef<[u8]>) -> Ended {
        let mut process = self.start(arguments);
        let mut stdin = process.stdin.take().expect("it is piped");
        let input = input.as_ref().to_vec();
        tokio::spawn(async move {
            // A process that refuses to start reads nothing.
            let _ = stdin.write_all(&input).await;
        });
        process.ends().await
    }

    /// Runs a chat for scripts to its end with this input, and holds its events against what is promised.
    pub(crate) async fn events(&self, input: impl AsRef<[u8]>) -> Vec<Value> {
        let ended = self.run(&["chat", "--json"], input).await;
        assert_eq!(ended.code, 0, "{ended:?}");
        ended.events()
    }
}

impl Process {
    pub(crate) fn id(&self) -> u32 {
        self.child.id().expect("it runs")
    }

    /// Writes a line to its input.
    pub(crate) async fn says(&mut self, line: &str) {
        let stdin = self.stdin.as_mut().expect("its input is open");
        stdin.write_all(format!("{line}\n").as_bytes()).await.expect("it reads");
    }

    /// The next line of its output.
    pub(crate) async fn line(&mut self) -> String {
        let line = within_limit("the next line", self.lines.recv()).await;
        let line = line.unwrap_or_else(|| panic!("it ended; it had said:\n{}", self.stdout));
        self.stdout += &format!("{line}\n");
        line
    }

    /// The next line of its errors with this in it.
    pub(crate) async fn complaint(&mut self, part: &str) -> String {
        loop {
            let line = within_limit("the next line of errors", self.complaints.recv()).await.expect("it runs");
            if line.contains(part) {
                return line;
            }
        }
    }

    /// The next event of a chat for scripts.
    pub(crate) async fn next(&mut self) -> Value {
        stream::event(&self.line().await)
    }

    /// The next event of this type.
    pub(crate) async fn sees(&mut self, kind: &str) -> Value {
        loop {
            let event = self.next().await;
            if event["type"] == kind {
                return event;
            }
        }
    }

    /// Waits for what `/status` answers, which all that was said before precedes.
    pub(crate) async fn status(&mut self) -> String {
        self.says("/status").await;
        text(&self.sees("notice").await)
    }

    pub(crate) fn interrupts(&self) {
        self.signal(Signal::INT);
    }

    /// Kills it and waits until it is gone.
    pub(crate) async fn gets_killed(mut self) {
        self.signal(Signal::KILL);
        within_limit("the end of a killed process", self.child.wait()).await.expect("it can be waited for");
    }

    /// Sends it a kill; it may have ended before.
    pub(crate) fn kill(&self) {
        if let Some(id) = self.child.id().and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw) {
            // It is a child that was not waited for, so the id is still its own.
            let _ = kill_process(id, Signal::KILL);
        }
    }

    /// Waits for its end, whatever it is; how it ended and what it said.
    pub(crate) async fn reaches_its_end(mut self) -> (ExitStatus, String) {
        let status = within_limit("the end of the process", self.child.wait()).await.expect("it can be waited for");
        while let Some(line) = within_limit("the end of its output", self.lines.recv()).await {
            self.stdout += &format!("{line}\n");
        }
        (status, self.stdout)
    }

    /// Closes its input and waits for its end.
    pub(crate) async fn ends(mut self) -> Ended {
        drop(self.stdin.take());
        self.leaves().await
    }

    /// Waits for its end, with its input open.
    pub(crate) async fn leaves(mut self) -> Ended {
        let status = within_limit("the end of the process", self.child.wait()).await.expect("it can be waited for");
        while let Some(line) = within_limit("the end of its output", self.lines.recv()).await {
            self.stdout += &format!("{line}\n");
        }
        let stderr = within_limit("the end of its errors", self.stderr).await.expect("errors are read");
        Ended { code: code(status), stdout: self.stdout, stderr }
    }

    pub(crate) fn signal(&self, signal: Signal) {
        let id = i32::try_from(self.id()).ok().and_then(Pid::from_raw);
        kill_process(id.expect("an id of a process"), signal).expect("it runs");
    }
}

fn code(status: ExitStatus) -> i32 {
    status.code().unwrap_or_else(|| panic!("it ended by a signal: {status}"))
}

impl Ended {
    /// The events of a whole chat for scripts, held against what is promised.
    pub(crate) fn events(&self) -> Vec<Value> {
        let events: Vec<Value> = self.stdout.lines().map(stream::event).collect();
        stream::check(&events);
        events
    }

    /// How its turns ended: the events of that type.
    pub(crate) fn ends(&self) -> Vec<Value> {
        of_type(&self.events(), "turn_finished")
    }

    /// The texts with which its turns ended.
    pub(crate) fn answers(&self) -> Vec<String> {
        self.ends().iter().map(text).collect()
    }

    /// Fails the test unless it ended with this code, saying all of this on standard error and nothing on standard output.
    pub(crate) fn refused(&self, code: i32, says: &[&str]) {
        assert_eq!((self.code, self.stdout.as_str()), (code, ""), "{self:?}");
        for part in says {
            assert!(self.stderr.contains(part), "no {part:?} in {}", self.stderr);
        }
    }
}

/// The events of this type.
pub(crate) fn of_type(events: &[Value], kind: &str) -> Vec<Value> {
    events.iter().filter(|event| event["type"] == kind).cloned().collect()
}

/// The field `text` of an event.
pub(crate) fn text(event: &Value) -> String {
    event["text"].as_str().unwrap_or_else(|| panic!("no text: {event}")).to_owned()
}

/// A path as an argument.
pub(crate) fn argument(path: &impl AsRef<OsStr>) -> &str {
    path.as_ref().to_str().expect("paths of tests are UTF-8")
}

/// What the person said in the turn that a request belongs to, without the time that goes with it.
pub(crate) fn said(request: impl Borrow<Received>) -> String {
    without_time(&request.borrow().turn_text())
}

/// All that a request says, without the times that go with what a person said.
pub(crate) fn transcript(request: impl Borrow<Received>) -> String {
    without_time(&request.borrow().transcript())
}

fn without_time(text: &str) -> String {
    let is_time = |line: &str| line.starts_with('[') && line.ends_with(")]") && line.contains(" (UTC");
    let kept: Vec<&str> = text.lines().filter(|line| !is_time(line) && !line.is_empty()).collect();
    kept.join("\n")
}
