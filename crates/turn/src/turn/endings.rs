//! The ways in which a turn ends. Each closes its messages with one of the assistant, so that they are whole.

use std::sync::Arc;

use chat::{Block, ErrorClass, Message, ModelError, Outcome, OutcomeKind, Progress, Role, ToolResult, TurnError};

use super::calls::tool_finished;
use super::{State, Turn};
use crate::Effect;
use crate::wording::{ForPeople, for_model};

/// A turn was broken off from outside: who ran it is gone, or could not go on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Interrupted {
    /// Why, for people.
    pub reason: String,
}

/// How a turn is to end.
pub(super) struct Ending {
    pub(super) kind: OutcomeKind,
    /// What the person is told.
    pub(super) text: String,
    pub(super) error: Option<TurnError>,
    /// The last message.
    pub(super) blocks: Vec<Block>,
}

impl Turn {
    /// Ends the turn from outside: calls without a result are answered as interrupted, and the messages are closed by a text that
    /// says so. A turn that was over stays as it was.
    pub fn close(&mut self, how: Interrupted) -> Outcome {
        if let State::Finished(outcome) = &self.state {
            return outcome.clone();
        }
        self.close_interrupted();
        let text = ForPeople::Interrupted { reason: &how.reason }.text(self.start.language);
        let blocks = vec![Block::text(text.as_str()), Block::hidden(for_model::mark_failed(&how.reason))];
        let text = self.with_what_is_uncertain(text);
        let error = TurnError { class: "interrupted".to_owned(), message: how.reason };
        self.end(Ending { kind: OutcomeKind::Failed, text, error: Some(error), blocks })
    }

    pub(super) fn close_interrupted(&mut self) {
        self.note_uncertain();
        self.answer_waiting(for_model::INTERRUPTED_BEFORE);
        self.close_open_step(Vec::new());
    }

    /// A person wants the turn to end, whatever it does at the moment. What it has set going beside it may go on.
    pub(super) fn stop(&mut self, partial: String, goes_on: &[String]) -> Vec<Effect> {
        let mut blocks = Vec::new();
        let mut effects = match &self.state {
            State::Asking => {
                self.said = partial;
                if !self.said.trim().is_empty() {
                    blocks.push(Block::text(self.said.as_str()));
                }
                vec![Effect::AbortModel]
            }
            State::Running(_) => self.cancel_calls(),
            State::Pausing { .. } | State::Finished(_) => Vec::new(),
        };
        blocks.push(Block::hidden(for_model::mark_stopped(goes_on)));
        let text = match self.said.trim() {
            "" => ForPeople::Stopped.text(self.start.language),
            _ => self.said.clone(),
        };
        effects.extend(self.finish(Ending { kind: OutcomeKind::Stopped, text, error: None, blocks }));
        effects
    }

    fn cancel_calls(&mut self) -> Vec<Effect> {
        self.answer_waiting(for_model::NOT_RUN_STOPPED);
        let State::Running(open) = &mut self.state else { return Vec::new() };
        let cancelled = ToolResult::error(for_model::CANCELLED);
        let running = open.answer_running(for_model::CANCELLED);
        self.close_open_step(Vec::new());
        let reports = running.iter().map(|call| tool_finished(call, &cancelled, 0));
        std::iter::once(Effect::AbortTools).chain(reports).collect()
    }

    /// The model gave no reply, and will not be asked again. What it had said stays.
    pub(super) fn fail(&mut self, error: &ModelError) -> Vec<Effect> {
        let mut text = ForPeople::ModelFailed { error }.text(self.start.language);
        if self.is_summary() {
            text = format!("{} {text}", ForPeople::StepsUsedUp { steps: self.offers }.text(self.start.language));
        }
        self.fail_saying(error.class.name(), error.message.clone(), text)
    }

    /// A vendor's filter ended the reply.
    pub(super) fn filtered(&mut self) -> Vec<Effect> {
        self.fail_with(ErrorClass::ContentFilter.name(), ForPeople::Filtered)
    }

    /// Fails with one of the machine's own texts.
    pub(super) fn fail_with(&mut self, class: &str, text: ForPeople<'_>) -> Vec<Effect> {
        let text = text.text(self.start.language);
        self.fail_saying(class, text.clone(), text)
    }

    fn fail_saying(&mut self, class: &str, message: String, explanation: String) -> Vec<Effect> {
        let mut blocks = Vec::new();
        let mut text = explanation.clone();
        if !self.said.trim().is_empty() {
            blocks.push(Block::text(self.said.as_str()));
            text = format!("{}\n\n{explanation}", self.said);
        }
        blocks.extend([Block::text(explanation), Block::hidden(for_model::mark_failed(&message))]);
        let error = Some(TurnError { class: class.to_owned(), message });
        self.finish(Ending { kind: OutcomeKind::Failed, text, error, blocks })
    }

    /// The loop breaker ends the turn.
    pub(super) fn end_in_circles(&mut self) -> Vec<Effect> {
        let mut effects: Vec<Effect> = self.void_what_was_said(false).into_iter().collect();
        effects.extend(self.fail_with("tool_loop", ForPeople::WentInCircles));
        effects
    }

    /// All steps are used, and the model did not sum them up.
    pub(super) fn end_without_summary(&mut self) -> Vec<Effect> {
        let text = ForPeople::StepsUsedUp { steps: self.offers }.text(self.start.language);
        let blocks = vec![Block::text(text.as_str())];
        self.finish(Ending { kind: OutcomeKind::Answered, text, error: None, blocks })
    }

    pub(super) fn end_silently(&mut self) -> Vec<Effect> {
        let blocks = vec![Block::hidden(for_model::MARK_SILENT)];
        self.finish(Ending { kind: OutcomeKind::Silent, text: String::new(), error: None, blocks })
    }

    /// Ends the turn with the steps so far, the outcome told last.
    pub(super) fn finish(&mut self, mut ending: Ending) -> Vec<Effect> {
        ending.text = self.with_what_is_uncertain(ending.text);
        let mut effects = self.show(&ending.text);
        effects.push(Effect::Finish(self.end(ending)));
        effects
    }

    fn end(&mut self, ending: Ending) -> Outcome {
        let Ending { kind, text, error, blocks } = ending;
        self.messages.push(Arc::new(Message { role: Role::Assistant, blocks }));
        let outcome = Outcome {
            kind,
            text,
            steps: self.request.step,
            usage: self.usage,
            error,
            files: std::mem::take(&mut self.files),
        };
        self.state = State::Finished(outcome.clone());
        outcome
    }

    /// What a step shows joins to the text of the outcome, so what the machine adds of its own is shown too.
    fn show(&self, text: &str) -> Vec<Effect> {
        let step = self.request.step;
        let delta = |text: &str| Effect::Report(Progress::TextDelta { step, text: text.to_owned() });
        match text.strip_prefix(self.said.as_str()) {
            Some("") => Vec::new(),
            Some(rest) => vec![delta(rest)],
            None if text.is_empty() => vec![Effect::Report(Progress::TextReset { step })],
            None => vec![Effect::Report(Progress::TextReset { step }), delta(text)],
        }
    }
}
