//! What the model reads and people do not.

use chat::{Arguments, ArgumentsRefusal, ToolCall};

use crate::ToolFacts;
use crate::breaker::Refusal;

pub(crate) const STEERING: &str =
    "[The person wrote the following while you were at work. Take it into account before you go on.]";
pub(crate) const SKIPPED: &str =
    "Skipped: the person wrote something new before this call was started. It did not run.";
pub(crate) const NOT_RUN_STOPPED: &str = "Not run: the person stopped the work before this call was started.";
pub(crate) const CANCELLED: &str =
    "Cancelled: the person stopped the work while this call was running. It may have taken effect in part.";
pub(crate) const INTERRUPTED: &str =
    "Interrupted: the program stopped before this call gave a result. It may have taken effect in part.";
pub(crate) const INTERRUPTED_FOR_GOOD: &str = "Interrupted: the program stopped while this call was running, and it was not run again. It may have taken effect, in whole \
     or in part. Look at what is there before you repeat it.";
pub(crate) const INTERRUPTED_BEFORE: &str = "Not run: the program stopped before this call was started.";
pub(crate) const NOT_RUN_ENDED: &str = "Not run: the work was ended because calls failed again and again.";

pub(crate) const MARK_SILENT: &str = "[There was nothing to say.]";

pub(crate) const NUDGE_ANSWER: &str = "[You have not answered the person yet. Write your answer now.]";
pub(crate) const NUDGE_REPETITIVE: &str =
    "[The same call gave the same result several times. Use the result you have: answer, or do something else.]";

/// Closes a turn that a person stopped. What goes on in the background is told, for nobody else would.
pub(crate) fn mark_stopped(goes_on: &[String]) -> String {
    match goes_on {
        [] => "[The person stopped the work here.]".to_owned(),
        jobs => {
            format!("[The person stopped the work here. These jobs still run in the background:\n{}]", jobs.join("\n"))
        }
    }
}

/// Stands before a picture that a tool gave back.
pub(crate) fn picture_of(tool: &str) -> String {
    format!("[A picture that \"{tool}\" gave back:]")
}

/// Closes a turn that failed: what stands above it is not the model's.
pub(crate) fn mark_failed(reason: &str) -> String {
    format!("[The work failed here, and the program told the person so: {reason}]")
}

/// Asks for a final answer when no step with tools is left.
pub(crate) fn nudge_summary(steps: u32) -> String {
    format!(
        "[All {steps} steps of this task are used up, and tools are no longer available. Write your final answer now: what was \
         done, what came of it, and what is left to do.]"
    )
}

/// Answers a call of a tool that runs by itself.
pub(crate) fn runs_by_itself(name: &str) -> String {
    format!("\"{name}\" runs by itself when this turn is over; it cannot be called.")
}

/// Answers a call of a tool that does not exist.
pub(crate) fn unknown_tool(name: &str, tools: &[ToolFacts]) -> String {
    let names: Vec<&str> = tools.iter().filter(|tool| !tool.after_turn).map(|tool| tool.name.as_str()).collect();
    if names.is_empty() {
        return format!("There is no tool named \"{name}\", nor any other. Answer without tools.");
    }
    format!("There is no tool named \"{name}\". There are: {}.", names.join(", "))
}

/// What is wrong with the arguments of a call, if anything is.
pub(crate) fn fault_of_arguments(call: &ToolCall, tool: &ToolFacts) -> Option<String> {
    let advice = tool.advice.as_deref().map(|advice| format!(" {advice}")).unwrap_or_default();
    match &call.arguments {
        Arguments::Refused { reason: ArgumentsRefusal::Truncated, detail } => Some(format!(
            "The arguments were cut off at the limit on output ({detail}). The call did not run, and nothing was changed. Send \
             less at a time.{advice}"
        )),
        Arguments::Refused { reason: ArgumentsRefusal::Invalid, detail } => Some(format!(
            "The arguments are no valid JSON object ({detail}). The call did not run, and nothing was changed. Send it again \
             with valid arguments."
        )),
        Arguments::Object(arguments) if arguments.is_empty() && !tool.required.is_empty() => Some(format!(
            "The arguments are empty, but these are required: {}. The call did not run. The arguments may have been cut off; \
             if they were long, send less at a time.{advice}",
            tool.required.join(", ")
        )),
        Arguments::Object(_) => None,
    }
}

/// Answers a call that goes round in circles.
pub(crate) fn refused(refusal: Refusal, name: &str) -> String {
    let why = match refusal {
        Refusal::SameResult { times } => format!("this very call gave the same result {times} times; it is further up"),
        Refusal::InARow { times } => format!("this very call was made {times} times in a row"),
        Refusal::CallFailed { times } => format!("this very call failed {times} times"),
        Refusal::ToolFailed { times } => format!("\"{name}\" failed {times} times"),
        Refusal::NoSuchTools { times } => format!("tools that do not exist were called {times} times"),
    };
    format!("Refused: {why}. It did not run again. Try something quite different, or tell the person how far you got.")
}

/// Stands where the middle of a long result was.
pub(crate) fn result_cut(left_out: usize) -> String {
    format!("\n[… {left_out} characters left out …]\n")
}
