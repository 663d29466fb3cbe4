//! What a conversation decides: a message, a report or an acknowledgement comes in, actions come out.
//!
//! It holds the one history there is. A turn works on a copy; what it added replaces the history when it is on disk, not before.

mod changes;
mod ends;
mod taking_up;

use std::collections::VecDeque;
use std::sync::Arc;

use chat::{
    Command, ConversationKey, History, InboxId, Message, Outbound, OutboundBody, OutcomeKind, PersonRole, Progress,
    RefusalReason, ToChannel, TurnError, TurnId, View, WhenBusy,
};
use store::{Answered, FinishedTurn, InboxEnd, Refused, SuspendedFor};
use tokio::time::Duration;
use turn::SteerMode;

use self::ends::end_of;
use super::answers::Facts;
use crate::executor::TurnReport;
use crate::incoming::Incoming;
use crate::recovery::LeftOpen;
use crate::services::Ids;
use crate::supervisor::Word;
use crate::wording;

/// All that can happen to a conversation.
#[derive(Debug)]
#[expect(clippy::large_enum_variant, reason = "it is passed on at once, and most are of the large kind")]
pub(crate) enum Event {
    /// A message or command is safe in the inbox.
    Incoming(Incoming),
    /// The running turn tells something.
    Progress { turn: TurnId, progress: Progress },
    /// The running turn took these messages in.
    Taken { turn: TurnId, inbox: Vec<InboxId> },
    /// A turn is over.
    Finished(Box<TurnReport>),
    /// A turn will never report.
    Lost { turn: TurnId, error: TurnError },
    /// Something was said from outside the order of messages.
    Word(Word),
    /// Its chat goes on under another id.
    Renamed(ConversationKey),
    /// A turn's executor ended inside; it may be tried again.
    Died { turn: TurnId },
    /// An earlier process or actor left a turn open.
    LeftOpen(Box<LeftOpen>),
    /// The running turn waits for so long that it leaves memory.
    Suspends { turn: TurnId, ms: u64 },
    /// The pause of a suspended turn is over.
    Woken { turn: TurnId },
    /// What was to be written is on disk, or is not.
    Committed(Result<(), Unsaved>),
    /// The bot goes down; with `cancel_waiting` a person asked for it and what waits is not wanted either.
    ShutDown { cancel_waiting: bool },
}

/// Why something is not on disk.
#[derive(Debug)]
pub(crate) struct Unsaved {
    /// The cause, for the log.
    pub(crate) error: String,
    /// Whether there was no room.
    pub(crate) is_disk_full: bool,
}

/// What a conversation wants to be done, in this order.
#[derive(Debug)]
pub(crate) enum Action {
    /// Run a turn for this message.
    Start { turn: TurnId, incoming: Incoming, history: History, view: View, again: Option<Again> },
    /// Come back with [`Event::Woken`] after this pause; note on disk what a turn waits for, if it is not there.
    Suspend { turn: TurnId, pause: Duration, reason: Option<SuspendedFor> },
    /// Write that a turn is to end, and how the message ended that asked for it.
    Stop { turn: TurnId, by: Option<(InboxId, InboxEnd)> },
    /// Give a turn up; answered by [`Event::Finished`], with this report where its record tells nothing.
    Close { without_record: Box<TurnReport>, reason: TurnError },
    /// Hand this to the running turn.
    Offer { turn: TurnId, inbox: InboxId, text: String, mode: SteerMode },
    /// End the running turn.
    Cancel { turn: TurnId },
    /// The turn is done with; its executor is not needed any more.
    Release { turn: TurnId },
    /// Write a turn's end; answered by [`Event::Committed`].
    Commit(Box<FinishedTurn>),
    /// Write a new view; answered by [`Event::Committed`].
    CommitView { view: View, ends: Vec<(InboxId, InboxEnd)> },
    /// Write how a message ended.
    End { inbox: InboxId, end: InboxEnd },
    /// Write what a waiting message says from now on, and what ends together with it.
    Replace { inbox: InboxId, inbound: chat::Inbound, joined: Vec<InboxId> },
    /// Tell the channel.
    Say(ToChannel),
    /// Hand over what is in the ledger to go out.
    Deliver(Outbound),
    /// A turn is on disk as answered: run what follows by itself, for this person's role.
    Follow { turn: TurnId, role: PersonRole },
    /// Nothing runs and nothing waits.
    Idle,
}

