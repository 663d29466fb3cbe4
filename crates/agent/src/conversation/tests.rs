//! The conversation's decisions against a small reference: random messages, directions, stops, ends, late ends and failed writes.

use std::cell::Cell;
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use chat::{
    ChannelName, Command, ConversationKey, DeliveryId, History, Inbound, InboxId, Language, Message, MessageId,
    Outbound, OutboundBody, Outcome, OutcomeKind, Person, PersonRole, ToChannel, TurnError, TurnId, View, WhenBusy,
};
use jiff::ZonedDateTime;
use proptest::prelude::*;
use tools::Registry;

use super::answers::Facts;
use super::dialogue::{Action, Dialogue, Event, Unsaved};
use crate::executor::TurnReport;
use crate::incoming::Incoming;
use crate::services::Ids;
use crate::{Settings, recovery::MOST_ATTEMPTS};

#[derive(Default)]
struct Counter(Cell<i64>);

impl Ids for Counter {
    fn turn(&self) -> TurnId {
        self.0.set(self.0.get() + 1);
        TurnId(self.0.get())
    }

    fn delivery(&self) -> DeliveryId {
        self.0.set(self.0.get() + 1);
        DeliveryId(self.0.get())
    }
}

const WAITING_LIMIT: usize = 3;

fn key() -> ConversationKey {
    ConversationKey {
        channel: ChannelName("somewhere".into()),
        bot: "b".into(),
        chat: "c".into(),
        thread: None,
        person: None,
    }
}

fn unsaved(is_disk_full: bool) -> Unsaved {
    Unsaved { error: "it cannot be written".into(), is_disk_full }
}

fn incoming(inbox: i64, when_busy: WhenBusy, command: Option<Command>) -> Incoming {
    let person = Person { id: "1".into(), name: "Ann".into(), role: PersonRole::Owner, language: Language::English };
    let id = MessageId(inbox.to_string());
    let inbound = Inbound { when_busy, ..Inbound::new(key(), id, person, format!("message {inbox}")) };
    Incoming { inbox: InboxId(inbox), inbound, command, at: ZonedDateTime::default(), is_recovered: false }
}

fn dialogue() -> Dialogue {
    let settings = Settings { waiting: WAITING_LIMIT, ..Settings::default() };
    let (tools, rules) = (Registry::default(), Arc::from([]));
    let facts = Facts { model: "demo".into(), tools, rules, version: "0", settings };
    Dialogue::new(key(), History::default(), View::default(), Arc::new(facts))
}

fn report(turn: TurnId, kind: OutcomeKind, consumed: Vec<InboxId>) -> TurnReport {
    let text = format!("answer of {turn}");
    let messages = vec![Arc::new(Message::user(format!("of {turn}"))), Arc::new(Message::assistant(text.clone()))];
    let outcome = Outcome { kind, text, steps: 1, usage: None, error: None, files: Vec::new() };
    TurnReport { turn, outcome, messages, view: View::default(), consumed, end: None }
}

/// A message that a turn was offered, and whether it is a command.
type Offered = (i64, bool);

/// What somebody who watches a conversation from outside can tell.
struct Watcher {
    dialogue: Dialogue,
    ids: Counter,
    next_inbox: i64,
    /// Ordinary messages and commands that `/new` stands for, in the order in which they have to come up.
    expected: VecDeque<i64>,
    running: Option<(TurnId, i64, Vec<Offered>)>,
    committing: Option<(Vec<i64>, usize)>,
    open: BTreeMap<i64, bool>,
    settled: BTreeMap<i64, usize>,
    stored: usize,
    stopping: bool,
    /// Whether the turn that runs waits without an executor.
    suspended: bool,
    attempts: u32,
    /// A turn that is given up, until its end is reported.
    closing: Option<TurnReport>,
}

#[derive(Clone, Debug)]
enum Happening {
    Message(WhenBusy),
    Stop,
    Steer,
    New,
    Status,
    Take,
    Finish(OutcomeKind),
    Lose,
    Die,
    Suspend,
    Wake,
    LateFinish,
    Commit,
    FailToCommit,
}

