//! The scripted model in a process of its own.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use anyhow::{Context, bail};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

/// A model server that runs until it is stopped.
pub(super) struct Server {
    process: Child,
    url: String,
    key: String,
}

/// What it answers.
#[derive(Clone, Copy)]
pub(super) struct Script {
    /// Bytes of text in an answer.
    pub(super) answer_bytes: u32,
    /// How many times it calls a tool first.
    pub(super) tool_steps: u32,
}

impl Server {
    /// Starts it; with a file it records the body of every request there, a line each.
    pub(super) fn start(programs: &Path, script: Script, record: Option<&Path>) -> anyhow::Result<Self> {
        let mut command = Command::new(programs.join("scripted-model"));
        let (bytes, steps) = (script.answer_bytes.to_string(), script.tool_steps.to_string());
        command.args(["--bench", &bytes, "--tool-steps", &steps]).stdout(Stdio::piped());
        if let Some(file) = record {
            command.arg("--record").arg(file);
        }
        let mut process = command.spawn().context("cannot start the scripted model")?;
        let mut line = String::new();
        BufReader::new(process.stdout.take().context("its output is a pipe")?).read_line(&mut line)?;
        let value = |name: &str| line.split_whitespace().find_map(|word| word.strip_prefix(name)).map(str::to_owned);
        let url = value("OPENAI_BASE_URL=").with_context(|| format!("no URL in: {line}"))?;
        let key = value("OPENAI_API_KEY=").with_context(|| format!("no key in: {line}"))?;
        Ok(Self { process, url, key })
    }

    pub(super) fn url(&self) -> &str {
        &self.url
    }

    pub(super) fn key(&self) -> &str {
        &self.key
    }

    /// Ends it; a request that broke a rule of the format makes the bench void.
    pub(super) fn stop(mut self) -> anyhow::Result<()> {
        let id = i32::try_from(self.process.id()).context("process ids are small")?;
        kill(Pid::from_raw(id), Signal::SIGTERM).context("cannot end the scripted model")?;
        let status = self.process.wait().context("its end")?;
        if !status.success() {
            bail!("the scripted model refused requests");
        }
        Ok(())
    }
}

impl Drop for Server {
    /// Where the bench failed half way, the server must not stay.
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
