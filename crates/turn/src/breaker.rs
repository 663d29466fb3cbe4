//! When a call goes round in circles.
//!
//! A call is known by its tool and its arguments, the keys of which are sorted. Before it runs, it is refused
//!
//! - when its last five runs gave the same result and nothing new came to light since the second of them. This catches one call
//!   repeated as well as A, B, A, B … and longer circles; a circle in which one result changes is none;
//! - when it ran 20 times in a row, whatever it gave: that is how long a status may be asked for again and again;
//! - when it failed 3 times, or its tool 6 times, since either last succeeded. Other calls in between do not start the count
//!   over. But a failure that reads differently from this call's last one, after something else succeeded, is not counted on
//!   top: that is how a test is run again after each correction.
//!
//! Refusals are no failures. Still they do not keep a turn alive: it ends when a tool has 8 failures and refusals for failing,
//! or after 3 steps in a row in which all that was asked for was refused.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use chat::{Arguments, ArgumentsRefusal, ToolCall, ToolResult};

use crate::fingerprint::Fingerprint;

/// How often a call may give the same result while nothing else changes.
const MOST_SAME_RESULTS: usize = 5;
/// From which identical success on the model is asked to use the result.
const SAME_RESULTS_TO_MENTION: usize = 3;
/// How often a call may run in a row when its results differ.
const MOST_IN_A_ROW: u32 = 20;
/// How often a call may fail.
const MOST_CALL_FAILURES: u32 = 3;
/// How often a tool may fail.
const MOST_TOOL_FAILURES: u32 = 6;
/// How many failures of a tool, and refusals because of them, end the turn.
const TOOL_FAILURES_TO_END: u32 = 8;
/// How many steps in a row may consist of refusals.
const MOST_REFUSED_STEPS: u32 = 3;

/// What a call is known by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CallKey {
    tool: String,
    hash: u64,
}

impl CallKey {
    /// All tools that do not exist count as one, or a model that makes up a new name each time would never be caught.
    pub(crate) fn new(call: &ToolCall, exists: bool) -> Self {
        let name = Fingerprint::default().text(&call.name);
        let hash = match &call.arguments {
            Arguments::Object(arguments) => name.object(arguments),
            Arguments::Refused { reason: ArgumentsRefusal::Truncated, .. } => name.text("truncated"),
            Arguments::Refused { reason: ArgumentsRefusal::Invalid, .. } => name.text("invalid"),
        };
        Self { tool: if exists { call.name.clone() } else { String::new() }, hash: hash.value() }
    }

    fn exists(&self) -> bool {
        !self.tool.is_empty()
    }
}

/// Whether a call may run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    Allow,
    Refuse(Refusal),
    /// It may not, and the turn is to end.
    End,
}

/// Why a call may not run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// It gives the same result each time.
    SameResult { times: usize },
    /// It was called too often in a row.
    InARow { times: u32 },
    /// It fails each time.
    CallFailed { times: u32 },
    /// Its tool fails each time.
    ToolFailed { times: u32 },
    /// Tools that do not exist are called each time.
    NoSuchTools { times: u32 },
}

/// What the calls of a step say about the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StepVerdict {
    /// Nothing.
    GoOn,
    /// A result came up again and again: the model is to use it.
    Repetitive,
    /// The turn is to end.
    End,
}

/// What the calls of a turn gave so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct Breaker {
    calls: BTreeMap<u64, CallHistory>,
    tools: BTreeMap<String, ToolHistory>,
    seen: BTreeSet<(u64, u64)>,
    /// How many calls were started; a call's place in that order is its time.
    clock: u64,
    /// When the last call started that gave something new.
    newest: u64,
    /// When the last call started that succeeded.
    last_success: u64,
    row: Row,
    step: StepTally,
    refused_steps: u32,
}

#[derive(Clone, Debug, Default)]
struct CallHistory {
    /// Its last runs, all with the same result, oldest first; those that still run are counted as if they had it too.
    same_result: VecDeque<u64>,
    running: VecDeque<u64>,
    result: Option<u64>,
    failures: u32,
    failed_at: u64,
}

#[derive(Clone, Debug, Default)]
struct ToolHistory {
    failures: u32,
    refusals: u32,
}

/// The calls that started last, as long as they are the same.
#[derive(Clone, Copy, Debug, Default)]
struct Row {
    call: u64,
    times: u32,
}

#[derive(Clone, Copy, Debug, Default)]
struct StepTally {
    started: bool,
    refused: bool,
    repetitive: bool,
}

