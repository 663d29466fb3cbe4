//! Going on with a turn whose executor or whose program ended.
//!
//! It is run again from its record, and then what was left to do is done: a model is asked again; a call that changes nothing, or
//! leaves the same state, runs again under the same id; one that must not run twice is answered as interrupted.

use std::collections::HashSet;

use chat::{InboxId, Progress};
use store::StoredEvent;
use tools::EffectClass;
use turn::{Effect, InFlight, Input, Pending, Turn, VERSION};

use super::ExecutorState;
use crate::recording::Record;

/// What a turn goes on from.
pub(crate) struct Resume {
    pub(crate) events: Vec<StoredEvent>,
    /// The place of the next event in its record.
    pub(crate) next_event: u32,
    /// Whether it is to end at once.
    pub(crate) stop: bool,
    /// Whether its pause is over.
    pub(crate) has_waited: bool,
    /// Whether the channel knows nothing of it.
    pub(crate) is_new_here: bool,
}

/// A turn that was run again.
pub(super) struct Replayed {
    pub(super) turn: Turn,
    /// Whether it stands as this program would have brought it there.
    pub(super) is_faithful: bool,
    pub(super) added: HashSet<InboxId>,
}

impl Resume {
    /// Runs the turn again; nothing where there is no record of its start.
    pub(super) fn replay(&self) -> Option<Replayed> {
        let record = Record::read(&self.events)?;
        let replayed = turn::replay(&record.journal);
        let is_faithful = replayed.is_faithful && record.is_whole;
        Some(Replayed { turn: replayed.turn, is_faithful, added: record.steered().into_iter().collect() })
    }
}

impl ExecutorState {
    /// Does what is left to do; `is_faithful` is nothing for a turn that had to begin anew.
    pub(super) fn resume(&mut self, resume: &Resume, is_faithful: Option<bool>) {
        self.tell_consumed();
        if is_faithful.is_some() {
            self.show_where_it_stands(resume.is_new_here);
        }
        if resume.stop && !self.turn.is_finished() {
            return self.stop_at_once();
        }
        match is_faithful {
            None => {}
            Some(false) if !self.turn.is_finished() => self.go_on_afresh(),
            Some(_) => self.go_on(resume.has_waited),
        }
    }

    /// What was shown of the present step counts no more, or was never seen here.
    fn show_where_it_stands(&mut self, is_new_here: bool) {
        let step = self.turn.steps();
        let mut reports = Vec::new();
        if is_new_here {
            reports.push(Progress::StepStarted { step });
        }
        match self.turn.pending() {
            Pending::Results(calls) if is_new_here => {
                let said = self.turn.said();
                let said = (!said.is_empty()).then(|| Progress::TextDelta { step, text: said.to_owned() });
                reports.extend(said);
                reports.extend(calls.iter().map(started));
            }
            Pending::Results(_) => {}
            Pending::Nothing(outcome) => {
                reports.push(Progress::TextReset { step });
                let text = (!outcome.text.is_empty()).then_some(outcome.text);
                reports.extend(text.map(|text| Progress::TextDelta { step, text }));
            }
            Pending::Reply(_) | Pending::Pause { .. } => reports.push(Progress::TextReset { step }),
        }
        self.perform_all(reports.into_iter().map(Effect::Report).collect());
    }

    fn go_on(&mut self, has_waited: bool) {
        match self.turn.pending() {
            Pending::Reply(ask) => self.perform_all(vec![ask]),
            Pending::Pause { .. } if has_waited => self.input(Input::BackoffElapsed),
            Pending::Pause { ms } => self.perform_all(vec![Effect::Wait { ms }]),
            Pending::Results(calls) => self.go_on_with_calls(calls),
            Pending::Nothing(outcome) => self.perform_all(vec![Effect::Finish(outcome)]),
        }
    }

    fn go_on_with_calls(&mut self, calls: Vec<InFlight>) {
        let (uncertain, again): (Vec<_>, Vec<_>) = calls.into_iter().partition(|running| self.is_uncertain(running));
        let calls: Vec<_> = again.into_iter().map(|running| running.call).collect();
        self.perform_all(vec![Effect::RunTools { together: calls.len() > 1, calls }]);
        for running in uncertain {
            self.input(Input::ToolInterrupted { call: running.call.id });
        }
    }

    /// Whether a call may have taken effect in a way that must not happen twice.
    fn is_uncertain(&self, running: &InFlight) -> bool {
        let effect = self.offer.tools.get(&running.call.name).map(|tool| tool.effect());
        running.is_started && effect.is_none_or(|effect| effect == EffectClass::Effect)
    }

    fn go_on_afresh(&mut self) {
        let (limits, tools) = (self.services.limits.clone(), self.offer.facts());
        self.input(Input::Resumed { version: VERSION, limits, tools });
    }

    /// A person wanted it to end before its program did.
    fn stop_at_once(&mut self) {
        let mut effects = Vec::new();
        if let Pending::Results(calls) = self.turn.pending() {
            for running in calls.into_iter().filter(|running| self.is_uncertain(running)).collect::<Vec<_>>() {
                let interrupted = Input::ToolInterrupted { call: running.call.id };
                effects.extend(self.recorder.input(&mut self.turn, interrupted));
            }
        }
        effects.extend(
            self.recorder.input(&mut self.turn, Input::Cancelled { partial: String::new(), goes_on: Vec::new() }),
        );
        // Nothing is begun any more, so there is nothing to end either.
        effects.retain(|effect| matches!(effect, Effect::Report(_) | Effect::Finish(_)));
        self.model = None;
        self.tell_consumed();
        self.perform_all(effects);
    }
}

fn started(running: &InFlight) -> Progress {
    let arguments = match &running.call.arguments {
        chat::Arguments::Object(arguments) => Some(arguments.clone()),
        chat::Arguments::Refused { .. } => None,
    };
    Progress::ToolStarted { id: running.call.id.clone(), name: running.call.name.clone(), arguments }
}
