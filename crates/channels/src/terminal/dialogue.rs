//! What was sent and has no end yet, and when to leave.

use std::collections::{HashMap, HashSet};

use chat::{MessageId, TurnId};
use tokio::time::{Duration, Instant};

/// Why the terminal ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// All that was asked is done. A person who stopped a turn is content too.
    Done,
    /// All that was asked is done, but a turn failed or a message was lost. A person at the prompt has seen that: then it is [`Exit::Done`].
    TurnFailed,
    /// A person interrupted it.
    Interrupted,
    /// Nobody reads the output any more.
    OutputClosed,
    /// The adapter itself broke.
    Broken,
}

/// A message that has no end yet.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Sent {
    pub(super) text: String,
    /// Whether the reader of the input waits for its end.
    pub(super) holds_permit: bool,
}

/// The messages of this run that have no end yet.
#[derive(Debug, Default)]
pub(super) struct Dialogue {
    open: HashMap<MessageId, Sent>,
    /// Turns that a message of this run was taken into.
    joined: HashSet<TurnId>,
    has_ended: bool,
    has_failed: bool,
    /// Commands that a person gave by an interrupt.
    stops: HashSet<MessageId>,
}

impl Dialogue {
    pub(super) fn sent(&mut self, id: MessageId, sent: Sent) {
        self.open.insert(id, sent);
    }

    /// A message is refused, or a command answered.
    pub(super) fn settled(&mut self, id: &MessageId) -> Option<Sent> {
        self.stops.remove(id);
        self.open.remove(id)
    }

    /// A message was taken into a turn that runs.
    pub(super) fn joined(&mut self, id: &MessageId, turn: TurnId) -> Option<Sent> {
        let sent = self.open.remove(id);
        if sent.is_some() {
            self.joined.insert(turn);
        }
        sent
    }

    /// A turn ended.
    pub(super) fn finished(&mut self, turn: TurnId, reply_to: Option<&MessageId>, has_failed: bool) -> Option<Sent> {
        let sent = reply_to.and_then(|id| self.open.remove(id));
        let is_ours = self.joined.remove(&turn) || sent.is_some();
        self.has_failed |= is_ours && has_failed;
        sent
    }

    /// A message could not be handed in, was refused, or could not even be read.
    pub(super) fn lost(&mut self) {
        self.has_failed = true;
    }

    /// This message is a command that a person gave by an interrupt.
    pub(super) fn note_stop(&mut self, id: MessageId) {
        self.stops.insert(id);
    }

    pub(super) fn is_stop(&self, id: &MessageId) -> bool {
        self.stops.contains(id)
    }

    /// No more input comes.
    pub(super) fn end(&mut self) {
        self.has_ended = true;
    }

    /// Whether nothing that was sent is without an end.
    pub(super) fn is_settled(&self) -> bool {
        self.open.is_empty() && self.joined.is_empty()
    }

    /// Whether only the person can go on.
    pub(super) fn awaits_input(&self) -> bool {
        self.is_settled() && !self.has_ended
    }

    /// Whether it is time to leave, and why.
    pub(super) fn exit(&self) -> Option<Exit> {
        let exit = if self.has_failed { Exit::TurnFailed } else { Exit::Done };
        (self.has_ended && self.is_settled()).then_some(exit)
    }
}

/// Two interrupts within this time mean that a person wants to leave.
const TWICE: Duration = Duration::from_secs(2);

/// The interrupts of a person at a terminal.
#[derive(Debug, Default)]
pub(super) struct Interrupts {
    last: Option<Instant>,
}

/// What an interrupt means.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Interrupt {
    Stop,
    Warn,
    Quit,
}

impl Interrupts {
    /// Takes note of one, and tells what is meant by it.
    pub(super) fn press(&mut self, is_busy: bool, now: Instant) -> Interrupt {
        let is_second = self.last.replace(now).is_some_and(|last| now - last <= TWICE);
        match (is_second, is_busy) {
            (true, _) => Interrupt::Quit,
            (false, true) => Interrupt::Stop,
            (false, false) => Interrupt::Warn,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(name: &str) -> MessageId {
        MessageId(name.into())
    }

    fn dialogue(names: &[&str]) -> Dialogue {
        let mut dialogue = Dialogue::default();
        for name in names {
            dialogue.sent(id(name), Sent { text: (*name).into(), holds_permit: true });
        }
        dialogue
    }

    #[test]
    fn it_is_left_when_the_input_ended_and_all_is_settled() {
        let mut dialogue = dialogue(&["a", "b"]);
        dialogue.end();

        dialogue.settled(&id("a"));
        assert_eq!(dialogue.exit(), None);

        dialogue.finished(TurnId(1), Some(&id("b")), false);
        assert_eq!(dialogue.exit(), Some(Exit::Done));
    }

    #[test]
    fn a_failed_turn_of_this_run_decides_how_it_is_left() {
        let mut dialogue = dialogue(&["a"]);
        dialogue.end();

        dialogue.finished(TurnId(1), Some(&id("a")), true);

        assert_eq!(dialogue.exit(), Some(Exit::TurnFailed));
    }

    #[test]
    fn a_failed_turn_of_an_earlier_run_does_not_count() {
        let mut dialogue = dialogue(&[]);
        dialogue.end();

        dialogue.finished(TurnId(1), Some(&id("from before")), true);

        assert_eq!(dialogue.exit(), Some(Exit::Done));
    }

    #[test]
    fn the_turn_that_took_a_message_in_is_waited_for() {
        let mut dialogue = dialogue(&["a"]);
        dialogue.end();

        dialogue.joined(&id("a"), TurnId(1));
        assert_eq!(dialogue.exit(), None);

        dialogue.finished(TurnId(1), Some(&id("other")), true);
        assert_eq!(dialogue.exit(), Some(Exit::TurnFailed));
    }

    #[test]
    fn the_second_interrupt_within_two_seconds_quits() {
        let (mut interrupts, start) = (Interrupts::default(), Instant::now());

        assert_eq!(interrupts.press(true, start), Interrupt::Stop);
        assert_eq!(interrupts.press(false, start + TWICE), Interrupt::Quit);
    }

    #[test]
    fn a_late_second_interrupt_is_a_first_one() {
        let (mut interrupts, start) = (Interrupts::default(), Instant::now());

        assert_eq!(interrupts.press(false, start), Interrupt::Warn);
        assert_eq!(interrupts.press(true, start + TWICE * 2), Interrupt::Stop);
    }
}
