//! Running the calls of a reply, in the model's order.

use chat::{Arguments, Block, Progress, ToolCall, ToolResult};

use super::{State, Turn};
use crate::breaker::{CallKey, Refusal, StepVerdict, Verdict};
use crate::step::OpenCall;
use crate::wording::for_model;
use crate::{Effect, ToolFacts, record};

/// What becomes of a call.
enum Decision {
    Run {
        parallel_safe: bool,
    },
    /// The loop breaker does not let it run.
    Refuse(Refusal),
    /// It makes no sense: the machine says why.
    Correct(String),
    /// The loop breaker ends the turn.
    End,
}

impl Turn {
    pub(super) fn key_of(&self, call: &ToolCall) -> CallKey {
        CallKey::new(call, self.tool(&call.name).is_some())
    }

    fn tool(&self, name: &str) -> Option<&ToolFacts> {
        self.start.tools.iter().find(|tool| tool.name == name)
    }

    pub(super) fn tool_finished(&mut self, id: &str, mut result: ToolResult, ms: u64) -> Vec<Effect> {
        let State::Running(open) = &mut self.state else { return Vec::new() };
        result.content = record::cap_result(result.content, self.start.limits.tool_result_chars);
        let Some(answered) = open.finish(id, result.clone()) else { return Vec::new() };
        self.breaker.finished(&answered.key, &result);
        self.files.extend(result.files.iter().cloned());
        let mut effects = vec![tool_finished(&answered.call, &result, ms)];
        if !open.is_running() {
            effects.extend(self.run_next_calls());
        }
        effects
    }

    /// Starts the next calls, or ends the step when none is left. No call runs when this is called.
    pub(super) fn run_next_calls(&mut self) -> Vec<Effect> {
        if self.steering.is_urgent() {
            self.answer_waiting(for_model::SKIPPED);
        }
        let mut effects = Vec::new();
        while let Some(next) = self.next_waiting() {
            match self.decide(&next) {
                Decision::Run { .. } => {
                    effects.extend(self.run_batch());
                    return effects;
                }
                Decision::Refuse(refusal) => effects.extend(self.refuse_next(&next, refusal)),
                Decision::Correct(text) => effects.extend(self.correct_next(&next, text)),
                Decision::End => {
                    self.answer_waiting(for_model::NOT_RUN_ENDED);
                    self.close_open_step(Vec::new());
                    effects.extend(self.end_in_circles());
                    return effects;
                }
            }
        }
        effects.extend(self.close_step());
        effects
    }

    /// Starts the next call, and those behind it that may run at the same time.
    fn run_batch(&mut self) -> Vec<Effect> {
        let mut effects = Vec::new();
        let mut calls: Vec<ToolCall> = Vec::new();
        while let Some(next) = self.next_waiting() {
            let Decision::Run { parallel_safe } = self.decide(&next) else { break };
            if !parallel_safe && !calls.is_empty() {
                break;
            }
            effects.push(tool_started(&next.call));
            self.start_next(&next);
            calls.push(next.call);
            if !parallel_safe {
                break;
            }
        }
        effects.push(Effect::RunTools { together: calls.len() > 1, calls });
        effects
    }

    fn decide(&self, next: &OpenCall) -> Decision {
        match self.breaker.check(&next.key) {
            Verdict::End => return Decision::End,
            Verdict::Refuse(refusal) => return Decision::Refuse(refusal),
            Verdict::Allow => {}
        }
        let call = &next.call;
        let Some(tool) = self.tool(&call.name) else {
            return Decision::Correct(for_model::unknown_tool(&call.name, &self.start.tools));
        };
        if tool.after_turn {
            return Decision::Correct(for_model::runs_by_itself(&call.name));
        }
        match for_model::fault_of_arguments(call, tool) {
            Some(fault) => Decision::Correct(fault),
            None => Decision::Run { parallel_safe: tool.parallel_safe },
        }
    }

    fn next_waiting(&self) -> Option<OpenCall> {
        let State::Running(open) = &self.state else { return None };
        open.next_waiting().cloned()
    }

    fn start_next(&mut self, next: &OpenCall) {
        self.breaker.started(&next.key);
        if let State::Running(open) = &mut self.state {
            open.start_next();
        }
    }

    /// A call that makes no sense counts as one that ran and failed.
    fn correct_next(&mut self, next: &OpenCall, text: String) -> [Effect; 2] {
        self.breaker.started(&next.key);
        self.breaker.finished(&next.key, &ToolResult::error(text.as_str()));
        self.answer_next(next, text)
    }

    fn refuse_next(&mut self, next: &OpenCall, refusal: Refusal) -> [Effect; 2] {
        self.breaker.refused(&next.key, refusal);
        self.answer_next(next, for_model::refused(refusal, &next.call.name))
    }

    fn answer_next(&mut self, next: &OpenCall, text: String) -> [Effect; 2] {
        let result = ToolResult::error(text);
        let effects = [tool_started(&next.call), tool_finished(&next.call, &result, 0)];
        if let State::Running(open) = &mut self.state {
            open.answer_next(result);
        }
        effects
    }

    pub(super) fn answer_waiting(&mut self, text: &str) {
        if let State::Running(open) = &mut self.state {
            open.answer_waiting(text);
        }
    }

    /// All calls are answered: the pair enters the turn, what the person added follows, and the model is asked again.
    fn close_step(&mut self) -> Vec<Effect> {
        // Without a step that has tools, an addition is better off in a turn of its own.
        let takes_additions = self.may_offer_tools() || self.steering.is_urgent();
        let additions = if takes_additions { self.consume_steering() } else { Vec::new() };
        self.close_open_step(additions);
        match self.breaker.step_ended() {
            StepVerdict::GoOn => self.next_step(None),
            StepVerdict::Repetitive => self.next_step(Some(for_model::NUDGE_REPETITIVE.to_owned())),
            StepVerdict::End => self.end_in_circles(),
        }
    }

    /// Both messages of the open step enter the turn, if there is one; a call without a result was interrupted.
    pub(super) fn close_open_step(&mut self, additions: Vec<Block>) {
        match std::mem::replace(&mut self.state, State::Asking) {
            State::Running(open) => self.messages.extend(open.close(for_model::INTERRUPTED, additions)),
            other => self.state = other,
        }
    }
}

pub(super) fn tool_started(call: &ToolCall) -> Effect {
    let arguments = match &call.arguments {
        Arguments::Object(arguments) => Some(arguments.clone()),
        Arguments::Refused { .. } => None,
    };
    Effect::Report(Progress::ToolStarted { id: call.id.clone(), name: call.name.clone(), arguments })
}

pub(super) fn tool_finished(call: &ToolCall, result: &ToolResult, ms: u64) -> Effect {
    Effect::Report(Progress::ToolFinished {
        id: call.id.clone(),
        name: call.name.clone(),
        is_error: result.is_error,
        ms,
        display: result.display.clone(),
    })
}
