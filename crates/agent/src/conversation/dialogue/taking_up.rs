//! Turns that died, were left open, or wait without an executor.

use chat::TurnId;
use store::{Answered, InboxEnd, SuspendedFor};
use tokio::time::Duration;
use turn::SteerMode;

use super::{Action, Activity, Again, Dialogue, Running, Suspended, answer};
use crate::executor::TurnReport;
use crate::incoming::Incoming;
use crate::recovery::{Closing, LeftOpen, MOST_ATTEMPTS, Next, pause_after};
use crate::wording;

impl Dialogue {
    /// A turn that an earlier process or actor left open has its turn now.
    pub(super) fn take_up(&mut self, left: LeftOpen, actions: &mut Vec<Action>) {
        let LeftOpen { turn, attempts, incoming, added, next } = left;
        let mut running = Running::new(turn, incoming);
        running.offered = added.into();
        (running.attempts, running.is_new_here) = (attempts, true);
        match next {
            Next::Suspend(pause) => self.suspend(running, pause, SuspendedFor::Resumption, actions),
            Next::Wake(pause, reason) => {
                actions.push(Action::Suspend { turn, pause, reason: None });
                self.activity = Activity::Suspended(Box::new(Suspended { running, reason, expires: false }));
            }
            Next::Stop => {
                running.stopping = true;
                self.start_again(running, SuspendedFor::Resumption, actions);
            }
            Next::Close(closing) => self.close(running, closing, actions),
        }
    }

    /// An executor ended inside: it is tried again after a pause, and given up in the end.
    pub(super) fn died(&mut self, turn: TurnId, actions: &mut Vec<Action>) {
        let Some(running) = self.take_running(turn) else { return };
        actions.push(Action::Release { turn });
        if running.attempts >= MOST_ATTEMPTS {
            self.close(running, Closing::SetAside, actions);
        } else if running.stopping {
            self.start_again(running, SuspendedFor::Resumption, actions);
        } else {
            let pause = pause_after(running.attempts, &self.facts.settings);
            self.suspend(running, pause, SuspendedFor::Resumption, actions);
        }
    }

    /// A turn waits for long. One that is being stopped does not: its executor has been told, or is about to learn it.
    pub(super) fn suspends(&mut self, turn: TurnId, ms: u64, actions: &mut Vec<Action>) {
        if self.running(turn).is_none_or(|running| running.stopping) {
            return;
        }
        let Some(running) = self.take_running(turn) else { return };
        actions.push(Action::Release { turn });
        let (pause, longest) = (Duration::from_millis(ms), Duration::from_secs(self.facts.settings.expire_after_s));
        self.suspend(running, pause.min(longest), SuspendedFor::Wait, actions);
        if let Activity::Suspended(suspended) = &mut self.activity {
            suspended.expires = pause > longest;
        }
    }

    pub(super) fn woken(&mut self, turn: TurnId, actions: &mut Vec<Action>) {
        if let Activity::Suspended(suspended) = &self.activity
            && suspended.running.turn == turn
        {
            self.wake(actions);
        }
    }

    /// A person wants the turn to end that waits; it is begun again for that alone.
    pub(super) fn stop_suspended(&mut self, actions: &mut Vec<Action>) {
        if let Activity::Suspended(suspended) = &mut self.activity {
            suspended.running.stopping = true;
            self.wake(actions);
        }
    }

    /// A stop is on disk together with the end of the message that asked for it, so it holds whatever happens from here on.
    pub(super) fn note_stop(&mut self, turn: TurnId, incoming: &Incoming, actions: &mut Vec<Action>) {
        let end = InboxEnd::Answered(Answered::Command);
        actions.push(Action::Stop { turn, by: Some((incoming.inbox, end)) });
        answer(incoming, wording::stopping(incoming.language(), self.waiting.len()), actions);
    }

    fn suspend(&mut self, running: Running, pause: Duration, reason: SuspendedFor, actions: &mut Vec<Action>) {
        actions.push(Action::Suspend { turn: running.turn, pause, reason: Some(reason) });
        self.activity = Activity::Suspended(Box::new(Suspended { running, reason, expires: false }));
    }

    fn wake(&mut self, actions: &mut Vec<Action>) {
        match std::mem::replace(&mut self.activity, Activity::Idle) {
            Activity::Suspended(suspended) => {
                let Suspended { running, reason, expires } = *suspended;
                if expires && !running.stopping {
                    return self.close(running, Closing::Expired, actions);
                }
                self.start_again(running, reason, actions);
            }
            other => self.activity = other,
        }
    }

    fn start_again(&mut self, mut running: Running, reason: SuspendedFor, actions: &mut Vec<Action>) {
        let has_waited = reason == SuspendedFor::Wait;
        running.attempts += u32::from(!has_waited);
        let is_new_here = std::mem::replace(&mut running.is_new_here, false);
        actions.push(Action::Start {
            turn: running.turn,
            incoming: running.incoming.clone(),
            history: self.history.clone(),
            view: self.view.clone(),
            again: Some(Again { stop: running.stopping, has_waited, is_new_here }),
        });
        running.offer_again(actions);
        self.activity = Activity::Running(Box::new(running));
    }

    /// Its end comes as a report, as that of any turn.
    fn close(&mut self, mut running: Running, closing: Closing, actions: &mut Vec<Action>) {
        running.stopping = true;
        let reason = closing.reason(running.incoming.language());
        let mut report = TurnReport::failed(&running, self.view.clone(), reason.clone());
        report.end = Some(closing.end());
        actions.push(Action::Close { without_record: Box::new(report), reason });
        self.activity = Activity::Running(Box::new(running));
    }

    fn take_running(&mut self, turn: TurnId) -> Option<Running> {
        self.running(turn)?;
        match std::mem::replace(&mut self.activity, Activity::Idle) {
            Activity::Running(running) => Some(*running),
            _ => None,
        }
    }
}

impl Running {
    /// What an earlier executor was offered it may have taken in or not: the next one knows by its record.
    fn offer_again(&self, actions: &mut Vec<Action>) {
        for incoming in &self.offered {
            let mode = if incoming.command.is_some() { SteerMode::Now } else { SteerMode::Add };
            let (inbox, text) = (incoming.inbox, incoming.inbound.text.clone());
            actions.push(Action::Offer { turn: self.turn, inbox, text, mode });
        }
    }
}
