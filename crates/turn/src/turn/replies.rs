//! What becomes of a reply.

use std::sync::Arc;

use chat::{Finish, Message, OutcomeKind, Reply, Role, Usage};

use super::endings::Ending;
use super::{State, Turn};
use crate::Effect;
use crate::step::{OpenStep, assistant_message};
use crate::wording::{ForPeople, for_model};

impl Turn {
    pub(super) fn take_reply(&mut self, mut reply: Reply) -> Vec<Effect> {
        self.add_usage(reply.usage);
        self.said.clone_from(&reply.text);
        if !self.request.offer_tools {
            reply.calls.clear();
        }
        if !reply.calls.is_empty() {
            return self.open_step(reply);
        }
        if reply.text.trim().is_empty() { self.take_empty_reply(&reply) } else { self.take_text(&reply) }
    }

    fn add_usage(&mut self, usage: Option<Usage>) {
        let Some(new) = usage else { return };
        let sum = self.usage.unwrap_or_default();
        self.usage = Some(Usage {
            input: sum.input.saturating_add(new.input),
            cached: sum.cached.saturating_add(new.cached),
            output: sum.output.saturating_add(new.output),
        });
    }

    fn open_step(&mut self, mut reply: Reply) -> Vec<Effect> {
        self.call_ids.make_unique(&mut reply.calls);
        let open = OpenStep::new(reply, |call| self.key_of(call));
        self.state = State::Running(open);
        self.run_next_calls()
    }

    fn take_text(&mut self, reply: &Reply) -> Vec<Effect> {
        match reply.finish {
            Some(Finish::ContentFilter) => self.filtered(),
            _ if self.steering.is_urgent() && self.may_offer_tools() => self.go_on_after_text(reply),
            Some(Finish::Length) => self.answer(reply, Some(ForPeople::CutOff)),
            _ => self.answer(reply, None),
        }
    }

    fn answer(&mut self, reply: &Reply, note: Option<ForPeople<'_>>) -> Vec<Effect> {
        let note = note.map(|note| format!("\n\n{}", note.text(self.start.language))).unwrap_or_default();
        let text = format!("{}{note}", reply.text);
        let message = assistant_message(&Reply { text: text.clone(), ..reply.clone() });
        self.finish(Ending { kind: OutcomeKind::Answered, text, error: None, blocks: message.blocks })
    }

    /// The text stays, and what the person wrote meanwhile follows as the next message.
    fn go_on_after_text(&mut self, reply: &Reply) -> Vec<Effect> {
        self.messages.push(Arc::new(assistant_message(reply)));
        let blocks = self.consume_steering();
        self.messages.push(Arc::new(Message { role: Role::User, blocks }));
        self.next_step(None)
    }

    fn take_empty_reply(&mut self, reply: &Reply) -> Vec<Effect> {
        match reply.finish {
            Some(Finish::ContentFilter) => self.filtered(),
            Some(Finish::Length) => self.fail_with("empty", ForPeople::OnlyThought),
            _ => self.got_nothing(!reply.reasoning.is_empty()),
        }
    }

    /// A reply without text and calls: one silent retry; after tools one request for an explicit answer; then an apology.
    pub(super) fn got_nothing(&mut self, thought: bool) -> Vec<Effect> {
        if !self.request.asked_again_for_nothing {
            self.request.asked_again_for_nothing = true;
            let reset = self.void_what_was_said(thought);
            return reset.into_iter().chain(self.ask_again()).collect();
        }
        if self.is_summary() {
            return self.end_without_summary();
        }
        if self.start.may_be_silent {
            return self.end_silently();
        }
        let tools_ran = self.messages.len() > 1;
        if tools_ran && !self.nudged_to_answer {
            self.nudged_to_answer = true;
            let reset = self.void_what_was_said(thought);
            return reset.into_iter().chain(self.next_step(Some(for_model::NUDGE_ANSWER.to_owned()))).collect();
        }
        self.fail_with("empty", ForPeople::NoAnswer)
    }
}
