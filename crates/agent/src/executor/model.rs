//! A model call that runs: a task reads its stream and reports piece by piece.

use chat::{ErrorClass, ModelError};
use futures_util::StreamExt;
use llm::{ModelRequest, ReplyEvent};
use tokio::task::{AbortHandle, JoinHandle};
use tokio::time::Duration;
use turn::{Effect, Input};

use super::{ExecutorMessage, ExecutorState};

/// A request that was sent and not yet answered whole. Dropping it ends the request.
pub(super) struct ModelCall {
    number: u64,
    step: u32,
    /// The visible text so far.
    pub(super) text: String,
    task: AbortHandle,
}

impl Drop for ModelCall {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl ExecutorState {
    pub(super) fn ask_model(&mut self, request: ModelRequest, step: u32) {
        self.counter += 1;
        let number = self.counter;
        let mut stream = self.services.model.ask(request);
        let myself = self.myself.clone();
        let reader = tokio::spawn(async move {
            while let Some(event) = stream.next().await {
                let last = matches!(event, ReplyEvent::Finished(_) | ReplyEvent::Failed { .. });
                if myself.cast(ExecutorMessage::Model { call: number, event }).is_err() || last {
                    return;
                }
            }
        });
        let task = reader.abort_handle();
        self.watch(reader, number);
        self.model = Some(ModelCall { number, step, text: String::new(), task });
    }

    /// A stream that panics, or ends without an end, must not leave the turn waiting.
    fn watch(&self, reader: JoinHandle<()>, number: u64) {
        let myself = self.myself.clone();
        tokio::spawn(async move {
            let reason = match reader.await {
                Err(error) if error.is_cancelled() => return,
                Err(_) => "the model's client failed",
                Ok(()) => "the model's stream ended without an end",
            };
            let _ = myself.cast(ExecutorMessage::ModelLost { call: number, reason: reason.to_owned() });
        });
    }

    pub(super) fn model_said(&mut self, call: u64, event: ReplyEvent) {
        let Some(model) = self.model.as_mut().filter(|model| model.number == call) else { return };
        match event {
            ReplyEvent::Text(piece) => {
                model.text.push_str(&piece);
                self.deltas.text(model.step, piece);
                self.schedule_deltas();
            }
            ReplyEvent::Reasoning(piece) => {
                self.deltas.reasoning(model.step, piece);
                self.schedule_deltas();
            }
            ReplyEvent::Finished(reply) => {
                self.model = None;
                self.input(Input::ReplyReceived(reply));
            }
            ReplyEvent::Failed { error, partial } => {
                self.model = None;
                self.input(Input::ModelFailed { error, partial });
            }
        }
    }

    pub(super) fn model_lost(&mut self, call: u64, reason: String) {
        if let Some(model) = self.model.take_if(|model| model.number == call) {
            let error = ModelError::new(ErrorClass::Protocol, reason);
            self.input(Input::ModelFailed { error, partial: model.text.clone() });
        }
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