/// One conversation.
pub(crate) struct Dialogue {
    pub(super) key: ConversationKey,
    pub(super) history: History,
    pub(super) view: View,
    pub(super) waiting: VecDeque<Incoming>,
    pub(super) activity: Activity,
    pub(super) facts: Arc<Facts>,
    going_down: bool,
    /// Turns that were left open, before all that waits.
    left_open: VecDeque<LeftOpen>,
}

/// What a conversation is busy with.
pub(super) enum Activity {
    /// Nothing.
    Idle,
    /// A turn.
    Running(Box<Running>),
    /// A turn that waits without an executor.
    Suspended(Box<Suspended>),
    /// Something is being written; what it changes in memory once it is there.
    Committing(Committing),
}

/// A turn that runs.
pub(super) struct Running {
    pub(super) turn: TurnId,
    incoming: Incoming,
    /// What was handed to the turn and not yet taken in by it.
    offered: VecDeque<Incoming>,
    /// What was taken in.
    taken: Vec<Incoming>,
    pub(super) step: u32,
    pub(super) tool: Option<String>,
    stopping: bool,
    /// How often it was tried, this time included.
    attempts: u32,
    /// Whether no executor of this process has told the channel of it.
    is_new_here: bool,
}

/// A turn that waits without an executor.
pub(super) struct Suspended {
    running: Running,
    reason: SuspendedFor,
    /// Whether it is given up when its time comes, because what it waits for would take too long.
    expires: bool,
}

/// How a turn is begun that was begun before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Again {
    /// Whether it is to end at once.
    pub(crate) stop: bool,
    /// Whether a pause of its own is over.
    pub(crate) has_waited: bool,
    /// Whether the channel knows nothing of it.
    pub(crate) is_new_here: bool,
}

/// Something that is being written.
pub(super) struct Committing {
    added: Vec<Arc<Message>>,
    view: View,
    deliveries: Vec<Outbound>,
    language: chat::Language,
    /// The turn that is followed by what runs by itself.
    followed: Option<(TurnId, PersonRole)>,
}

impl Dialogue {
    pub(crate) fn new(key: ConversationKey, history: History, view: View, facts: Arc<Facts>) -> Self {
        let waiting = VecDeque::new();
        Self {
            key,
            history,
            view,
            waiting,
            activity: Activity::Idle,
            facts,
            going_down: false,
            left_open: VecDeque::new(),
        }
    }

    /// Takes in what happened.
    pub(crate) fn on(&mut self, event: Event, ids: &dyn Ids) -> Vec<Action> {
        let mut actions = Vec::new();
        match event {
            Event::Incoming(incoming) => self.incoming(incoming, &mut actions),
            Event::Progress { turn, progress } => self.progress(turn, progress, &mut actions),
            Event::Taken { turn, inbox } => self.taken(turn, &inbox, &mut actions),
            Event::Finished(report) => self.finished(*report, ids, &mut actions),
            Event::Lost { turn, error } => self.lost(turn, error, ids, &mut actions),
            Event::Word(word) => self.word(word, &mut actions),
            Event::Renamed(key) => self.renamed(key),
            Event::Died { turn } => self.died(turn, &mut actions),
            Event::LeftOpen(left) => self.left_open.push_back(*left),
            Event::Suspends { turn, ms } => self.suspends(turn, ms, &mut actions),
            Event::Woken { turn } => self.woken(turn, &mut actions),
            Event::Committed(result) => self.committed(result, &mut actions),
            Event::ShutDown { cancel_waiting } => self.shut_down(cancel_waiting, &mut actions),
        }
        self.start_next(ids, &mut actions);
        actions
    }

