//! What people do to messages and turns that are there: edit, take back, press Stop; and who may.

use chat::{ConversationKey, MessageId, Person, PersonRole, Place, Press, ToChannel, TurnId, WhenBusy};
use store::{Answered, Cancelled, InboxEnd};
use turn::SteerMode;

use super::{Action, Activity, Dialogue, Running};
use crate::incoming::Incoming;
use crate::supervisor::Word;
use crate::wording;

impl Dialogue {
    /// An edit of a message that waits takes its place; one of the turn's own directs the turn; any other comes too late.
    pub(super) fn edited(&mut self, edit: Incoming, actions: &mut Vec<Action>) {
        let is_original = |incoming: &Incoming| {
            let (old, new) = (&incoming.inbound, &edit.inbound);
            incoming.command.is_none() && old.edit.is_none() && old.id == new.id && old.person.id == new.person.id
        };
        if let Some(waiting) = self.waiting.iter_mut().find(|waiting| is_original(waiting)) {
            waiting.inbound.text = edit.inbound.text;
            waiting.inbound.attachments = edit.inbound.attachments;
            let (inbox, inbound) = (waiting.inbox, waiting.inbound.clone());
            return actions.push(Action::Replace { inbox, inbound, joined: vec![edit.inbox] });
        }
        let is_of_turn = self.activity.turn().is_some_and(|running| !running.stopping && running.has(is_original));
        let mut edit = edit;
        match &mut self.activity {
            Activity::Running(running) if is_of_turn => {
                edit.inbound.text = wording::message_changed(&edit.inbound.text);
                running.offer(edit, SteerMode::Now, actions);
            }
            Activity::Suspended(suspended) if is_of_turn => {
                edit.inbound.text = wording::message_changed(&edit.inbound.text);
                suspended.running.offered.push_back(edit);
            }
            _ => actions.push(Action::End { inbox: edit.inbox, end: InboxEnd::Answered(Answered::Silence) }),
        }
    }

    pub(super) fn word(&mut self, word: Word, actions: &mut Vec<Action>) {
        match word {
            Word::Deleted(id) => self.deleted(&id, actions),
            Word::Pressed { turn, press } => self.pressed(turn, *press, actions),
            Word::Stop(tell) => {
                let turn = self.activity.turn().map(|running| running.turn);
                turn.into_iter().for_each(|turn| self.stop(turn, actions));
                // Who asked may have stopped waiting.
                let _ = tell.send(turn.is_some());
            }
        }
    }

    fn deleted(&mut self, id: &MessageId, actions: &mut Vec<Action>) {
        let Some(at) = self.waiting.iter().position(|it| it.inbound.id == *id && it.command.is_none()) else { return };
        if let Some(gone) = self.waiting.remove(at) {
            actions.push(Action::End { inbox: gone.inbox, end: InboxEnd::Cancelled(Cancelled::Deleted) });
        }
    }

    fn pressed(&mut self, turn: TurnId, press: Press, actions: &mut Vec<Action>) {
        let language = press.person.language;
        let waiting = self.waiting.len();
        let text = match self.activity.turn() {
            Some(running) if running.turn != turn => wording::already_finished(language),
            None => wording::already_finished(language),
            Some(_) if self.activity.is_of_another(&press.person) => wording::access::not_yours(language),
            Some(_) => {
                self.stop(turn, actions);
                wording::stopping(language, waiting)
            }
        };
        actions.push(Action::Say(ToChannel::PressAnswered { key: press.key, id: press.id, text: Some(text) }));
    }

    /// Ends the turn, in whatever process.
    fn stop(&mut self, turn: TurnId, actions: &mut Vec<Action>) {
        actions.push(Action::Stop { turn, by: None });
        match &mut self.activity {
            Activity::Running(running) => running.cancel(actions),
            _ => self.stop_suspended(actions),
        }
    }

    pub(super) fn renamed(&mut self, key: ConversationKey) {
        let running = match &mut self.activity {
            Activity::Running(running) => Some(&mut **running),
            Activity::Suspended(suspended) => Some(&mut suspended.running),
            Activity::Idle | Activity::Committing(_) => None,
        };
        let of_turn = running.into_iter().flat_map(|running| {
            let Running { incoming, offered, taken, .. } = running;
            std::iter::once(incoming).chain(offered).chain(taken)
        });
        let left =
            self.left_open.iter_mut().flat_map(|left| std::iter::once(&mut left.incoming).chain(&mut left.added));
        let all = self.waiting.iter_mut().chain(of_turn).chain(left);
        all.for_each(|incoming| incoming.inbound.key = key.clone());
        self.key = key;
    }

    /// Whether a person has as many messages waiting in a group as one may have.
    pub(super) fn has_its_share(&self, incoming: &Incoming) -> bool {
        let person = &incoming.inbound.person.id;
        let theirs = self.waiting.iter().filter(|waiting| waiting.inbound.person.id == *person).count();
        incoming.inbound.place != Place::Private && theirs >= self.facts.settings.waiting_per_person
    }
}

impl Activity {
    /// The turn that runs or waits.
    fn turn(&self) -> Option<&Running> {
        match self {
            Self::Running(running) => Some(running),
            Self::Suspended(suspended) => Some(&suspended.running),
            Self::Idle | Self::Committing(_) => None,
        }
    }

    /// Whether there is a turn that is not for this person to stop or direct.
    pub(super) fn is_of_another(&self, person: &Person) -> bool {
        self.turn().is_some_and(|running| !running.may_be_directed(person))
    }
}

impl Running {
    /// What another person says in a group waits for its own turn: it has their role, not this one's.
    pub(super) fn mode_for(&self, incoming: &Incoming) -> WhenBusy {
        let same = self.incoming.inbound.person.id == incoming.inbound.person.id;
        if same { incoming.inbound.when_busy } else { WhenBusy::Queue }
    }

    fn may_be_directed(&self, person: &Person) -> bool {
        person.role == PersonRole::Owner || person.id == self.incoming.inbound.person.id
    }

    fn has(&self, is_it: impl Fn(&Incoming) -> bool) -> bool {
        std::iter::once(&self.incoming).chain(&self.offered).chain(&self.taken).any(is_it)
    }
}
