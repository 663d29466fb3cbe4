//! The turns of this run: numbered, and with what each has said so far.

use std::collections::HashMap;

use chat::{Outcome, OutgoingFile, Progress, TurnId};

/// Something to be shown.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Event {
    /// Something happened in a turn.
    Progress {
        /// Its number in this run, from 1.
        turn: u32,
        /// What happened.
        progress: Progress,
    },
    /// A turn ended.
    Finished(Box<Finished>),
    /// Something to know.
    Notice(String),
    /// What was asked for, outside a turn: what a command answers, or the end of a turn of an earlier run.
    Answer(String),
    /// A file that came with an answer outside a turn.
    File(OutgoingFile),
}

/// The end of a turn.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Finished {
    /// Its number in this run, from 1.
    pub(super) turn: u32,
    /// How it ended.
    pub(super) outcome: Outcome,
    /// Its last step.
    pub(super) step: u32,
    /// What that step has said, and not taken back.
    pub(super) streamed: String,
}

/// What has to be said so that all that was said is the text at the end.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Missing<'a> {
    /// Nothing or more at the end.
    Rest(&'a str),
    /// Something else was said; all has to be said anew.
    All(&'a str),
}

impl Finished {
    pub(super) fn missing(&self) -> Missing<'_> {
        let text = &self.outcome.text;
        text.strip_prefix(&self.streamed).map_or(Missing::All(text), Missing::Rest)
    }
}

/// The turns that were seen in this run.
#[derive(Debug, Default)]
pub(super) struct Turns {
    started: u32,
    running: HashMap<TurnId, Running>,
}

#[derive(Debug)]
struct Running {
    number: u32,
    step: u32,
    streamed: String,
}

impl Turns {
    pub(super) fn is_any_running(&self) -> bool {
        !self.running.is_empty()
    }

    pub(super) fn is_running(&self, turn: TurnId) -> bool {
        self.running.contains_key(&turn)
    }

    /// Takes note of what happened in a turn. What comes from a turn that is not running any more is dropped.
    pub(super) fn progress(&mut self, turn: TurnId, progress: Progress) -> Option<Event> {
        if matches!(progress, Progress::TurnStarted { .. }) && !self.is_running(turn) {
            let number = self.start(turn);
            return Some(Event::Progress { turn: number, progress });
        }
        let Some(running) = self.running.get_mut(&turn) else {
            let Progress::Notice { text } = progress else { return None };
            return Some(Event::Notice(text));
        };
        let progress = running.note(progress)?;
        Some(Event::Progress { turn: running.number, progress })
    }

    /// Takes note of the end of a turn. `message` is what it answers, if that was sent in this run.
    pub(super) fn finished(&mut self, turn: TurnId, outcome: Outcome, message: Option<String>) -> Vec<Event> {
        let mut events = Vec::new();
        if let Some(message) = message.filter(|_| !self.is_running(turn)) {
            let number = self.start(turn);
            events.push(Event::Progress { turn: number, progress: Progress::TurnStarted { message } });
        }
        match self.running.remove(&turn) {
            Some(Running { number, step, streamed }) => {
                let step = if step == 0 { outcome.steps.max(1) } else { step };
                events.push(Event::Finished(Box::new(Finished { turn: number, outcome, step, streamed })));
            }
            None => {
                let answer = (!outcome.text.is_empty()).then_some(Event::Answer(outcome.text));
                events.extend(answer.into_iter().chain(outcome.files.into_iter().map(Event::File)));
            }
        }
        events
    }

    fn start(&mut self, turn: TurnId) -> u32 {
        self.started += 1;
        self.running.insert(turn, Running { number: self.started, step: 0, streamed: String::new() });
        self.started
    }
}

impl Running {
    fn note(&mut self, progress: Progress) -> Option<Progress> {
        match &progress {
            // The turn was taken up again from its beginning.
            Progress::TurnStarted { .. } => {
                let had_spoken = !std::mem::take(&mut self.streamed).is_empty();
                return had_spoken.then_some(Progress::TextReset { step: self.step });
            }
            Progress::StepStarted { step } => self.enter(*step),
            Progress::TextDelta { step, text } => {
                self.enter(*step);
                self.streamed.push_str(text);
            }
            Progress::TextReset { step } => {
                self.enter(*step);
                self.streamed.clear();
            }
            _ => {}
        }
        Some(progress)
    }

