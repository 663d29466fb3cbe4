//! How a conversation goes down, how turns end that have no executor, and what becomes of the message that a turn answers.

use std::sync::Arc;

use chat::{Block, Message, Outcome, OutcomeKind, Role, TurnError, View};
use store::{Answered, Cancelled, InboxEnd};

use super::{Action, Activity, Dialogue, Running};
use crate::executor::TurnReport;
use crate::wording;

impl Dialogue {
    /// Ends what runs, and with `cancel_waiting` what waits.
    pub(super) fn shut_down(&mut self, cancel_waiting: bool, actions: &mut Vec<Action>) {
        self.going_down = true;
        if let Activity::Running(running) = &mut self.activity {
            running.cancel(actions);
        }
        if cancel_waiting {
            self.stop_suspended(actions);
            let end = InboxEnd::Cancelled(Cancelled::Stop);
            actions.extend(self.waiting.drain(..).map(|gone| Action::End { inbox: gone.inbox, end: end.clone() }));
        }
    }
}

impl TurnReport {
    /// The report that a turn without an executor would have given: what the person wrote, and a marker.
    pub(super) fn failed(running: &Running, view: View, error: TurnError) -> Self {
        let Running { turn, incoming, taken, step, .. } = running;
        let texts = std::iter::once(incoming).chain(taken).map(|incoming| incoming.inbound.text.as_str());
        let text = texts.collect::<Vec<_>>().join("\n\n");
        let marker = Block::hidden(format!("[This turn failed before it gave an answer: {}]", error.message));
        let messages = vec![
            Arc::new(memory::prepare_message(&text, &incoming.at)),
            Arc::new(Message { role: Role::Assistant, blocks: vec![marker] }),
        ];
        let text = wording::turn_failed(incoming.language(), &error);
        let outcome = Outcome {
            kind: OutcomeKind::Failed,
            text,
            steps: *step,
            usage: None,
            error: Some(error),
            files: Vec::new(),
        };
        Self { turn: *turn, outcome, messages, view, consumed: Vec::new(), end: None }
    }
}

/// The end of the message that a turn answers.
pub(super) fn end_of(kind: OutcomeKind) -> InboxEnd {
    match kind {
        OutcomeKind::Answered => InboxEnd::Answered(Answered::Reply),
        OutcomeKind::Silent => InboxEnd::Answered(Answered::Silence),
        OutcomeKind::Failed => InboxEnd::Answered(Answered::ErrorTold),
        OutcomeKind::Stopped => InboxEnd::Cancelled(Cancelled::Stop),
    }
}
