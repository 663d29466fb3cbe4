//! A model call: a model is chosen, a task reads its stream and reports piece by piece, a failure is told to all.

use std::panic::AssertUnwindSafe;

use chat::{ErrorClass, ModelError, Progress};
use futures_util::{FutureExt, StreamExt};
use llm::{ModelRequest, ReplyEvent, ReplyStream};
use ractor::ActorRef;
use tokio::task::AbortHandle;
use tokio::time::Duration;
use turn::{Effect, Input};

use super::{ExecutorMessage, ExecutorState};
use crate::models::{Chosen, ModelsMessage};
use crate::wording;

/// How many pieces of a reply are told at once, where so many have come.
const AT_ONCE: usize = 16;

/// A request that has no whole answer yet. Dropping it ends the request.
pub(super) struct ModelCall {
    number: u64,
    step: u32,
    request: ModelRequest,
    stage: Stage,
}

enum Stage {
    /// Which model is asked is not known yet.
    Choosing,
    /// The model is writing.
    Reading { place: usize, text: String, task: AbortHandle },
    /// It failed; whether another one is asked is not known yet.
    Failed { error: ModelError, partial: String },
}

impl ModelCall {
    /// The visible text so far.
    pub(super) fn text(&self) -> &str {
        match &self.stage {
            Stage::Choosing => "",
            Stage::Reading { text, .. } | Stage::Failed { partial: text, .. } => text,
        }
    }
}

impl Drop for ModelCall {
    fn drop(&mut self) {
        if let Stage::Reading { task, .. } = &self.stage {
            task.abort();
        }
    }
}

impl ExecutorState {
    pub(super) fn call_model(&mut self, request: ModelRequest, step: u32) {
        self.counter += 1;
        let number = self.counter;
        self.model = Some(ModelCall { number, step, request, stage: Stage::Choosing });
        self.choose(number);
    }

    fn choose(&mut self, call: u64) {
        let choose = ModelsMessage::Choose { asker: self.myself.clone(), call };
        if self.models.cast(choose).is_err() {
            self.model_lost(call, "the list of models is gone".to_owned());
        }
    }

    pub(super) fn ask(&mut self, call: u64, chosen: Chosen) {
        let Some(model) = self.model.as_mut().filter(|model| model.number == call) else { return };
        let stream = chosen.model.ask(model.request.clone());
        let reader = tokio::spawn(report(stream, self.myself.clone(), call));
        model.stage = Stage::Reading { place: chosen.place, text: String::new(), task: reader.abort_handle() };
        if let Some(switch) = chosen.switch {
            let text = wording::switched(self.language, &switch);
            self.perform_all(vec![Effect::Report(Progress::Notice { text })]);
        }
    }

    pub(super) fn model_said(&mut self, call: u64, event: ReplyEvent) {
        let Some(model) = self.model.as_mut().filter(|model| model.number == call) else { return };
        let Stage::Reading { place, text, .. } = &mut model.stage else { return };
        let place = *place;
        match event {
            ReplyEvent::Text(piece) => {
                text.push_str(&piece);
                self.deltas.text(model.step, &piece);
                self.schedule_deltas();
            }
            ReplyEvent::Reasoning(piece) => {
                self.deltas.reasoning(model.step, &piece);
                self.schedule_deltas();
            }
            ReplyEvent::Finished(reply) => {
                let counted = reply.usage.map(|usage| usage.input);
                let expected = counted.map_or(0, |_| self.offer.expected_tokens(&model.request));
                self.model = None;
                self.finish_deltas();
                let _ = self.models.cast(ModelsMessage::Answered { model: place, expected, counted });
                self.input(Input::ReplyReceived(reply));
            }
            ReplyEvent::Failed { error, partial } => self.model_failed(call, error, partial),
        }
    }

    pub(super) fn model_lost(&mut self, call: u64, reason: String) {
        let Some(model) = self.model.as_ref().filter(|model| model.number == call) else { return };
        if matches!(model.stage, Stage::Failed { .. }) {
            return;
        }
        let partial = model.text().to_owned();
        self.model_failed(call, ModelError::new(ErrorClass::Protocol, reason), partial);
    }

    /// Tells all of a failure, and learns whether there is another model to ask.
    fn model_failed(&mut self, call: u64, mut error: ModelError, partial: String) {
        let Some(model) = self.model.as_mut() else { return };
        self.services.guard.secrets.redact_in(&mut error.message);
        let place = match &model.stage {
            Stage::Reading { place, .. } => Some(*place),
            _ => None,
        };
        let class = error.class;
        model.stage = Stage::Failed { error, partial };
        let told = place.map(|model| ModelsMessage::Failed { asker: self.myself.clone(), call, model, class });
        if told.is_none_or(|told| self.models.cast(told).is_err()) {
            self.failure_noted(call, false);
        }
    }

    pub(super) fn failure_noted(&mut self, call: u64, another: bool) {
        let Some(mut model) = self.model.take_if(|model| model.number == call) else { return };
        let Stage::Failed { error, partial } = std::mem::replace(&mut model.stage, Stage::Choosing) else { return };
        if !another {
            return self.input(Input::ModelFailed { error, partial });
        }
        let step = model.step;
        self.model = Some(model);
        self.deltas.discard();
        if !partial.is_empty() {
            self.perform_all(vec![Effect::Report(Progress::TextReset { step })]);
        }
        self.choose(call);
    }

    /// What the model said is whole.
    pub(super) fn finish_deltas(&mut self) {
        self.deltas.finish();
        self.schedule_deltas();
    }

    fn schedule_deltas(&mut self) {
        if let Some(held) = &mut self.held {
            return held.extend(self.deltas.take().into_iter().map(Effect::Report));
        }
        match self.deltas.due_in() {
            Some(Duration::ZERO) => self.flush_deltas(),
            Some(pause) => _ = self.after(pause, ExecutorMessage::DeltasDue),
            None => {}
        }
    }
}

/// Reports what a model says. A stream that panics, or ends without an end, must not leave the turn waiting.
async fn report(stream: ReplyStream, executor: ActorRef<ExecutorMessage>, call: u64) {
    let reason = match AssertUnwindSafe(read(stream, &executor, call)).catch_unwind().await {
        Ok(true) => return,
        Ok(false) => "the model's stream ended without an end",
        Err(_) => "the model's client failed",
    };
    let _ = executor.cast(ExecutorMessage::ModelLost { call, reason: reason.to_owned() });
}

/// Reads a stream to its end, and tells whether that was one. Where nobody listens any more, it is.
async fn read(stream: ReplyStream, executor: &ActorRef<ExecutorMessage>, call: u64) -> bool {
    let mut stream = stream.ready_chunks(AT_ONCE);
    while let Some(events) = stream.next().await {
        let is_last = |event: &ReplyEvent| matches!(event, ReplyEvent::Finished(_) | ReplyEvent::Failed { .. });
        let is_whole = events.iter().any(is_last);
        if executor.cast(ExecutorMessage::Model { call, events }).is_err() || is_whole {
            return true;
        }
    }
    false
}