impl Breaker {
    /// Decides about a call that is about to run.
    pub(crate) fn check(&self, key: &CallKey) -> Verdict {
        let tool = self.tools.get(&key.tool).cloned().unwrap_or_default();
        if tool.failures.saturating_add(tool.refusals) >= TOOL_FAILURES_TO_END {
            return Verdict::End;
        }
        match self.refusal(key, &tool) {
            Some(refusal) => Verdict::Refuse(refusal),
            None => Verdict::Allow,
        }
    }

    fn refusal(&self, key: &CallKey, tool: &ToolHistory) -> Option<Refusal> {
        if let Some(call) = self.calls.get(&key.hash) {
            if self.goes_in_circles(call) {
                return Some(Refusal::SameResult { times: call.same_result.len() });
            }
            if call.failures >= MOST_CALL_FAILURES {
                return Some(Refusal::CallFailed { times: call.failures });
            }
        }
        if self.row.call == key.hash && self.row.times >= MOST_IN_A_ROW {
            return Some(Refusal::InARow { times: self.row.times });
        }
        let times = tool.failures;
        let refusal = if key.exists() { Refusal::ToolFailed { times } } else { Refusal::NoSuchTools { times } };
        (times >= MOST_TOOL_FAILURES).then_some(refusal)
    }

    /// The first run of a call may be what was new; from the second on it is a repetition.
    fn goes_in_circles(&self, call: &CallHistory) -> bool {
        call.same_result.len() >= MOST_SAME_RESULTS
            && call.same_result.get(1).is_some_and(|second| self.newest < *second)
    }

    /// Notes that a call was refused.
    pub(crate) fn refused(&mut self, key: &CallKey, refusal: Refusal) {
        self.step.refused = true;
        if matches!(refusal, Refusal::ToolFailed { .. } | Refusal::NoSuchTools { .. }) {
            let tool = self.tools.entry(key.tool.clone()).or_default();
            tool.refusals = tool.refusals.saturating_add(1);
        }
    }

    /// Notes that a call runs.
    pub(crate) fn started(&mut self, key: &CallKey) {
        self.clock += 1;
        self.step.started = true;
        let before = if self.row.call == key.hash { self.row.times } else { 0 };
        self.row = Row { call: key.hash, times: before.saturating_add(1) };
        let call = self.calls.entry(key.hash).or_default();
        call.running.push_back(self.clock);
        call.same_result.push_back(self.clock);
        if call.same_result.len() > MOST_SAME_RESULTS {
            call.same_result.pop_front();
        }
    }

    /// Notes what a call gave that runs.
    pub(crate) fn finished(&mut self, key: &CallKey, result: &ToolResult) {
        let content = Fingerprint::default().text(&result.content).value();
        let call = self.calls.entry(key.hash).or_default();
        let start = call.running.pop_front().unwrap_or(self.clock);
        let same = call.result.replace(content) == Some(content);
        if !same {
            call.same_result.retain(|run| *run >= start);
        }
        if self.seen.insert((key.hash, content)) {
            self.newest = self.newest.max(start);
        }
        if result.is_error {
            self.failed(key, same);
        } else {
            self.succeeded(key, start);
        }
    }

    fn succeeded(&mut self, key: &CallKey, start: u64) {
        self.last_success = self.last_success.max(start);
        self.tools.remove(&key.tool);
        let call = self.calls.entry(key.hash).or_default();
        call.failures = 0;
        self.step.repetitive |= call.same_result.len() >= SAME_RESULTS_TO_MENTION;
    }

    fn failed(&mut self, key: &CallKey, same: bool) {
        let call = self.calls.entry(key.hash).or_default();
        let made_progress = call.failures > 0 && !same && self.last_success > call.failed_at;
        call.failed_at = self.clock;
        if made_progress {
            call.failures = 1;
            return;
        }
        call.failures = call.failures.saturating_add(1);
        let tool = self.tools.entry(key.tool.clone()).or_default();
        tool.failures = tool.failures.saturating_add(1);
    }

    /// Looks back on a step whose calls are all answered.
    pub(crate) fn step_ended(&mut self) -> StepVerdict {
        let step = std::mem::take(&mut self.step);
        let nothing_ran = step.refused && !step.started;
        self.refused_steps = if nothing_ran { self.refused_steps.saturating_add(1) } else { 0 };
        if self.refused_steps >= MOST_REFUSED_STEPS {
            StepVerdict::End
        } else if step.repetitive {
            StepVerdict::Repetitive
        } else {
            StepVerdict::GoOn
        }
    }
}