fn happening() -> impl Strategy<Value = Happening> {
    use Happening::{
        Commit, Die, FailToCommit, Finish, LateFinish, Lose, Message, New, Status, Steer, Stop, Suspend, Take, Wake,
    };
    prop_oneof![
        4 => prop_oneof![Just(WhenBusy::Add), Just(WhenBusy::Queue), Just(WhenBusy::Interrupt)].prop_map(Message),
        4 => Just(Finish(OutcomeKind::Answered)),
        5 => Just(Commit),
        1 => prop_oneof![Just(Stop), Just(New), Just(Status), Just(Lose), Just(LateFinish), Just(FailToCommit)],
        2 => prop_oneof![Just(Steer), Just(Take)],
        3 => prop_oneof![1 => Just(Die), 1 => Just(Suspend), 2 => Just(Wake)],
        1 => prop_oneof![Just(OutcomeKind::Failed), Just(OutcomeKind::Stopped)].prop_map(Finish),
    ]
}

impl Watcher {
    fn new() -> Self {
        Self {
            dialogue: dialogue(),
            ids: Counter::default(),
            next_inbox: 0,
            expected: VecDeque::new(),
            running: None,
            committing: None,
            open: BTreeMap::new(),
            settled: BTreeMap::new(),
            stored: 0,
            stopping: false,
            suspended: false,
            attempts: 0,
            closing: None,
        }
    }

    fn comes(&mut self, when_busy: WhenBusy, command: Option<Command>) {
        self.next_inbox += 1;
        let inbox = self.next_inbox;
        let in_order = match &command {
            None => self.running.is_none() || self.stopping || self.suspended || when_busy != WhenBusy::Add,
            Some(command) => *command == Command::New,
        };
        if in_order {
            self.expected.push_back(inbox);
        }
        self.open.insert(inbox, command.is_some());
        let event = Event::Incoming(incoming(inbox, when_busy, command));
        self.step(event);
    }

    fn step(&mut self, event: Event) {
        let actions = self.dialogue.on(event, &self.ids);
        for action in actions {
            self.see(action);
        }
    }

    fn see(&mut self, action: Action) {
        match action {
            Action::Start { turn, incoming, again: Some(again), .. } => {
                let (running, inbox, offered) = self.running.as_mut().expect("begun again without a beginning");
                assert_eq!((*running, *inbox), (turn, incoming.inbox.0));
                assert!(again.stop || !self.stopping, "a stop was forgotten");
                self.stopping = again.stop;
                self.attempts += u32::from(!again.has_waited);
                assert!(self.attempts <= MOST_ATTEMPTS, "tried too often");
                self.suspended = false;
                // What it was offered it is offered again.
                offered.clear();
            }
            Action::Start { turn, incoming, history, .. } => {
                assert!(self.running.is_none() && self.committing.is_none(), "two turns at once");
                assert_eq!(self.expected.pop_front(), Some(incoming.inbox.0), "out of order");
                assert_eq!(history.messages().len(), self.stored, "history is not what was committed");
                self.running = Some((turn, incoming.inbox.0, Vec::new()));
                (self.stopping, self.attempts) = (false, 1);
            }
            Action::Suspend { turn, .. } => {
                assert_eq!(self.running.as_ref().map(|running| running.0), Some(turn));
                self.suspended = true;
            }
            Action::Stop { by, .. } => {
                self.stopping = true;
                by.iter().for_each(|(inbox, _)| self.ends(inbox.0));
            }
            Action::Close { without_record, .. } => {
                assert_eq!(self.attempts, MOST_ATTEMPTS, "given up too early");
                (self.closing, self.stopping) = (Some(*without_record), true);
            }
            Action::Offer { turn, inbox, .. } => {
                let (running, _, offered) = self.running.as_mut().expect("offered without a turn");
                assert_eq!(*running, turn);
                offered.push((inbox.0, self.open[&inbox.0]));
            }
            Action::Commit(finished) => {
                let (turn, ..) = self.running.take().expect("commit without a turn");
                assert_eq!(turn, finished.turn);
                assert_eq!(finished.first_seq.0, i64::try_from(self.stored).expect("small"));
                let ends = finished.ends.iter().map(|(inbox, _)| inbox.0).collect();
                self.committing = Some((ends, finished.messages.len()));
            }
            Action::CommitView { ends, .. } => {
                assert_eq!(self.expected.pop_front(), ends.first().map(|(inbox, _)| inbox.0));
                self.committing = Some((ends.iter().map(|(inbox, _)| inbox.0).collect(), 0));
            }
            Action::End { inbox, .. } => self.ends(inbox.0),
            Action::Replace { joined, .. } => joined.iter().for_each(|inbox| self.ends(inbox.0)),
            Action::Say(told) => self.told(&told),
            Action::Deliver(Outbound { reply_to, body: OutboundBody::TurnFinished { .. }, .. }) => {
                self.settle(&reply_to.expect("a turn answers a message"));
            }
            Action::Cancel { .. } => self.stopping = true,
            Action::Deliver(_) | Action::Release { .. } | Action::Follow { .. } | Action::Idle => {}
        }
    }

