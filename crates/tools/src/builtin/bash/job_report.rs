//! What a model is told of background jobs.

use chat::ToolResult;

use super::report::explain;
use crate::jobs::{Listed, Look};
use crate::process::Ending;

/// A job has begun.
pub(super) fn started(job: &str) -> ToolResult {
    ToolResult::ok(format!("[job {job} runs in the background; call with \"job\": \"{job}\" to see what it writes]"))
}

/// What is new of a job. That it failed is no failure of the look.
pub(super) fn look(job: &str, look: Look) -> ToolResult {
    let mut text = look.output;
    if text.is_empty() {
        text.push_str("(no new output)");
    }
    if !text.ends_with('\n') {
        text.push('\n');
    }
    let ran = look.ran.as_secs();
    let how = match look.ending {
        None => format!("runs, for {ran} s now"),
        Some(Ending::Exited(status)) => format!("is done after {ran} s: {}", explain(status, None)),
        Some(Ending::TimedOut) => {
            format!("was ended with all that it had started: its {} s were over", look.time.as_secs())
        }
        Some(Ending::Cancelled) => format!("was ended after {ran} s, with all that it had started"),
        Some(Ending::NotStarted(reason)) => format!("could not be started: {reason}"),
        Some(Ending::Lost) => format!("is gone after {ran} s: what it ran under was killed"),
    };
    text.push_str(&format!("[job {job} {how}]"));
    ToolResult::ok(text)
}

/// All jobs, a line each.
pub(super) fn list(jobs: &[Listed]) -> ToolResult {
    if jobs.is_empty() {
        return ToolResult::ok("(no jobs)");
    }
    let line = |job: &Listed| {
        let state = if job.is_running {
            format!("runs, for {} s", job.began.elapsed().as_secs())
        } else {
            "is done".to_owned()
        };
        format!("{} {state}: {}", job.id, job.command.replace('\n', " "))
    };
    ToolResult::ok(jobs.iter().map(line).collect::<Vec<_>>().join("\n"))
}
