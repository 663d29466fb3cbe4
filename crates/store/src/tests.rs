//! The ledger as its callers see it, on real files.

use std::fs;
use std::path::Path;
use std::sync::{Arc, mpsc};

use chat::{
    ChannelName, ConversationKey, DeliveryId, Inbound, InboxId, Language, Message, MessageId, Outbound, OutboundBody,
    Outcome, OutcomeKind, Person, PersonRole, Seq, TurnId, View,
};
use rusqlite::Connection;

use crate::{Answered, FinishedTurn, InboxEnd, Ledger, Operation, Settings, WriteError, WriterMode, Written};

mod damage;
mod model;
mod opening;
mod reading;
mod recording;
mod services;
mod suspending;
mod verifying;
mod writing;

pub(crate) fn open(folder: &Path) -> Ledger {
    Ledger::open(folder, WriterMode::Thread, &Settings::default()).expect("the folder is a new one or has a ledger")
}

/// Hands in an operation and waits for its result.
pub(crate) fn write(ledger: &Ledger, operation: Operation) -> Result<Written, WriteError> {
    let (sender, receiver) = mpsc::channel();
    ledger.write(operation, move |result| sender.send(result).expect("the test waits for it"));
    receiver.recv().expect("every operation gets a result")
}

/// Accepts a message; its id in the ledger.
pub(crate) fn accept(ledger: &Ledger, chat: &str, message: &str) -> InboxId {
    match write(ledger, Operation::Accept(inbound(chat, message))).expect("the disk takes it") {
        Written::Accepted { inbox, .. } => inbox,
        other => panic!("not what an accepted message is answered with: {other:?}"),
    }
}

/// Accepts a message and opens a turn for it.
pub(crate) fn accept_and_open(ledger: &Ledger, chat: &str, message: &str) -> (InboxId, TurnId) {
    let inbox = accept(ledger, chat, message);
    let turn = ledger.next_turn_id();
    write(ledger, open_turn(turn, chat, &[inbox])).expect("the message waits");
    (inbox, turn)
}

/// Takes a message all the way to an answer that is to be delivered.
pub(crate) fn answer(ledger: &Ledger, chat: &str, message: &str) -> TurnId {
    let (inbox, turn) = accept_and_open(ledger, chat, message);
    let history = ledger.load(&key(chat)).expect("it can be read").map_or(0, |stored| stored.messages.len());
    let deliveries = vec![outbound(ledger.next_delivery_id(), chat, turn)];
    let mut finished = finished(turn, chat, history, &[inbox]);
    finished.deliveries = deliveries;
    write(ledger, Operation::FinishTurn(finished)).expect("the turn is open");
    turn
}

pub(crate) fn key(chat: &str) -> ConversationKey {
    ConversationKey {
        channel: ChannelName("terminal".into()),
        bot: "local".into(),
        chat: chat.into(),
        thread: None,
        person: None,
    }
}

pub(crate) fn inbound(chat: &str, message: &str) -> Inbound {
    let person = Person { id: "7".into(), name: "Ada".into(), role: PersonRole::Owner, language: Language::English };
    Inbound::new(key(chat), MessageId(message.into()), person, format!("{message}?"))
}

pub(crate) fn open_turn(turn: TurnId, chat: &str, inbox: &[InboxId]) -> Operation {
    Operation::OpenTurn { turn, key: key(chat), inbox: inbox.to_vec() }
}

/// A turn of one question and one answer, that begins where the history has `history` messages.
pub(crate) fn finished(turn: TurnId, chat: &str, history: usize, inbox: &[InboxId]) -> FinishedTurn {
    FinishedTurn {
        turn,
        key: key(chat),
        outcome: outcome(),
        first_seq: Seq(i64::try_from(history).expect("it is short")),
        messages: vec![Arc::new(Message::user("?")), Arc::new(Message::assistant("!"))],
        view: View::default(),
        ends: inbox.iter().map(|inbox| (*inbox, InboxEnd::Answered(Answered::Reply))).collect(),
        deliveries: Vec::new(),
    }
}

pub(crate) fn outcome() -> Outcome {
    Outcome { kind: OutcomeKind::Answered, text: "!".into(), steps: 1, usage: None, error: None, files: Vec::new() }
}

pub(crate) fn outbound(id: DeliveryId, chat: &str, turn: TurnId) -> Outbound {
    let body = OutboundBody::TurnFinished { turn, outcome: outcome() };
    Outbound { id, key: key(chat), reply_to: None, body }
}

/// Looks into the ledger past the crate's own code.
pub(crate) fn look<T: rusqlite::types::FromSql>(folder: &Path, sql: &str) -> Vec<T> {
    let connection = Connection::open(folder.join("ledger.db")).expect("it is there");
    let mut statement = connection.prepare(sql).expect("the statement is right");
    let rows = statement.query_map([], |row| row.get(0)).expect("it can be read");
    rows.collect::<Result<_, _>>().expect("the columns are of that type")
}

/// The files in a folder with what they hold, the lock apart.
pub(crate) fn files(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let entries = fs::read_dir(folder).expect("it is a folder").map(|entry| entry.expect("it can be read"));
    let mut files: Vec<_> = entries
        .filter(|entry| entry.file_name() != "lock")
        .map(|entry| {
            (entry.file_name().to_string_lossy().into_owned(), fs::read(entry.path()).expect("it can be read"))
        })
        .collect();
    files.sort();
    files
}