    fn ends(&mut self, inbox: i64) {
        assert!(self.open.remove(&inbox).is_some(), "message {inbox} ended twice");
        self.expected.retain(|waiting| *waiting != inbox);
    }

    fn told(&mut self, told: &ToChannel) {
        match told {
            ToChannel::Refused { id, .. } | ToChannel::Joined { id, .. } | ToChannel::CommandAnswered { id, .. } => {
                self.settle(id);
            }
            _ => {}
        }
    }

    fn settle(&mut self, id: &MessageId) {
        *self.settled.entry(id.0.parse().expect("a number")).or_default() += 1;
    }

    fn happens(&mut self, happening: Happening) {
        match happening {
            Happening::Message(when_busy) => self.comes(when_busy, None),
            Happening::Stop => self.comes(WhenBusy::Add, Some(Command::Stop)),
            Happening::Steer => self.comes(WhenBusy::Add, Some(Command::Steer("that way".into()))),
            Happening::New => self.comes(WhenBusy::Add, Some(Command::New)),
            Happening::Status => self.comes(WhenBusy::Add, Some(Command::Status)),
            Happening::Take => self.take_one(),
            Happening::Finish(kind) => self.finish(kind),
            Happening::Lose => self.lose(),
            Happening::Die => self.die(),
            Happening::Suspend => self.suspend(),
            Happening::Wake => self.wake(),
            Happening::LateFinish => {
                self.step(Event::Finished(Box::new(report(TurnId(-1), OutcomeKind::Answered, vec![]))))
            }
            Happening::Commit => self.commit(Ok(())),
            Happening::FailToCommit => self.commit(Err(unsaved(false))),
        }
    }

    fn take_one(&mut self) {
        let Some((turn, _, offered)) = &mut self.running else { return };
        if offered.is_empty() || self.suspended || self.closing.is_some() {
            return;
        }
        let (inbox, turn) = (InboxId(offered.remove(0).0), *turn);
        self.step(Event::Taken { turn, inbox: vec![inbox] });
    }

    fn put_back_offered(&mut self, offered: &[Offered]) {
        for (inbox, is_command) in offered.iter().rev() {
            if !is_command {
                self.expected.push_front(*inbox);
            }
        }
    }

    /// What the turn that runs was offered, while it has an executor.
    fn executing(&self) -> Option<(TurnId, Vec<Offered>)> {
        let (turn, _, offered) = self.running.clone()?;
        (!self.suspended && self.closing.is_none()).then_some((turn, offered))
    }

    fn die(&mut self) {
        let Some((turn, _)) = self.executing() else { return };
        self.step(Event::Died { turn });
    }

    fn suspend(&mut self) {
        let Some((turn, _)) = self.executing() else { return };
        self.step(Event::Suspends { turn, ms: 90_000 });
    }

    fn wake(&mut self) {
        let Some((turn, ..)) = self.running.clone().filter(|_| self.suspended) else { return };
        self.step(Event::Woken { turn });
    }

    fn give_up(&mut self) {
        let Some(report) = self.closing.take() else { return };
        let (_, _, offered) = self.running.clone().expect("it runs until its end is reported");
        self.put_back_offered(&offered);
        self.step(Event::Finished(Box::new(report)));
    }

    fn finish(&mut self, kind: OutcomeKind) {
        self.give_up();
        let Some((turn, offered)) = self.executing() else { return };
        self.put_back_offered(&offered);
        self.step(Event::Finished(Box::new(report(turn, kind, Vec::new()))));
    }

