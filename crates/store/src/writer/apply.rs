//! One operation, in the statements of the tables. An error leaves half of it behind, which the caller rolls back.

use chat::{ConversationKey, DeliveryId, Inbound, InboxId, PartState, TurnId, View};
use rusqlite::Connection;

use crate::tables::inbox::{Ending, State};
use crate::tables::{access, conversations, deliveries, inbox, messages, parts, turn_events, turns};
use crate::{
    AccessChange, DeliveryState, FinishedTurn, InboxEnd, Operation, StoredEvent, SuspendedFor, WriteError, Written,
    test_point,
};

type Result<T = Written> = std::result::Result<T, WriteError>;

/// Does one operation inside the present transaction.
pub(super) fn apply(connection: &Connection, operation: &Operation, now: i64) -> Result {
    match operation {
        Operation::Accept(inbound) => accept(connection, inbound, now),
        Operation::EndInbox { inbox, end } => {
            let ending = Ending { inbox: *inbox, end, turn: None, conversation: None };
            end_one(connection, &ending, now).map(|()| Written::Done)
        }
        Operation::OpenTurn { turn, key, inbox } => open_turn(connection, *turn, key, inbox, now),
        Operation::Suspend { turn, wakes_at, reason } => suspend(connection, *turn, *wakes_at, *reason, now),
        Operation::StopTurn { turn, by } => stop_turn(connection, *turn, by.as_ref(), now),
        Operation::Record { turn, seq, event, sync: _ } => record(connection, *turn, *seq, event),
        Operation::FinishTurn(finished) => finish_turn(connection, finished, now),
        Operation::SetView { key, view, ends } => set_view(connection, key, view, ends, now),
        Operation::Delivery { id, state } => set_delivery(connection, *id, state, now),
        Operation::Replace { inbox, inbound, joined } => replace(connection, *inbox, inbound, joined, now),
        Operation::Plan(outbound) => {
            let conversation = conversations::id(connection, &outbound.key, now)?;
            done(deliveries::plan(connection, conversation, None, outbound, now))
        }
        Operation::Placeholder { turn, platform_id } => done(parts::show(connection, *turn, platform_id)),
        Operation::Parts { delivery, parts } => done(parts::plan(connection, *delivery, parts, now)),
        Operation::Part { delivery, part, state } => set_part(connection, *delivery, *part, state, now),
        Operation::Access(change) => done(change_access(connection, change, now)),
        Operation::Move { from, chat } => done(move_chat(connection, from, chat)),
    }
}

fn done(result: rusqlite::Result<()>) -> Result {
    Ok(result.map(|()| Written::Done)?)
}

fn replace(connection: &Connection, inbox: InboxId, inbound: &Inbound, joined: &[InboxId], now: i64) -> Result {
    if !inbox::say_instead(connection, inbox, inbound)? {
        return Err(not_waiting(connection, inbox)?);
    }
    for other in joined {
        if !inbox::join(connection, *other, inbox, now)? {
            return Err(not_waiting(connection, *other)?);
        }
    }
    Ok(Written::Done)
}

fn set_part(connection: &Connection, delivery: DeliveryId, part: u32, state: &PartState, now: i64) -> Result {
    let changed = match state {
        PartState::Sent(id) => parts::sent(connection, delivery, part, id, now)?,
        PartState::Planned => false,
        PartState::Sending => {
            deliveries::begin(connection, delivery, now)?;
            parts::sending(connection, delivery, part, now)?
        }
    };
    if changed {
        return Ok(Written::Done);
    }
    let what = format!("part {part} of delivery {delivery}");
    Err(match parts::state(connection, delivery, part)? {
        Some(state) => WriteError::Conflict { what, state },
        None => WriteError::Unknown { what },
    })
}

fn change_access(connection: &Connection, change: &AccessChange, now: i64) -> rusqlite::Result<()> {
    match change {
        AccessChange::Grant(grant) => access::grant(connection, grant, now),
        AccessChange::Chat(chat) => access::set_chat(connection, chat, now),
        AccessChange::Invite(invitation) => access::invite(connection, invitation, now),
        AccessChange::Withdraw { code } => access::withdraw(connection, code),
        AccessChange::Tally { channel, person } => access::tally(connection, channel, person, now),
    }
}

fn move_chat(connection: &Connection, from: &ConversationKey, chat: &str) -> rusqlite::Result<()> {
    for (conversation, key) in conversations::of_chat(connection, from)? {
        conversations::rename(connection, conversation, &ConversationKey { chat: chat.to_owned(), ..key })?;
        inbox::move_to(connection, conversation, chat)?;
        deliveries::move_to(connection, conversation, chat)?;
    }
    access::move_chat(connection, &from.channel, &from.chat, chat)
}

fn accept(connection: &Connection, inbound: &Inbound, now: i64) -> Result {
    if let Some(inbox) = inbox::find(connection, inbound)? {
        return Ok(Written::Accepted { inbox, fresh: false });
    }
    let conversation = conversations::id(connection, &inbound.key, now)?;
    let inbox = inbox::insert(connection, conversation, inbound, now)?;
    Ok(Written::Accepted { inbox, fresh: true })
}

fn open_turn(connection: &Connection, turn: TurnId, key: &ConversationKey, inbox: &[InboxId], now: i64) -> Result {
    let conversation = conversations::id(connection, key, now)?;
    let Some(attempts) = turns::open(connection, turn, conversation, now)? else {
        return Err(not_open(connection, turn, key, conversation)?);
    };
    inbox::resume(connection, conversation, turn)?;
    for inbox in inbox {
        if !inbox::start(connection, *inbox, turn, conversation, now)? {
            return Err(not_startable(connection, *inbox, key)?);
        }
    }
    Ok(Written::Opened { attempts })
}

