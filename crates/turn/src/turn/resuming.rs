//! Going on with a turn whose program ended: what was left to do, and what nobody knows any more.

use chat::{Outcome, Progress, ToolCall, ToolResult};

use super::calls::tool_finished;
use super::{State, Turn};
use crate::step::InFlight;
use crate::wording::{ForPeople, for_model};
use crate::{Effect, Limits, ToolFacts};

/// Of a call's arguments, how many characters people are shown.
const SHOWN: usize = 120;

/// What a turn that was run again from its record waits for.
#[derive(Clone, Debug, PartialEq)]
pub enum Pending {
    /// A reply: this asks for it.
    Reply(Effect),
    /// The end of a pause of so many milliseconds.
    Pause {
        /// The whole pause.
        ms: u64,
    },
    /// The results of these calls.
    Results(Vec<InFlight>),
    /// Nothing: it is over.
    Nothing(Outcome),
}

impl Turn {
    /// What the turn waits for at the moment.
    #[must_use]
    pub fn pending(&self) -> Pending {
        match &self.state {
            State::Asking => Pending::Reply(self.remedies.call(&self.request)),
            State::Pausing { ms } => Pending::Pause { ms: *ms },
            State::Running(open) => Pending::Results(open.in_flight()),
            State::Finished(outcome) => Pending::Nothing(outcome.clone()),
        }
    }

    pub(super) fn tool_started(&mut self, id: &str) -> Vec<Effect> {
        if let State::Running(open) = &mut self.state {
            open.mark_started(id);
        }
        Vec::new()
    }

    /// A call that ran when the program ended is not run again: the model and the person are told. It counts neither as a failure
    /// nor as a success.
    pub(super) fn tool_interrupted(&mut self, id: &str) -> Vec<Effect> {
        let State::Running(open) = &mut self.state else { return Vec::new() };
        let result = ToolResult::error(for_model::INTERRUPTED_FOR_GOOD);
        let Some(answered) = open.finish(id, result.clone()) else { return Vec::new() };
        let call = answered.call.clone();
        let goes_on = !open.is_running();
        let text = ForPeople::CallInterrupted { call: &shown(&call) }.text(self.start.language);
        self.uncertain.push(shown(&call));
        let mut effects = vec![tool_finished(&call, &result, 0), Effect::Report(Progress::Notice { text })];
        if goes_on {
            effects.extend(self.run_next_calls());
        }
        effects
    }

    /// What is on record was decided by another machine: pairs stay, what is open is closed, and a fresh step follows.
    pub(super) fn go_on_afresh(&mut self, version: u32, limits: Limits, tools: Vec<ToolFacts>) -> Vec<Effect> {
        self.close_interrupted();
        self.start.version = version;
        self.start.limits = limits;
        self.start.tools = tools;
        self.next_step(None)
    }

    /// Calls that are about to be closed although they had started may have taken effect.
    pub(super) fn note_uncertain(&mut self) {
        let State::Running(open) = &self.state else { return };
        let started = open.in_flight().into_iter().filter(|running| running.is_started);
        self.uncertain.extend(started.map(|running| shown(&running.call)));
    }

    /// The text of an outcome, followed by what nobody knows.
    pub(super) fn with_what_is_uncertain(&self, text: String) -> String {
        if self.uncertain.is_empty() {
            return text;
        }
        let note = ForPeople::Uncertain { calls: &self.uncertain }.text(self.start.language);
        if text.is_empty() { note } else { format!("{text}\n\n{note}") }
    }
}

/// A call as people are shown it: its name and the beginning of its arguments, on one line.
fn shown(call: &ToolCall) -> String {
    let arguments = match &call.arguments {
        chat::Arguments::Object(arguments) => serde_json::to_string(arguments).unwrap_or_default(),
        chat::Arguments::Refused { .. } => String::new(),
    };
    let short: String = arguments.chars().take(SHOWN).collect();
    let more = if short.len() < arguments.len() { "…" } else { "" };
    format!("{} {short}{more}", call.name)
}