    fn enter(&mut self, step: u32) {
        if self.step != step {
            self.step = step;
            self.streamed.clear();
        }
    }
}

#[cfg(test)]
mod tests {
    use chat::OutcomeKind;

    use super::*;

    const TURN: TurnId = TurnId(70);

    fn answered(text: &str) -> Outcome {
        Outcome {
            kind: OutcomeKind::Answered,
            text: text.into(),
            steps: 1,
            usage: None,
            error: None,
            files: Vec::new(),
        }
    }

    fn finished(turns: &mut Turns, text: &str) -> Finished {
        let mut events = turns.finished(TURN, answered(text), None);
        match events.pop() {
            Some(Event::Finished(finished)) => *finished,
            other => panic!("it is the end of a turn, not {other:?}"),
        }
    }

    fn started(progress: Vec<Progress>) -> Turns {
        let mut turns = Turns::default();
        turns.progress(TURN, Progress::TurnStarted { message: "hi".into() });
        for progress in progress {
            turns.progress(TURN, progress);
        }
        turns
    }

    fn delta(step: u32, text: &str) -> Progress {
        Progress::TextDelta { step, text: text.into() }
    }

    #[test]
    fn turns_are_numbered_in_the_order_in_which_they_start() {
        let mut turns = started(vec![]);

        let second = turns.progress(TurnId(9), Progress::TurnStarted { message: "and".into() });

        assert!(matches!(second, Some(Event::Progress { turn: 2, .. })));
    }

    #[test]
    fn what_was_said_is_what_the_last_step_said_and_did_not_take_back() {
        let mut turns = started(vec![
            delta(1, "I look."),
            Progress::StepStarted { step: 2 },
            delta(2, "wrong"),
            Progress::TextReset { step: 2 },
            delta(2, "ri"),
            delta(2, "ght"),
        ]);

        let finished = finished(&mut turns, "right");

        assert_eq!((finished.step, finished.streamed.as_str()), (2, "right"));
        assert_eq!(finished.missing(), Missing::Rest(""));
    }

    #[test]
    fn what_is_missing_is_the_rest_or_all() {
        assert_eq!(finished(&mut started(vec![delta(1, "ab")]), "abc").missing(), Missing::Rest("c"));
        assert_eq!(finished(&mut started(vec![delta(1, "ab")]), "xyz").missing(), Missing::All("xyz"));
        assert_eq!(finished(&mut started(vec![]), "abc").missing(), Missing::Rest("abc"));
    }

    #[test]
    fn the_end_of_a_turn_of_an_earlier_run_is_an_answer_outside_a_turn() {
        let events = Turns::default().finished(TURN, answered("late"), None);

        assert_eq!(events, [Event::Answer("late".into())]);
    }

    #[test]
    fn a_turn_that_ended_before_it_told_of_its_start_is_a_whole_turn() {
        let events = Turns::default().finished(TURN, answered("no"), Some("hi".into()));

        assert!(
            matches!(&events[0], Event::Progress { turn: 1, progress: Progress::TurnStarted { message } } if message == "hi")
        );
        assert!(matches!(&events[1], Event::Finished(finished) if finished.turn == 1));
    }

    #[test]
    fn what_comes_from_a_turn_after_its_end_is_dropped() {
        let mut turns = started(vec![]);
        turns.finished(TURN, answered("done"), None);

        assert_eq!(turns.progress(TURN, delta(1, "late")), None);
    }

    #[test]
    fn a_turn_that_starts_again_takes_back_what_it_said() {
        let mut turns = started(vec![delta(1, "half")]);

        let again = turns.progress(TURN, Progress::TurnStarted { message: "hi".into() });

        assert_eq!(again, Some(Event::Progress { turn: 1, progress: Progress::TextReset { step: 1 } }));
    }
}