    /// Whether nothing runs, nothing waits and nothing is being written.
    pub(crate) fn is_idle(&self) -> bool {
        match &self.activity {
            Activity::Idle => (self.waiting.is_empty() && self.left_open.is_empty()) || self.going_down,
            // Its row says when it goes on, in whatever process.
            Activity::Suspended(_) => self.going_down,
            Activity::Running(_) | Activity::Committing(_) => false,
        }
    }

    fn incoming(&mut self, incoming: Incoming, actions: &mut Vec<Action>) {
        if let Some(command) = incoming.command.clone() {
            return self.command(incoming, command, actions);
        }
        if incoming.inbound.edit.is_some() {
            return self.edited(incoming, actions);
        }
        if matches!(self.activity, Activity::Suspended(_)) && incoming.inbound.when_busy == WhenBusy::Interrupt {
            self.wait(incoming, actions);
            return self.stop_suspended(actions);
        }
        let Activity::Running(running) = &mut self.activity else { return self.wait(incoming, actions) };
        match running.mode_for(&incoming) {
            WhenBusy::Add if !running.stopping => running.offer(incoming, SteerMode::Add, actions),
            WhenBusy::Add | WhenBusy::Queue => self.wait(incoming, actions),
            WhenBusy::Interrupt => {
                running.cancel(actions);
                self.wait(incoming, actions);
            }
        }
    }

    fn wait(&mut self, incoming: Incoming, actions: &mut Vec<Action>) {
        let new = self.waiting.iter().filter(|waiting| !waiting.is_recovered).count();
        if incoming.is_recovered || (new < self.facts.settings.waiting && !self.has_its_share(&incoming)) {
            return self.waiting.push_back(incoming);
        }
        let text = wording::refused(incoming.language(), RefusalReason::QueueFull);
        actions.push(Action::End { inbox: incoming.inbox, end: InboxEnd::Refused(Refused::QueueFull) });
        let chat::Inbound { key, id, .. } = incoming.inbound;
        actions.push(Action::Say(ToChannel::Refused { key, id, reason: RefusalReason::QueueFull, text }));
    }

    fn command(&mut self, incoming: Incoming, command: Command, actions: &mut Vec<Action>) {
        match (command, &mut self.activity) {
            (command @ (Command::New | Command::Compact), _) => {
                answer(&incoming, self.answer_to(&command, &incoming.inbound.person), actions);
                self.waiting.push_back(incoming);
            }
            (Command::Stop | Command::Steer(_), activity) if activity.is_of_another(&incoming.inbound.person) => {
                end_command(&incoming, wording::access::not_yours(incoming.language()), actions);
            }
            (Command::Steer(text), Activity::Running(running)) if !text.is_empty() && !running.stopping => {
                let mut incoming = incoming;
                incoming.inbound.text = text;
                running.offer(incoming, SteerMode::Now, actions);
            }
            (Command::Steer(text), Activity::Suspended(suspended)) if !text.is_empty() => {
                let mut incoming = incoming;
                incoming.inbound.text = text;
                suspended.running.offered.push_back(incoming);
            }
            (Command::Stop, Activity::Running(running)) => {
                let turn = running.turn;
                self.note_stop(turn, &incoming, actions);
                if let Some(running) = self.running(turn) {
                    running.cancel(actions);
                }
            }
            (Command::Stop, Activity::Suspended(suspended)) => {
                let turn = suspended.running.turn;
                self.note_stop(turn, &incoming, actions);
                self.stop_suspended(actions);
            }
            (command, _) => end_command(&incoming, self.answer_to(&command, &incoming.inbound.person), actions),
        }
    }

