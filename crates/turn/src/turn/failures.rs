//! What becomes of a model call that gave no whole reply.

use chat::{ErrorClass, ModelError, Progress};

use super::{State, Turn};
use crate::retry::{LONGEST_SILENT_PAUSE_MS, Pause, pause};
use crate::wording::ForPeople;
use crate::{Effect, Shrink};

impl Turn {
    pub(super) fn model_failed(&mut self, error: ModelError, partial: String) -> Vec<Effect> {
        self.said = partial;
        match error.class {
            ErrorClass::Empty => self.got_nothing(false),
            ErrorClass::Overflow => self.overflowed(&error),
            ErrorClass::MalformedHistory => self.refused_as_malformed(&error),
            class if class.is_transient() => self.retry(&error),
            _ => self.fail(&error),
        }
    }

    fn retry(&mut self, error: &ModelError) -> Vec<Effect> {
        if self.request.retries >= self.start.limits.retries {
            return self.fail(error);
        }
        let Pause::Wait(ms) = pause(error, self.request.retries, &self.start.limits) else { return self.fail(error) };
        self.request.retries += 1;
        self.state = State::Pausing { ms };
        let mut effects: Vec<Effect> = self.void_what_was_said(false).into_iter().collect();
        if ms > LONGEST_SILENT_PAUSE_MS {
            effects.push(self.notice(ForPeople::Waiting { ms }));
        }
        effects.push(Effect::Wait { ms });
        effects
    }

    /// Too large a request is made smaller twice in a turn, and no more: where that does not help, nothing will.
    fn overflowed(&mut self, error: &ModelError) -> Vec<Effect> {
        match self.remedies.shrink {
            Shrink::None => self.ask_with_less(Shrink::Hard),
            Shrink::Hard => self.ask_with_less(Shrink::Reset),
            Shrink::Reset => self.fail(error),
        }
    }

    /// A history can be refused for what is wrong with it, so it is repaired before it is given up. The person's message is sent
    /// in any case.
    fn refused_as_malformed(&mut self, error: &ModelError) -> Vec<Effect> {
        if !self.remedies.repair {
            self.remedies.repair = true;
            return self.ask_with_less(self.remedies.shrink);
        }
        if self.remedies.shrink != Shrink::Reset {
            return self.ask_with_less(Shrink::Reset);
        }
        self.fail(error)
    }

    fn ask_with_less(&mut self, shrink: Shrink) -> Vec<Effect> {
        let mut effects: Vec<Effect> = self.void_what_was_said(false).into_iter().collect();
        if shrink == Shrink::Reset && self.remedies.shrink != Shrink::Reset {
            effects.push(self.notice(ForPeople::HistoryLeftOut));
        }
        self.remedies.shrink = shrink;
        effects.extend(self.ask_again());
        effects
    }

    fn notice(&self, text: ForPeople<'_>) -> Effect {
        Effect::Report(Progress::Notice { text: text.text(self.start.language) })
    }
}
