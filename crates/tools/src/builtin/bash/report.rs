//! What a model is told of a command that has run.

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
        Ending::Exited(status) => match status.code() {
            Some(code) => (format!("[exit code {code}]"), !(code == 0 || code == 1 && one_is_an_answer(command))),
            None => (format!("[ended by {status}]"), true),
        },
        Ending::TimedOut => {
            (format!("[timed out after {} s, and ended with all that it had started]", time.as_secs()), true)
        }
        Ending::Cancelled => (
            format!("[cancelled after {:.1} s, and ended with all that it had started]", finished.ran.as_secs_f64()),
            true,
        ),
        Ending::WantsTerminal => {
            let hint = "use options that do not ask, or hand the answer over in a file or a pipe";
            (format!("[ended, for it wanted to use a terminal and there is none; {hint}]"), true)
        }
        Ending::Unknown(error) => (format!("[how it ended could not be learnt: {error}]"), true),
    }
}
