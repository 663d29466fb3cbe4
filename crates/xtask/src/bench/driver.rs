//! Drives a program turn by turn through its standard input and output.

use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::{Context, bail};
use nix::sys::resource::{Usage, UsageWho, getrusage};
use nix::sys::time::{TimeVal, TimeValLike};
use nix::time::{ClockId, clock_getcpuclockid};
use nix::unistd::Pid;
use serde_json::Value;
use tokio::time::Instant;

/// What one run of a program took.
pub(super) struct Run {
    /// User and system time of the whole process.
    pub(super) cpu: Duration,
    /// What of it was system time.
    pub(super) system: Duration,
    /// User and system time of its turns but the earlier ones.
    pub(super) cpu_of_turns: Duration,
    /// From each line in to the end of its turn.
    pub(super) turns: Vec<Duration>,
}

/// Runs a program for so many turns, of which the `earlier` ones are there to make a history. It takes a line of text for a message, and tells the end of a turn by an object with
/// `"type": "turn_finished"` on a line of its own.
pub(super) fn drive(command: &mut Command, turns: u32, earlier: u32) -> anyhow::Result<Run> {
    let before = children_cpu()?;
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::inherit())
        .spawn()
        .context("cannot start what is measured")?;
    let mut input = child.stdin.take().context("its input is a pipe")?;
    let mut output = BufReader::new(child.stdout.take().context("its output is a pipe")?);
    let clock = cpu_clock(child.id())?;
    let mut turns_took = Vec::new();
    let mut cpu_before = Duration::ZERO;
    for turn in 1..=turns {
        if turn == earlier + 1 {
            cpu_before = clock.now()?.into();
        }
        let start = Instant::now();
        writeln!(input, "message number {turn}").context("its input is closed")?;
        await_end_of_turn(&mut output)?;
        turns_took.push(start.elapsed());
    }
    let cpu_of_turns = Duration::from(clock.now()?).saturating_sub(cpu_before);
    drop(input);
    let status = child.wait().context("its end")?;
    if !status.success() {
        bail!("what is measured failed: {status}");
    }
    let after = children_cpu()?;
    let (user, system) = (after.user - before.user, after.system - before.system);
    Ok(Run { cpu: user + system, system, cpu_of_turns, turns: turns_took })
}

fn await_end_of_turn(output: &mut impl BufRead) -> anyhow::Result<()> {
    let mut line = String::new();
    loop {
        line.clear();
        if output.read_line(&mut line).context("its output")? == 0 {
            bail!("it ended before its turn did");
        }
        // Looking for the words first keeps the driver's own work off the processor that is measured.
        if !line.contains("turn_finished") {
            continue;
        }
        let event: Value = serde_json::from_str(&line).with_context(|| format!("not an event: {line}"))?;
        match event["outcome"].as_str() {
            Some("answered") if event["type"] == "turn_finished" => return Ok(()),
            _ => bail!("the turn was not answered: {line}"),
        }
    }
}

/// The clock of what a running process has used, to the nanosecond.
fn cpu_clock(process: u32) -> anyhow::Result<ClockId> {
    let id = i32::try_from(process).context("process ids are small")?;
    clock_getcpuclockid(Pid::from_raw(id)).context("the process's clock")
}

struct Cpu {
    user: Duration,
    system: Duration,
}

/// CPU of all children that have ended.
fn children_cpu() -> anyhow::Result<Cpu> {
    let usage: Usage = getrusage(UsageWho::RUSAGE_CHILDREN).context("the children's usage")?;
    let time = |value: TimeVal| Duration::from_micros(u64::try_from(value.num_microseconds()).unwrap_or(0));
    Ok(Cpu { user: time(usage.user_time()), system: time(usage.system_time()) })
}