fn suspend(connection: &Connection, turn: TurnId, wakes_at: i64, reason: SuspendedFor, now: i64) -> Result {
    let Some(conversation) = turns::suspend(connection, turn, wakes_at, reason, now)? else {
        return Err(WriteError::Unknown { what: format!("open turn {turn}") });
    };
    inbox::suspend(connection, conversation, turn)?;
    Ok(Written::Done)
}

/// A turn that has ended meanwhile needs no stop; the message that asked for it ends all the same.
fn stop_turn(connection: &Connection, turn: TurnId, by: Option<&(InboxId, InboxEnd)>, now: i64) -> Result {
    turns::ask_to_stop(connection, turn)?;
    if let Some((inbox, end)) = by {
        end_one(connection, &Ending { inbox: *inbox, end, turn: None, conversation: None }, now)?;
    }
    Ok(Written::Done)
}

fn record(connection: &Connection, turn: TurnId, seq: u32, event: &StoredEvent) -> Result {
    turn_events::append(connection, turn, seq, event)?;
    if seq == 0 {
        turn_events::forget_old(connection, turn)?;
    }
    Ok(Written::Done)
}

fn finish_turn(connection: &Connection, finished: &FinishedTurn, now: i64) -> Result {
    let FinishedTurn { turn, key, outcome, first_seq, messages, view, ends, deliveries } = finished;
    let conversation = conversations::set_view(connection, key, view, now)?;
    if !turns::finish(connection, *turn, conversation, outcome, now)? {
        return Err(not_open(connection, *turn, key, conversation)?);
    }
    let next = messages::next_seq(connection, conversation)?;
    if next != *first_seq {
        return Err(WriteError::Fenced { key: Box::new(key.clone()), next, given: *first_seq });
    }
    for (seq, message) in (next.0..).zip(messages) {
        messages::append(connection, conversation, seq, *turn, message)?;
    }
    test_point("final_transaction");
    for (inbox, end) in ends {
        let ending = Ending { inbox: *inbox, end, turn: Some(*turn), conversation: Some(conversation) };
        end_one(connection, &ending, now)?;
    }
    if let Some(inbox) = inbox::left_open(connection, conversation, *turn)? {
        return Err(WriteError::LeftOpen { turn: *turn, inbox });
    }
    for outbound in deliveries {
        deliveries::plan(connection, conversation, Some(*turn), outbound, now)?;
    }
    Ok(Written::Done)
}

fn set_view(
    connection: &Connection,
    key: &ConversationKey,
    view: &View,
    ends: &[(InboxId, InboxEnd)],
    now: i64,
) -> Result {
    let conversation = conversations::set_view(connection, key, view, now)?;
    for (inbox, end) in ends {
        let ending = Ending { inbox: *inbox, end, turn: None, conversation: Some(conversation) };
        end_one(connection, &ending, now)?;
    }
    Ok(Written::Done)
}

fn set_delivery(connection: &Connection, id: DeliveryId, state: &DeliveryState, now: i64) -> Result {
    if let DeliveryState::Sent { .. } = state
        && let Some(part) = parts::first_unsent(connection, id)?
    {
        return Err(WriteError::Conflict {
            what: format!("part {part} of delivery {id}"),
            state: "not sent".to_owned(),
        });
    }
    if deliveries::set_state(connection, id, state, now)? {
        return Ok(Written::Done);
    }
    let what = format!("delivery {id}");
    match deliveries::state(connection, id)? {
        None => Err(WriteError::Unknown { what }),
        Some(present) if present == state.name() => Ok(Written::Done),
        Some(state) => Err(WriteError::Conflict { what, state }),
    }
}

fn end_one(connection: &Connection, ending: &Ending<'_>, now: i64) -> Result<()> {
    if inbox::end(connection, ending, now)? {
        return Ok(());
    }
    let what = message(ending.inbox);
    match inbox::state(connection, ending.inbox)? {
        Some(present) if present.is(ending) => Ok(()),
        Some(State { state, reason: Some(_), .. }) => Err(WriteError::Conflict { what, state }),
        _ => Err(WriteError::Unknown { what }),
    }
}

/// Why a turn cannot go on.
fn not_open(connection: &Connection, turn: TurnId, key: &ConversationKey, conversation: i64) -> Result<WriteError> {
    Ok(match turns::find(connection, turn)? {
        Some((of, state)) if of == conversation => WriteError::Conflict { what: format!("turn {turn}"), state },
        _ => WriteError::Unknown { what: format!("turn {turn} of {key}") },
    })
}

/// Why a message cannot be changed.
fn not_waiting(connection: &Connection, inbox: InboxId) -> Result<WriteError> {
    let what = message(inbox);
    Ok(match inbox::state(connection, inbox)? {
        Some(State { state, .. }) => WriteError::Conflict { what, state },
        None => WriteError::Unknown { what },
    })
}

/// Why a message cannot run in a turn.
fn not_startable(connection: &Connection, inbox: InboxId, key: &ConversationKey) -> Result<WriteError> {
    let what = message(inbox);
    Ok(match inbox::state(connection, inbox)? {
        Some(State { state, turn: Some(turn), .. }) if state == "running" || state == "suspended" => {
            WriteError::Conflict { what, state: format!("{state} in turn {turn}") }
        }
        Some(State { state, reason: Some(_), .. }) => WriteError::Conflict { what, state },
        _ => WriteError::Unknown { what: format!("{what} in {key}") },
    })
}

fn message(inbox: InboxId) -> String {
    format!("message {inbox} of the inbox")
}