    fn lose(&mut self) {
        let Some((turn, offered)) = self.executing() else { return };
        self.put_back_offered(&offered);
        let error = TurnError { class: "executor".into(), message: "gone".into() };
        self.step(Event::Lost { turn, error });
    }

    fn commit(&mut self, result: Result<(), Unsaved>) {
        let Some((ends, added)) = self.committing.take() else { return };
        if result.is_ok() {
            self.stored += added;
        }
        // A write that failed leaves the rows open on disk; here they count as ended, for the person was told.
        ends.into_iter().for_each(|inbox| self.ends(inbox));
        self.step(Event::Committed(result));
    }

    fn wind_up(&mut self) {
        for _ in 0..200 {
            if self.running.is_none() && self.committing.is_none() {
                break;
            }
            self.wake();
            self.finish(OutcomeKind::Answered);
            self.commit(Ok(()));
        }
        assert!(self.dialogue.is_idle());
        assert!(self.open.is_empty(), "never ended: {:?}", self.open);
        for inbox in 1..=self.next_inbox {
            assert_eq!(self.settled.get(&inbox), Some(&1), "message {inbox} was not answered exactly once");
        }
    }
}

proptest! {
    #[test]
    fn every_message_is_answered_once_in_order_one_turn_at_a_time(
        happenings in prop::collection::vec(happening(), 0..80),
    ) {
        let mut watcher = Watcher::new();

        for happening in happenings {
            watcher.happens(happening);
        }

        watcher.wind_up();
    }
}

#[test]
fn the_message_over_the_limit_is_refused_and_told_so() {
    let mut watcher = Watcher::new();

    for _ in 0..=WAITING_LIMIT + 1 {
        watcher.comes(WhenBusy::Queue, None);
    }

    let last = i64::try_from(WAITING_LIMIT).expect("small") + 2;
    assert_eq!(watcher.settled.get(&last), Some(&1));
    watcher.wind_up();
}

#[test]
fn a_write_that_failed_leaves_the_history_as_it_was_and_says_so() {
    let mut watcher = Watcher::new();
    watcher.comes(WhenBusy::Queue, None);
    watcher.finish(OutcomeKind::Answered);
    watcher.committing = None;

    let actions = watcher.dialogue.on(Event::Committed(Err(unsaved(true))), &watcher.ids);

    let told = actions.iter().find_map(|action| match action {
        Action::Deliver(Outbound { body: OutboundBody::TurnFinished { outcome, .. }, .. }) => Some(&outcome.text),
        _ => None,
    });
    assert!(told.expect("the answer goes out").contains("The disk is full: this answer could not be saved"));
    assert!(watcher.dialogue.history.messages().is_empty());
}

/// What a command is answered with.
fn told(watcher: &mut Watcher, command: Command) -> String {
    let command = incoming(900, WhenBusy::Add, Some(command));
    let actions = watcher.dialogue.on(Event::Incoming(command), &watcher.ids);
    let texts = actions.into_iter().filter_map(|action| match action {
        Action::Say(ToChannel::CommandAnswered { text, .. }) => Some(text),
        _ => None,
    });
    texts.collect::<Vec<_>>().join("\n")
}

#[test]
fn between_two_turns_the_status_is_not_idle() {
    let mut watcher = Watcher::new();
    watcher.comes(WhenBusy::Queue, None);
    watcher.comes(WhenBusy::Queue, None);
    watcher.finish(OutcomeKind::Answered);

    let status = told(&mut watcher, Command::Status);

    assert!(status.starts_with("saving what was done; messages waiting: 1"), "{status}");
}

#[test]
fn a_direction_for_a_turn_that_is_being_stopped_is_told_so() {
    let mut watcher = Watcher::new();
    watcher.comes(WhenBusy::Queue, None);
    told(&mut watcher, Command::Stop);

    let answer = told(&mut watcher, Command::Steer("north".into()));

    assert_eq!(answer, "It is being stopped; send this as a message.");
}

#[test]
fn where_nothing_was_said_there_is_nothing_to_compact() {
    let answer = told(&mut Watcher::new(), Command::Compact);

    assert!(answer.starts_with("There is nothing to shorten"), "{answer}");
}
