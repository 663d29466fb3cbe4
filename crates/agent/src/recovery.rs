//! What a conversation starts with: its history, and what an earlier process or actor left open.
//!
//! A turn without an end is not resumed: it ends as failed, what the person wrote and a marker enter the history, and the person
//! is told. Messages that wait are worked on; answers that did not go out are handed over again.

use std::sync::Arc;

use chat::{
    Block, Command, ConversationKey, History, Message, Outbound, OutboundBody, Outcome, OutcomeKind, Role, TurnError,
    View, command::Parsed,
};
use jiff::ZonedDateTime;
use store::{
    Answered, FinishedTurn, InboxEnd, Ledger, Operation, Recovered, RecoveredTurn, StoredInbound, UnsentDelivery,
};
use tracing::{info, warn};

use crate::incoming::Incoming;
use crate::services::Ids;
use crate::wording;

/// What a conversation starts with.
pub(crate) struct Loaded {
    pub(crate) history: History,
    pub(crate) view: View,
    pub(crate) waiting: Vec<Incoming>,
    pub(crate) undelivered: Vec<Outbound>,
}

/// Reads a conversation, after all that was written for it so far, and ends what nobody works on any more.
pub(crate) async fn load(ledger: Ledger, key: ConversationKey) -> Result<Box<Loaded>, String> {
    ledger.flushed().await.map_err(|error| error.to_string())?;
    let (mut left, history, view) = read(&ledger, &key).await?;
    left.deliveries.iter_mut().for_each(mark_as_perhaps_shown);
    if left.turns.is_empty() {
        return Ok(Box::new(loaded(left, history, view, &ledger)));
    }
    for turn in left.turns {
        warn!(%key, turn = %turn.turn, attempts = turn.attempts, "a turn was interrupted; it ends as failed");
        end_interrupted(&ledger, &key, turn, &view).await?;
    }
    let marked = left.deliveries;
    let (mut left, history, view) = read(&ledger, &key).await?;
    // What was planned just now was never shown.
    left.deliveries.retain(|unsent| marked.iter().all(|marked| marked.outbound.id != unsent.outbound.id));
    left.deliveries.splice(0..0, marked);
    Ok(Box::new(loaded(left, history, view, &ledger)))
}

async fn read(ledger: &Ledger, key: &ConversationKey) -> Result<(Recovered, History, View), String> {
    let (reader, wanted) = (ledger.clone(), key.clone());
    let read = tokio::task::spawn_blocking(move || {
        let stored = reader.load(&wanted)?;
        let left = reader.left_open(&wanted)?;
        Ok::<_, store::ReadError>((left, stored))
    });
    let (left, stored) = read.await.map_err(|error| error.to_string())?.map_err(|error| error.to_string())?;
    let Some(stored) = stored else { return Ok((left, History::default(), View::default())) };
    let history =
        History::from_messages(stored.messages).map_err(|error| format!("its history is damaged: {error}"))?;
    Ok((left, history, stored.view))
}

fn loaded(left: Recovered, history: History, view: View, ledger: &Ledger) -> Loaded {
    if !left.waiting.is_empty() || !left.deliveries.is_empty() {
        info!(waiting = left.waiting.len(), undelivered = left.deliveries.len(), "taking up what was left open");
    }
    Loaded {
        history,
        view,
        waiting: left.waiting.into_iter().filter_map(|stored| incoming(stored, ledger)).collect(),
        undelivered: left.deliveries.into_iter().map(|unsent| unsent.outbound).collect(),
    }
}

/// A message that waits. One that intake answers is none: whether it did, or the process ended before, it must not reach a model.
fn incoming(stored: StoredInbound, ledger: &Ledger) -> Option<Incoming> {
    let command = match Command::parse(&stored.inbound.text) {
        Parsed::Text => None,
        Parsed::Command(command) => Some(command),
        Parsed::Unknown { .. } | Parsed::Reserved(_) => {
            // Intake may have ended it by now.
            ledger.write(Operation::EndInbox { inbox: stored.inbox, end: InboxEnd::Answered(Answered::Command) }, drop);
            return None;
        }
    };
    let StoredInbound { inbox, inbound, .. } = stored;
    Some(Incoming { inbox, inbound, command, at: ZonedDateTime::now(), is_recovered: true })
}

/// That an answer is out is written behind it, so one that was not yet known to be out may have been shown.
fn mark_as_perhaps_shown(unsent: &mut UnsentDelivery) {
    if let OutboundBody::TurnFinished { outcome, .. } = &mut unsent.outbound.body {
        outcome.text = wording::perhaps_repeated(chat::Language::English, &outcome.text);
    }
}

async fn end_interrupted(
    ledger: &Ledger,
    key: &ConversationKey,
    turn: RecoveredTurn,
    view: &View,
) -> Result<(), String> {
    let (_, history, _) = read(ledger, key).await?;
    let finished = interrupted(key, &turn, &history, view, ledger);
    ledger.written(Operation::FinishTurn(finished)).await.map(drop).map_err(|error| error.to_string())
}

fn interrupted(
    key: &ConversationKey,
    turn: &RecoveredTurn,
    history: &History,
    view: &View,
    ids: &dyn Ids,
) -> FinishedTurn {
    let language = turn.inbox.first().map(|row| row.inbound.person.language).unwrap_or_default();
    let error = TurnError { class: "interrupted".to_owned(), message: wording::interrupted(language) };
    let text = wording::turn_failed(language, &error);
    let outcome =
        Outcome { kind: OutcomeKind::Failed, text, steps: 0, usage: None, error: Some(error), files: Vec::new() };
    let texts: Vec<&str> = turn.inbox.iter().map(|row| row.inbound.text.as_str()).collect();
    let marker =
        Block::hidden("[This turn was interrupted: the program ended. What its tools did may have taken effect.]");
    let messages = if texts.is_empty() {
        Vec::new()
    } else {
        vec![Message::user(texts.join("\n\n")), Message { role: Role::Assistant, blocks: vec![marker] }]
    };
    let delivery = Outbound {
        id: ids.delivery(),
        key: key.clone(),
        reply_to: turn.inbox.first().map(|row| row.inbound.id.clone()),
        body: OutboundBody::TurnFinished { turn: turn.turn, outcome: outcome.clone() },
    };
    FinishedTurn {
        turn: turn.turn,
        key: key.clone(),
        outcome,
        first_seq: history.next_seq(),
        messages: messages.into_iter().map(Arc::new).collect(),
        view: view.clone(),
        ends: turn.inbox.iter().map(|row| (row.inbox, InboxEnd::Answered(Answered::ErrorTold))).collect(),
        deliveries: vec![delivery],
    }
}
