//! Random operations against a small model of what a ledger is: warm, and again after it was opened anew.

use std::collections::BTreeMap;

use chat::{DeliveryId, InboxId, Seq, TurnId, View};
use proptest::prelude::*;
use tempfile::tempdir;

use super::*;
use crate::{Cancelled, DeliveryState, Refused, SuspendedFor};

const CHATS: [&str; 3] = ["a", "b", "c"];

/// What is tried, right or wrong.
#[derive(Clone, Debug)]
enum Step {
    Accept { chat: usize, message: u8 },
    End { inbox: i64, end: usize },
    Open { turn: i64, chat: usize, inbox: Vec<i64> },
    Finish { turn: i64, chat: usize, off: i64, pairs: usize, forget: bool, extra: Option<i64>, deliveries: usize },
    SetView { chat: usize, first: i64, end: Option<i64> },
    Delivery { id: i64, state: usize },
    Suspend { turn: i64, waits: bool },
}

fn step() -> impl Strategy<Value = Step> {
    let chat = 0..CHATS.len();
    let (inbox, turn) = (1..8_i64, 1..6_i64);
    let seldom = prop::bool::weighted(0.1);
    prop_oneof![
        4 => (chat.clone(), 0..4_u8).prop_map(|(chat, message)| Step::Accept { chat, message }),
        1 => (inbox.clone(), 0..ends().len()).prop_map(|(inbox, end)| Step::End { inbox, end }),
        4 => (turn.clone(), chat.clone(), prop::collection::vec(inbox.clone(), 0..3))
            .prop_map(|(turn, chat, inbox)| Step::Open { turn, chat, inbox }),
        6 => (turn, chat.clone(), seldom, 0..3_usize, seldom, prop::option::of(inbox.clone()), 0..3_usize)
            .prop_map(|(turn, chat, off, pairs, forget, extra, deliveries)| {
                let off = i64::from(off);
                Step::Finish { turn, chat, off, pairs, forget, extra, deliveries }
            }),
        1 => (chat, 0..5_i64, prop::option::of(inbox))
            .prop_map(|(chat, first, end)| Step::SetView { chat, first, end }),
        2 => (1..6_i64, any::<bool>()).prop_map(|(turn, waits)| Step::Suspend { turn, waits }),
        3 => (1..6_i64, 0..states().len()).prop_map(|(id, state)| Step::Delivery { id, state }),
    ]
}

fn ends() -> [InboxEnd; 4] {
    [
        InboxEnd::Answered(Answered::Command),
        InboxEnd::Doubtful("not saved".into()),
        InboxEnd::Refused(Refused::QueueFull),
        InboxEnd::Cancelled(Cancelled::Stop),
    ]
}

fn states() -> [DeliveryState; 4] {
    [
        DeliveryState::Sending,
        DeliveryState::Sent { platform_id: None },
        DeliveryState::Failed { reason: "gone".into() },
        DeliveryState::Doubtful { reason: "no answer".into() },
    ]
}

/// What a ledger is.
#[derive(Clone, Debug, Default)]
struct Model {
    inbox: Vec<Row>,
    turns: BTreeMap<i64, Turn>,
    histories: BTreeMap<&'static str, (View, Vec<Arc<Message>>)>,
    deliveries: BTreeMap<i64, (&'static str, u32)>,
}

#[derive(Clone, Debug)]
struct Row {
    chat: &'static str,
    message: String,
    running: Option<i64>,
    end: Option<InboxEnd>,
}

#[derive(Clone, Debug)]
struct Turn {
    chat: &'static str,
    attempts: u32,
    ended: bool,
    suspended: Option<SuspendedFor>,
}

impl Model {
    /// Does a step whole or not at all: the operation it stands for, and what it should give.
    fn step(&mut self, step: &Step) -> (Operation, Option<Written>) {
        let operation = self.operation(step);
        let mut next = self.clone();
        let written = next.apply(&operation);
        if written.is_some() {
            *self = next;
        }
        (operation, written)
    }