    fn progress(&mut self, turn: TurnId, progress: Progress, actions: &mut Vec<Action>) {
        let Some(running) = self.running(turn) else { return };
        match &progress {
            Progress::StepStarted { step } => running.step = *step,
            Progress::ToolStarted { name, .. } => running.tool = Some(name.clone()),
            Progress::ToolFinished { .. } => running.tool = None,
            _ => {}
        }
        actions.push(Action::Say(ToChannel::Progress { key: self.key.clone(), turn, progress }));
    }

    fn taken(&mut self, turn: TurnId, inbox: &[InboxId], actions: &mut Vec<Action>) {
        let Some(running) = self.running(turn) else { return };
        let (taken, offered) = running.offered.drain(..).partition(|incoming| inbox.contains(&incoming.inbox));
        let taken: VecDeque<Incoming> = taken;
        running.offered = offered;
        for incoming in taken {
            actions.push(match incoming.command {
                None => {
                    let chat::Inbound { key, id, .. } = incoming.inbound.clone();
                    Action::Say(ToChannel::Joined { key, id, turn })
                }
                Some(_) => say_answer(&incoming, wording::steered(incoming.language())),
            });
            running.taken.push(incoming);
        }
    }

    fn finished(&mut self, report: TurnReport, ids: &dyn Ids, actions: &mut Vec<Action>) {
        self.taken(report.turn, &report.consumed, actions);
        if self.running(report.turn).is_none() {
            return;
        }
        let Activity::Running(running) = std::mem::replace(&mut self.activity, Activity::Idle) else { return };
        let running = *running;
        let TurnReport { turn, outcome, messages, view, end, .. } = report;
        let kind = outcome.kind;
        let mut ends = vec![(running.incoming.inbox, end.unwrap_or_else(|| end_of(outcome.kind)))];
        ends.extend(running.taken.iter().map(|taken| (taken.inbox, InboxEnd::Answered(Answered::Steered(turn)))));
        self.put_back(running.offered, actions);
        let delivery = Outbound {
            id: ids.delivery(),
            key: self.key.clone(),
            reply_to: Some(running.incoming.inbound.id.clone()),
            body: OutboundBody::TurnFinished { turn, outcome: outcome.clone() },
        };
        actions.push(Action::Release { turn });
        actions.push(Action::Commit(Box::new(FinishedTurn {
            turn,
            key: self.key.clone(),
            outcome,
            first_seq: self.history.next_seq(),
            messages: messages.clone(),
            view: view.clone(),
            ends,
            deliveries: vec![delivery.clone()],
        })));
        let language = running.incoming.language();
        let answered = matches!(kind, OutcomeKind::Answered | OutcomeKind::Silent);
        let followed = answered.then_some((turn, running.incoming.inbound.person.role));
        let deliveries = vec![delivery];
        self.activity = Activity::Committing(Committing { added: messages, view, deliveries, language, followed });
    }

    /// Messages that a turn was offered and did not take in come next; a direction for it has nothing to direct any more.
    fn put_back(&mut self, offered: VecDeque<Incoming>, actions: &mut Vec<Action>) {
        for incoming in offered.into_iter().rev() {
            if incoming.command.is_some() {
                end_command(&incoming, wording::just_finished(incoming.language()), actions);
            } else {
                self.waiting.push_front(incoming);
            }
        }
    }

    fn lost(&mut self, turn: TurnId, error: TurnError, ids: &dyn Ids, actions: &mut Vec<Action>) {
        let view = self.view.clone();
        let Some(running) = self.running(turn) else { return };
        let report = TurnReport::failed(running, view, error);
        self.finished(report, ids, actions);
    }

