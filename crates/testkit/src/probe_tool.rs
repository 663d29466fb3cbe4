//! A tool that panics, waits, counts or takes its time.

use std::sync::Arc;
use std::time::Duration;

use chat::{ToolResult, ToolSpec};
use serde_json::{Map, Value, json};
use tokio::sync::watch;
use tools::{Access, EffectClass, Stage, Tool, ToolContext, ToolFuture};

use crate::Gate;
use crate::bound::within_limit;

/// A tool made for a test: `ProbeTool::new("look").gated(&gate).returns("two files")`. Clones share their counts.
#[derive(Clone)]
pub struct ProbeTool {
    spec: ToolSpec,
    effect: EffectClass,
    parallel_safe: bool,
    stage: Stage,
    advice: Option<String>,
    needs: Access,
    plan: Plan,
    counts: Arc<watch::Sender<Counts>>,
}

/// What a call does, in the order of the fields.
#[derive(Clone, Default)]
struct Plan {
    progress: Vec<String>,
    gate: Option<Gate>,
    time: Duration,
    panics: Option<String>,
    result: ToolResult,
}

#[derive(Default)]
struct Counts {
    calls: Vec<Map<String, Value>>,
    finished: usize,
    dropped: usize,
    cancelled: usize,
}

impl ProbeTool {
    /// A tool that returns `done` at once, only looks, and takes any arguments.
    #[must_use]
    pub fn new(name: &str) -> Self {
        let spec = ToolSpec {
            name: name.to_owned(),
            description: format!("{name}, for a test"),
            parameters: json!({"type": "object", "properties": {}}),
        };
        Self {
            spec,
            effect: EffectClass::Pure,
            parallel_safe: false,
            stage: Stage::InTurn,
            advice: None,
            needs: Access::Shell,
            plan: Plan { result: ToolResult::ok("done"), ..Plan::default() },
            counts: Arc::new(watch::Sender::new(Counts::default())),
        }
    }

    /// Returns this text.
    #[must_use]
    pub fn returns(mut self, content: &str) -> Self {
        self.plan.result = ToolResult::ok(content);
        self
    }

    /// Fails with this text.
    #[must_use]
    pub fn fails(mut self, content: &str) -> Self {
        self.plan.result = ToolResult::error(content);
        self
    }

    /// Returns just this.
    #[must_use]
    pub fn gives(mut self, result: ToolResult) -> Self {
        self.plan.result = result;
        self
    }

    /// Panics instead of returning.
    #[must_use]
    pub fn panics(mut self, message: &str) -> Self {
        self.plan.panics = Some(message.to_owned());
        self
    }

    /// Waits until the gate is opened.
    #[must_use]
    pub fn gated(mut self, gate: &Gate) -> Self {
        self.plan.gate = Some(gate.clone());
        self
    }

    /// Takes so long: for paused time.
    #[must_use]
    pub fn takes(mut self, time: Duration) -> Self {
        self.plan.time = time;
        self
    }

    /// Reports these outputs at its start.
    #[must_use]
    pub fn reports(mut self, outputs: &[&str]) -> Self {
        self.plan.progress = outputs.iter().map(|output| (*output).to_owned()).collect();
        self
    }

    /// May run beside other calls.
    #[must_use]
    pub fn parallel_safe(mut self) -> Self {
        self.parallel_safe = true;
        self
    }

    /// Runs by itself after a turn.
    #[must_use]
    pub fn after_turn(mut self) -> Self {
        self.stage = Stage::AfterTurn;
        self
    }

    /// Has this effect when it runs twice.
    #[must_use]
    pub fn effect(mut self, effect: EffectClass) -> Self {
        self.effect = effect;
        self
    }

    /// Cannot do without these arguments of text.
    #[must_use]
    pub fn requires(mut self, names: &[&str]) -> Self {
        let properties: Map<String, Value> =
            names.iter().map(|name| ((*name).to_owned(), json!({"type": "string"}))).collect();
        self.spec.parameters = json!({"type": "object", "properties": properties, "required": names});
        self
    }

    /// Needs no more of the machine than this; else it is for owners alone.
    #[must_use]
    pub fn needs(mut self, needs: Access) -> Self {
        self.needs = needs;
        self
    }

    /// Gives this advice on sending less at a time.
    #[must_use]
    pub fn advises(mut self, advice: &str) -> Self {
        self.advice = Some(advice.to_owned());
        self
    }

    /// The tool to hand to what is tested.
    #[must_use]
    pub fn tool(&self) -> Arc<dyn Tool> {
        Arc::new(self.clone())
    }

    /// The arguments of the calls so far.
    #[must_use]
    pub fn calls(&self) -> Vec<Map<String, Value>> {
        self.counts.borrow().calls.clone()
    }

    /// How many calls returned.
    #[must_use]
    pub fn finished(&self) -> usize {
        self.counts.borrow().finished
    }

    /// Waits until so many calls have begun.
    pub async fn await_calls(&self, calls: usize) {
        self.wait("a call of a tool", |counts| counts.calls.len() >= calls).await;
    }

    /// Waits until so many calls were dropped before their end.
    pub async fn await_dropped(&self, calls: usize) {
        self.wait("dropping a call of a tool", |counts| counts.dropped >= calls).await;
    }

    /// How many of the calls that were dropped had been told by their token before.
    #[must_use]
    pub fn cancelled(&self) -> usize {
        self.counts.borrow().cancelled
    }

    async fn wait(&self, what: &str, condition: impl FnMut(&Counts) -> bool) {
        let mut changes = self.counts.subscribe();
        within_limit(what, changes.wait_for(condition)).await.expect("the sender is held by self");
    }
}

impl Tool for ProbeTool {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn effect(&self) -> EffectClass {
        self.effect
    }

    fn stage(&self) -> Stage {
        self.stage
    }

    fn needs(&self) -> Access {
        self.needs
    }

    fn parallel_safe(&self) -> bool {
        self.parallel_safe
    }

    fn advice_on_sending_less(&self) -> Option<&str> {
        self.advice.as_deref()
    }

    fn run(&self, arguments: Map<String, Value>, context: ToolContext) -> ToolFuture {
        self.counts.send_modify(|counts| counts.calls.push(arguments));
        let mut call = Call { counts: self.counts.clone(), context, is_done: false };
        let plan = self.plan.clone();
        Box::pin(async move {
            let result = plan.run(&call.context).await;
            call.done();
            result
        })
    }
}

impl Plan {
    async fn run(self, context: &ToolContext) -> ToolResult {
        for output in self.progress {
            (context.progress)(output);
        }
        if let Some(gate) = self.gate {
            gate.pass().await;
        }
        if !self.time.is_zero() {
            tokio::time::sleep(self.time).await;
        }
        if let Some(message) = self.panics {
            panic!("{message}");
        }
        self.result
    }
}

/// A running call; it notes how it ended.
struct Call {
    counts: Arc<watch::Sender<Counts>>,
    context: ToolContext,
    is_done: bool,
}

impl Call {
    fn done(&mut self) {
        self.is_done = true;
    }
}

impl Drop for Call {
    fn drop(&mut self) {
        self.counts.send_modify(|counts| match self.is_done {
            true => counts.finished += 1,
            false => {
                counts.dropped += 1;
                counts.cancelled += usize::from(self.context.cancelled.is_cancelled());
            }
        });
    }
}

#[cfg(test)]
mod tests;