    fn operation(&self, step: &Step) -> Operation {
        match step {
            Step::Accept { chat, message } => Operation::Accept(inbound(CHATS[*chat], &message.to_string())),
            Step::End { inbox, end } => Operation::EndInbox { inbox: InboxId(*inbox), end: ends()[*end].clone() },
            Step::Open { turn, chat, inbox } => {
                open_turn(TurnId(*turn), CHATS[*chat], &inbox.iter().copied().map(InboxId).collect::<Vec<_>>())
            }
            Step::Finish { turn, chat, off, pairs, forget, extra, deliveries } => {
                let chat = CHATS[*chat];
                let history = self.histories.get(chat).map_or(0, |(_, messages)| messages.len());
                let own: Vec<_> = self.open_in(*turn).skip(usize::from(*forget)).collect();
                let mut finished = finished(TurnId(*turn), chat, history, &own);
                finished.first_seq.0 += off;
                finished.messages = (0..*pairs).flat_map(|_| finished.messages.clone()).collect();
                finished.view = View { first: finished.first_seq, ..View::default() };
                finished.ends.extend(extra.map(|inbox| (InboxId(inbox), ends()[0].clone())));
                let ids = (1..).filter(|id| !self.deliveries.contains_key(id)).take(*deliveries);
                finished.deliveries = ids.map(|id| outbound(DeliveryId(id), chat, TurnId(*turn))).collect();
                Operation::FinishTurn(finished)
            }
            Step::SetView { chat, first, end } => Operation::SetView {
                key: key(CHATS[*chat]),
                view: View { first: Seq(*first), ..View::default() },
                ends: end.map(|inbox| (InboxId(inbox), ends()[3].clone())).into_iter().collect(),
            },
            Step::Suspend { turn, waits } => {
                let reason = if *waits { SuspendedFor::Wait } else { SuspendedFor::Resumption };
                Operation::Suspend { turn: TurnId(*turn), wakes_at: 7, reason }
            }
            Step::Delivery { id, state } => {
                Operation::Delivery { id: DeliveryId(*id), state: states()[*state].clone() }
            }
        }
    }

    fn apply(&mut self, operation: &Operation) -> Option<Written> {
        match operation {
            Operation::Accept(inbound) => Some(self.accept(inbound)),
            Operation::EndInbox { inbox, end } => self.end(None, *inbox, end),
            Operation::OpenTurn { turn, key, inbox } => self.open(turn.0, self.chat(key), inbox),
            Operation::Record { .. } | Operation::StopTurn { .. } => Some(Written::Done),
            Operation::Suspend { turn, reason, .. } => self.suspend(turn.0, *reason),
            Operation::FinishTurn(finished) => self.finish(finished),
            Operation::SetView { key, view, ends } => {
                let chat = self.chat(key);
                self.history(chat).0 = view.clone();
                ends.iter().try_for_each(|(inbox, end)| self.end(Some(chat), *inbox, end).map(drop))?;
                Some(Written::Done)
            }
            Operation::Delivery { id, state } => {
                let (present, attempts) = self.deliveries.get_mut(&id.0)?;
                if matches!(*present, "sent" | "failed") {
                    return (*present == state.name()).then_some(Written::Done);
                }
                *present = state.name();
                *attempts += u32::from(*state == DeliveryState::Sending);
                Some(Written::Done)
            }
            other => panic!("no step stands for this: {other:?}"),
        }
    }

    fn accept(&mut self, inbound: &Inbound) -> Written {
        let (chat, message) = (self.chat(&inbound.key), &inbound.id.0);
        let known = self.inbox.iter().position(|row| row.chat == chat && row.message == *message);
        let at = known.unwrap_or(self.inbox.len());
        if known.is_none() {
            self.history(chat);
            self.inbox.push(Row { chat, message: message.clone(), running: None, end: None });
        }
        let inbox = InboxId(i64::try_from(at + 1).expect("there are few"));
        Written::Accepted { inbox, fresh: known.is_none() }
    }

    fn end(&mut self, chat: Option<&str>, inbox: InboxId, end: &InboxEnd) -> Option<Written> {
        let row = self.row(inbox).filter(|row| chat.is_none_or(|chat| row.chat == chat))?;
        let end = row.end.get_or_insert_with(|| end.clone()) == end;
        end.then_some(Written::Done)
    }

    fn open(&mut self, turn: i64, chat: &'static str, inbox: &[InboxId]) -> Option<Written> {
        self.history(chat);
        let opened = self.turns.entry(turn).or_insert(Turn { chat, attempts: 0, ended: false, suspended: None });
        opened.attempts += u32::from(opened.suspended.take() != Some(SuspendedFor::Wait));
        let attempts = opened.attempts;
        if opened.ended || opened.chat != chat {
            return None;
        }
        for inbox in inbox {
            let row = self.row(*inbox)?;
            if row.chat != chat || row.end.is_some() || row.running.is_some_and(|running| running != turn) {
                return None;
            }
            row.running = Some(turn);
        }
        Some(Written::Opened { attempts })
    }