    fn committed(&mut self, result: Result<(), Unsaved>, actions: &mut Vec<Action>) {
        let Activity::Committing(done) = std::mem::replace(&mut self.activity, Activity::Idle) else { return };
        let saved = match result {
            // What a turn hands over was checked when it was reported, so it fits.
            Ok(()) => self
                .history
                .extend(&done.added)
                .map_err(|error| Unsaved { error: error.to_string(), is_disk_full: false }),
            Err(error) => Err(error),
        };
        match &saved {
            Ok(()) => self.view = done.view,
            Err(unsaved) => tracing::error!(key = %self.key, unsaved.error, "the end of a turn is not on disk"),
        }
        for mut outbound in done.deliveries {
            if let Err(unsaved) = &saved
                && let OutboundBody::TurnFinished { outcome, .. } = &mut outbound.body
            {
                outcome.text = wording::not_saved(done.language, &outcome.text, unsaved.is_disk_full);
            }
            actions.push(Action::Deliver(outbound));
        }
        if let (Ok(()), Some((turn, role))) = (saved, done.followed) {
            actions.push(Action::Follow { turn, role });
        }
    }

    fn start_next(&mut self, ids: &dyn Ids, actions: &mut Vec<Action>) {
        match &self.activity {
            Activity::Idle => {}
            Activity::Suspended(_) if self.going_down => return actions.push(Action::Idle),
            _ => return,
        }
        if !self.going_down
            && let Some(left) = self.left_open.pop_front()
        {
            return self.take_up(left, actions);
        }
        let next = if self.going_down { None } else { self.waiting.pop_front() };
        let Some(incoming) = next else { return actions.push(Action::Idle) };
        if let Some(command) = &incoming.command {
            let view = self.view_after(command);
            return self.change_view(&incoming, view, actions);
        }
        let turn = ids.turn();
        actions.push(Action::Start {
            turn,
            incoming: incoming.clone(),
            history: self.history.clone(),
            view: self.view.clone(),
            again: None,
        });
        self.activity = Activity::Running(Box::new(Running::new(turn, incoming)));
    }

    fn view_after(&self, command: &Command) -> View {
        match command {
            Command::Compact => self.view.compact(&self.history).unwrap_or_else(|| self.view.clone()),
            _ => View::after(&self.history),
        }
    }

    fn change_view(&mut self, incoming: &Incoming, view: View, actions: &mut Vec<Action>) {
        let ends = vec![(incoming.inbox, InboxEnd::Answered(Answered::Command))];
        actions.push(Action::CommitView { view: view.clone(), ends });
        let language = incoming.language();
        let (added, deliveries) = (Vec::new(), Vec::new());
        self.activity = Activity::Committing(Committing { added, view, deliveries, language, followed: None });
    }

    fn running(&mut self, turn: TurnId) -> Option<&mut Running> {
        match &mut self.activity {
            Activity::Running(running) if running.turn == turn => Some(running),
            _ => None,
        }
    }
}

impl Running {
    fn new(turn: TurnId, incoming: Incoming) -> Self {
        Self {
            turn,
            incoming,
            offered: VecDeque::new(),
            taken: Vec::new(),
            step: 0,
            tool: None,
            stopping: false,
            attempts: 1,
            is_new_here: false,
        }
    }

    fn offer(&mut self, incoming: Incoming, mode: SteerMode, actions: &mut Vec<Action>) {
        let text = incoming.inbound.text.clone();
        actions.push(Action::Offer { turn: self.turn, inbox: incoming.inbox, text, mode });
        self.offered.push_back(incoming);
    }

    fn cancel(&mut self, actions: &mut Vec<Action>) {
        if !std::mem::replace(&mut self.stopping, true) {
            actions.push(Action::Cancel { turn: self.turn });
        }
    }
}

fn end_command(incoming: &Incoming, text: String, actions: &mut Vec<Action>) {
    actions.push(Action::End { inbox: incoming.inbox, end: InboxEnd::Answered(Answered::Command) });
    answer(incoming, text, actions);
}

fn answer(incoming: &Incoming, text: String, actions: &mut Vec<Action>) {
    actions.push(say_answer(incoming, text));
}

fn say_answer(incoming: &Incoming, text: String) -> Action {
    let chat::Inbound { key, id, .. } = incoming.inbound.clone();
    Action::Say(ToChannel::CommandAnswered { key, id, text })
}
