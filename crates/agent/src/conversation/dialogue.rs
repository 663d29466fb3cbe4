//! What a conversation decides: a message, a report or an acknowledgement comes in, actions come out.
//!
//! It holds the one history there is. A turn works on a copy; what it added replaces the history when it is on disk, not before.

use std::collections::VecDeque;
use std::sync::Arc;

use chat::{
    Block, Command, ConversationKey, History, InboxId, Message, Outbound, OutboundBody, Outcome, OutcomeKind,
    PersonRole, Progress, RefusalReason, Role, ToChannel, TurnError, TurnId, View, WhenBusy,
};
use store::{Answered, Cancelled, FinishedTurn, InboxEnd, Refused};
use turn::SteerMode;

use super::answers::Facts;
use crate::executor::TurnReport;
use crate::incoming::Incoming;
use crate::services::Ids;
use crate::wording;

/// All that can happen to a conversation.
#[derive(Debug)]
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
    /// What was to be written is on disk, or is not.
    Committed(Result<(), String>),
    /// The bot goes down; with `cancel_waiting` a person asked for it and what waits is not wanted either.
    ShutDown { cancel_waiting: bool },
}

/// What a conversation wants to be done, in this order.
#[derive(Debug)]
pub(crate) enum Action {
    /// Run a turn for this message.
    Start { turn: TurnId, incoming: Incoming, history: History, view: View },
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
}

/// What a conversation is busy with.
pub(super) enum Activity {
    /// Nothing.
    Idle,
    /// A turn.
    Running(Box<Running>),
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
        Self { key, history, view, waiting, activity: Activity::Idle, facts, going_down: false }
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
            Event::Committed(result) => self.committed(result, &mut actions),
            Event::ShutDown { cancel_waiting } => self.shut_down(cancel_waiting, &mut actions),
        }
        self.start_next(ids, &mut actions);
        actions
    }

    /// Whether nothing runs, nothing waits and nothing is being written.
    pub(crate) fn is_idle(&self) -> bool {
        matches!(self.activity, Activity::Idle) && (self.waiting.is_empty() || self.going_down)
    }

    fn incoming(&mut self, incoming: Incoming, actions: &mut Vec<Action>) {
        if let Some(command) = incoming.command.clone() {
            return self.command(incoming, command, actions);
        }
        let Activity::Running(running) = &mut self.activity else { return self.wait(incoming, actions) };
        match incoming.inbound.when_busy {
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
        if incoming.is_recovered || new < self.facts.waiting_limit {
            return self.waiting.push_back(incoming);
        }
        let text = wording::refused(incoming.language(), RefusalReason::QueueFull);
        actions.push(Action::End { inbox: incoming.inbox, end: InboxEnd::Refused(Refused::QueueFull) });
        let chat::Inbound { key, id, .. } = incoming.inbound;
        actions.push(Action::Say(ToChannel::Refused { key, id, reason: RefusalReason::QueueFull, text }));
    }

    fn command(&mut self, incoming: Incoming, command: Command, actions: &mut Vec<Action>) {
        let language = incoming.language();
        match (command, &mut self.activity) {
            (command @ (Command::New | Command::Compact), _) => {
                answer(&incoming, self.answer_to(&command, &incoming.inbound.person), actions);
                self.waiting.push_back(incoming);
            }
            (Command::Steer(text), Activity::Running(running)) if !text.is_empty() && !running.stopping => {
                let mut incoming = incoming;
                incoming.inbound.text = text;
                running.offer(incoming, SteerMode::Now, actions);
            }
            (Command::Stop, Activity::Running(running)) => {
                running.cancel(actions);
                end_command(&incoming, wording::stopping(language, self.waiting.len()), actions);
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
        let TurnReport { turn, outcome, messages, view, .. } = report;
        let kind = outcome.kind;
        let mut ends = vec![(running.incoming.inbox, end_of(outcome.kind))];
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

    fn committed(&mut self, result: Result<(), String>, actions: &mut Vec<Action>) {
        let Activity::Committing(done) = std::mem::replace(&mut self.activity, Activity::Idle) else { return };
        let saved = match result {
            // What a turn hands over was checked when it was reported, so it fits.
            Ok(()) => self.history.extend(&done.added).map_err(|error| error.to_string()),
            Err(error) => Err(error),
        };
        match &saved {
            Ok(()) => self.view = done.view,
            Err(error) => tracing::error!(key = %self.key, %error, "the end of a turn is not on disk"),
        }
        for mut outbound in done.deliveries {
            if saved.is_err()
                && let OutboundBody::TurnFinished { outcome, .. } = &mut outbound.body
            {
                outcome.text = wording::not_saved(done.language, &outcome.text);
            }
            actions.push(Action::Deliver(outbound));
        }
        if let (Ok(()), Some((turn, role))) = (saved, done.followed) {
            actions.push(Action::Follow { turn, role });
        }
    }

    fn shut_down(&mut self, cancel_waiting: bool, actions: &mut Vec<Action>) {
        self.going_down = true;
        if let Activity::Running(running) = &mut self.activity {
            running.cancel(actions);
        }
        if cancel_waiting {
            let end = InboxEnd::Cancelled(Cancelled::Stop);
            actions.extend(self.waiting.drain(..).map(|gone| Action::End { inbox: gone.inbox, end: end.clone() }));
        }
    }

    fn start_next(&mut self, ids: &dyn Ids, actions: &mut Vec<Action>) {
        if !matches!(self.activity, Activity::Idle) {
            return;
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
        });
        self.activity = Activity::Running(Box::new(Running {
            turn,
            incoming,
            offered: VecDeque::new(),
            taken: Vec::new(),
            step: 0,
            tool: None,
            stopping: false,
        }));
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

impl TurnReport {
    /// The report that a turn without an executor would have given: what the person wrote, and a marker.
    fn failed(running: &Running, view: View, error: TurnError) -> Self {
        let Running { turn, incoming, taken, step, .. } = running;
        let texts = std::iter::once(incoming).chain(taken).map(|incoming| incoming.inbound.text.as_str());
        let text = texts.collect::<Vec<_>>().join("\n\n");
        let marker = Block::hidden(format!("[This turn failed before it gave an answer: {}]", error.message));
        let messages = vec![
            Arc::new(memory::prepare_message(&text, &incoming.at)),
            Arc::new(Message { role: Role::Assistant, blocks: vec![marker] }),
        ];
        let text = wording::turn_failed(incoming.language(), &error);
        let outcome = Outcome {
            kind: OutcomeKind::Failed,
            text,
            steps: *step,
            usage: None,
            error: Some(error),
            files: Vec::new(),
        };
        Self { turn: *turn, outcome, messages, view, consumed: Vec::new() }
    }
}

fn end_of(kind: OutcomeKind) -> InboxEnd {
    match kind {
        OutcomeKind::Answered => InboxEnd::Answered(Answered::Reply),
        OutcomeKind::Silent => InboxEnd::Answered(Answered::Silence),
        OutcomeKind::Failed => InboxEnd::Answered(Answered::ErrorTold),
        OutcomeKind::Stopped => InboxEnd::Cancelled(Cancelled::Stop),
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
