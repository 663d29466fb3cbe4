//! What a model is told of a command that has run.

use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::time::Duration;

use chat::ToolResult;

use super::verdict::one_is_an_answer;
use crate::process::{Ending, Finished};

/// Names of processes that are told.
const MOST_NAMES: usize = 5;

/// The output of a command, how it came to its end, and what had to be ended with it.
pub(super) fn report(command: &str, finished: Finished, time: Duration) -> ToolResult {
    let (how, is_error) = ending(command, &finished, time);
    let mut text = finished.output;
    if text.is_empty() {
        text.push_str("(no output)");
    }
    if !text.ends_with('\n') {
        text.push('\n');
    }
    text.push_str(&how);
    if matches!(finished.ending, Ending::Exited(_)) && !finished.left_over.is_empty() {
        text.push_str(&format!("\n[still running in the background, and ended: {}]", list(&finished.left_over)));
    }
    if !finished.survivors.is_empty() {
        let ids: Vec<String> = finished.survivors.iter().map(i32::to_string).collect();
        text.push_str(&format!("\n[could not be ended: process {}]", ids.join(", ")));
    }
    ToolResult { content: text, is_error, ..ToolResult::default() }
}

fn list(names: &[String]) -> String {
    let mut text = names.iter().take(MOST_NAMES).map(String::as_str).collect::<Vec<_>>().join(", ");
    if names.len() > MOST_NAMES {
        text.push_str(&format!(" and {} more", names.len() - MOST_NAMES));
    }
    text
}

fn ending(command: &str, finished: &Finished, time: Duration) -> (String, bool) {
    match &finished.ending {
        Ending::Exited(status) => {
            let is_answer = status.code() == Some(1) && one_is_an_answer(command);
            (format!("[{}]", explain(*status, Some(command))), !(status.success() || is_answer))
        }
        Ending::TimedOut => {
            (format!("[timed out after {} s, and ended with all that it had started]", time.as_secs()), true)
        }
        Ending::Cancelled => (
            format!("[cancelled after {:.1} s, and ended with all that it had started]", finished.ran.as_secs_f64()),
            true,
        ),
        Ending::NotStarted(reason) => (format!("[it could not be started: {reason}]"), true),
        Ending::Lost => ("[how it ended is not known: what it ran under was killed]".to_owned(), true),
    }
}

/// What a status means.
pub(super) fn explain(status: ExitStatus, command: Option<&str>) -> String {
    let Some(code) = status.code() else {
        let number = status.signal().unwrap_or_default();
        return format!("ended by signal {number}{}", signal_name(number));
    };
    let why = match code {
        1 if command.is_some_and(one_is_an_answer) => ": an answer of this program, not a failure".to_owned(),
        126 => ": found, but it cannot be executed".to_owned(),
        127 => ": a command was not found".to_owned(),
        129..=159 => format!(": ended by signal {}{}", code - 128, signal_name(code - 128)),
        _ => String::new(),
    };
    format!("exit code {code}{why}")
}

fn signal_name(number: i32) -> String {
    let Ok(signal) = nix::sys::signal::Signal::try_from(number) else { return String::new() };
    let why = match signal {
        nix::sys::signal::Signal::SIGKILL => ", perhaps for want of memory",
        _ => "",
    };
    format!(" ({signal}{why})")
}