    fn suspend(&mut self, turn: i64, reason: SuspendedFor) -> Option<Written> {
        let open = self.turns.get_mut(&turn).filter(|turn| !turn.ended)?;
        open.suspended = Some(reason);
        Some(Written::Done)
    }

    fn finish(&mut self, finished: &FinishedTurn) -> Option<Written> {
        let (turn, chat) = (finished.turn.0, self.chat(&finished.key));
        let open = self.turns.get_mut(&turn).filter(|turn| turn.chat == chat && !turn.ended)?;
        open.ended = true;
        let (view, messages) = self.history(chat);
        if finished.first_seq.0 != i64::try_from(messages.len()).expect("it is short") {
            return None;
        }
        messages.extend_from_slice(&finished.messages);
        *view = finished.view.clone();
        finished.ends.iter().try_for_each(|(inbox, end)| self.end(Some(chat), *inbox, end).map(drop))?;
        if self.open_in(turn).next().is_some() {
            return None;
        }
        self.deliveries.extend(finished.deliveries.iter().map(|outbound| (outbound.id.0, ("planned", 0))));
        Some(Written::Done)
    }

    fn open_in(&self, turn: i64) -> impl Iterator<Item = InboxId> {
        let rows = (1..).map(InboxId).zip(&self.inbox);
        rows.filter(move |(_, row)| row.running == Some(turn) && row.end.is_none()).map(|(inbox, _)| inbox)
    }

    fn row(&mut self, inbox: InboxId) -> Option<&mut Row> {
        self.inbox.get_mut(usize::try_from(inbox.0 - 1).ok()?)
    }

    fn history(&mut self, chat: &'static str) -> &mut (View, Vec<Arc<Message>>) {
        self.histories.entry(chat).or_default()
    }

    fn chat(&self, key: &ConversationKey) -> &'static str {
        CHATS.into_iter().find(|chat| key.chat == *chat).expect("all keys are of these chats")
    }
}

/// Holds that a ledger is what the model says.
fn agrees(ledger: &Ledger, model: &Model) -> Result<(), TestCaseError> {
    for chat in CHATS {
        let stored = ledger.load(&key(chat)).expect("it can be read").map(|stored| (stored.view, stored.messages));
        prop_assert_eq!(stored.as_ref(), model.histories.get(chat));
    }
    let recovered = ledger.recover().expect("it can be read");
    let turns = recovered.turns.iter().map(|turn| {
        let suspended = turn.suspended.map(|suspended| suspended.reason);
        (turn.turn.0, turn.attempts, suspended, ids(&turn.inbox))
    });
    let turns: Vec<_> = turns.collect();
    let open = model.turns.iter().filter(|(_, turn)| !turn.ended);
    prop_assert_eq!(
        turns,
        open.map(|(id, turn)| (*id, turn.attempts, turn.suspended, model.open_in(*id).collect())).collect::<Vec<_>>()
    );
    let waiting = (1..).map(InboxId).zip(&model.inbox).filter(|(_, row)| row.running.is_none() && row.end.is_none());
    prop_assert_eq!(ids(&recovered.waiting), waiting.map(|(inbox, _)| inbox).collect::<Vec<_>>());
    let unsent =
        recovered.deliveries.iter().map(|unsent| (unsent.outbound.id.0, (unsent.was_sending, unsent.attempts)));
    let expected = model.deliveries.iter().filter(|(_, (state, _))| matches!(*state, "planned" | "sending"));
    let expected = expected.map(|(id, (state, attempts))| (*id, (*state == "sending", *attempts)));
    prop_assert_eq!(unsent.collect::<Vec<_>>(), expected.collect::<Vec<_>>());
    Ok(())
}

fn ids(inbox: &[crate::StoredInbound]) -> Vec<InboxId> {
    inbox.iter().map(|stored| stored.inbox).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn any_operations_leave_what_the_model_says_cold_as_warm(steps in prop::collection::vec(step(), 1..60)) {
        let folder = tempdir().expect("there is room");
        let ledger = open(folder.path());
        let mut model = Model::default();
        let (sender, receiver) = mpsc::channel();

        let mut expected = Vec::new();
        for step in &steps {
            let (operation, written) = model.step(step);
            let sender = sender.clone();
            ledger.write(operation, move |result| sender.send(result.ok()).expect("the test waits for it"));
            expected.push(written);
        }
        let results: Vec<_> = receiver.iter().take(steps.len()).collect();

        prop_assert_eq!(results, expected);
        agrees(&ledger, &model)?;
        prop_assert_eq!(ledger.verify().expect("it can be read").findings, vec![]);
        drop(ledger);
        agrees(&open(folder.path()), &model)?;
    }
}
