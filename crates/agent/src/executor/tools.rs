//! Tool calls that run: a task each, which reports when the tool and all that it started are gone.

use std::collections::HashMap;
use std::sync::Arc;

use chat::{Arguments, Progress, ToolCall, ToolResult};
use serde_json::{Map, Value};
use store::test_point;
use tokio::task::AbortHandle;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tools::policy::{self, Decision};
use tools::{EffectClass, Tool, ToolContext};
use turn::Input;

use super::{ExecutorMessage, ExecutorState, redaction};

/// The calls that run. Dropping it ends them.
#[derive(Default)]
pub(super) struct RunningTools {
    running: HashMap<String, RunningTool>,
    /// Calls that must not run twice, until it is on disk that they start.
    starting: HashMap<String, StartingTool>,
}

struct StartingTool {
    tool: Arc<dyn Tool>,
    arguments: Map<String, Value>,
}

struct RunningTool {
    cancelled: CancellationToken,
    task: AbortHandle,
}

impl Drop for RunningTool {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl RunningTools {
    /// Asks all of them to end; those that have not started never do.
    pub(super) fn cancel(&mut self) {
        self.starting.clear();
        self.running.values().for_each(|tool| tool.cancelled.cancel());
    }

    /// Ends those that did not.
    pub(super) fn give_up(&mut self) {
        self.running.clear();
    }

    pub(super) fn are_gone(&self) -> bool {
        self.running.is_empty() && self.starting.is_empty()
    }
}

impl ExecutorState {
    pub(super) fn run_tool(&mut self, call: ToolCall) {
        let ToolCall { id, name, arguments, .. } = call;
        let refusal = match (self.offer.tools.get(&name), arguments) {
            (Some(tool), Arguments::Object(arguments)) => {
                match policy::decide(&self.services.guard.rules, self.offer.role, tool.as_ref(), &arguments) {
                    Decision::Allow if tool.effect() == EffectClass::Effect => {
                        return self.record_start(id, Arc::clone(tool), arguments);
                    }
                    Decision::Allow => return self.spawn_tool(id, Arc::clone(tool), arguments),
                    Decision::Ask { reason } | Decision::Deny { reason } => reason,
                }
            }
            (None, _) => format!("there is no tool named {name}"),
            (_, Arguments::Refused { detail, .. }) => detail,
        };
        let result = ToolResult::error(refusal);
        let _ = self.myself.cast(ExecutorMessage::ToolDone { call: id, result, ms: 0 });
    }

    /// After a crash, a call that is not on record as started has surely not run.
    fn record_start(&mut self, id: String, tool: Arc<dyn Tool>, arguments: Map<String, Value>) {
        let (myself, call) = (self.myself.clone(), id.clone());
        self.tools.starting.insert(id.clone(), StartingTool { tool, arguments });
        self.recorder.call_starts(&mut self.turn, &id, move |is_recorded| {
            test_point("effect_started");
            let _ = myself.cast(ExecutorMessage::CallRecorded { call, is_recorded });
        });
    }

    pub(super) fn call_recorded(&mut self, id: &str, is_recorded: bool) {
        let Some(StartingTool { tool, arguments }) = self.tools.starting.remove(id) else { return };
        if is_recorded {
            return self.spawn_tool(id.to_owned(), tool, arguments);
        }
        let result = ToolResult::error("that it starts could not be written to the disk, so it did not run");
        self.input(Input::ToolFinished { call: id.to_owned(), result, ms: 0 });
    }

    fn spawn_tool(&mut self, id: String, tool: Arc<dyn Tool>, arguments: Map<String, Value>) {
        let cancelled = CancellationToken::new();
        let context = ToolContext {
            conversation: self.key.clone(),
            turn: self.id,
            call: id.clone(),
            role: self.offer.role,
            folder: self.services.folder.clone(),
            cancelled: cancelled.clone(),
            progress: self.progress_of(&id),
        };
        let limit = self.services.limits.tool_result_chars;
        let name = tool.spec().name.clone();
        let started = Instant::now();
        let secrets = self.services.guard.secrets.clone();
        let run = tokio::spawn(async move {
            // Before it is cut, for half a secret would not be known.
            tools::cap_result(redaction::result(&secrets, tool.run(arguments, context).await), limit)
        });
        let task = run.abort_handle();
        let myself = self.myself.clone();
        let call = id.clone();
        tokio::spawn(async move {
            let result = run.await.unwrap_or_else(|error| {
                let what = if error.is_panic() { "failed inside" } else { "was ended" };
                ToolResult::error(format!("the tool {name} {what}; it gave no result"))
            });
            let ms = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
            let _ = myself.cast(ExecutorMessage::ToolDone { call, result, ms });
        });
        self.tools.running.insert(id, RunningTool { cancelled, task });
    }

    fn progress_of(&self, id: &str) -> Arc<dyn Fn(String) + Send + Sync> {
        let (myself, id) = (self.myself.clone(), id.to_owned());
        Arc::new(move |text| {
            let _ = myself.cast(ExecutorMessage::ToolProgress { call: id.clone(), text });
        })
    }

    /// What of the conversation runs in the background, a line each.
    pub(super) async fn jobs_that_run(&self) -> Vec<String> {
        let jobs = self.services.jobs.running(&self.key).await;
        jobs.into_iter().map(|job| format!("{}: {}", job.id, job.command)).collect()
    }

    pub(super) fn tool_progressed(&mut self, call: String, text: String) {
        if self.tools.running.contains_key(&call) {
            self.report(Progress::ToolProgress { id: call, text });
        }
    }

    pub(super) fn tool_done(&mut self, call: String, result: ToolResult, ms: u64) {
        test_point("tool_ended");
        self.tools.running.remove(&call);
        self.input(Input::ToolFinished { call, result, ms });
    }
}
