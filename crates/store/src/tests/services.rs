//! What chat services need of the ledger: edits, parts, who may talk.

use chat::PartState;
use tempfile::tempdir;

use super::*;
use crate::{AccessChange, ChatAccess, DeliveryState, Grant, Invitation};

fn part(delivery: DeliveryId, part: u32, state: PartState) -> Operation {
    Operation::Part { delivery, part, state }
}

/// A turn's answer that is to be delivered.
fn delivery(ledger: &Ledger) -> DeliveryId {
    answer(ledger, "a", "1");
    ledger.recover().expect("it can be read").deliveries[0].outbound.id
}

fn sound(ledger: &Ledger) {
    assert_eq!(ledger.verify().expect("it can be read").findings, vec![]);
}

#[test]
fn an_edit_is_a_message_of_its_own_and_taken_once() {
    let folder = tempdir().expect("there is room");
    let ledger = open(folder.path());
    let first = accept(&ledger, "a", "1");
    let edit = Inbound { edit: Some(17), text: "two?".into(), ..inbound("a", "1") };

    let once = write(&ledger, Operation::Accept(edit.clone())).expect("the disk takes it");
    let twice = write(&ledger, Operation::Accept(edit)).expect("the disk takes it");

    let Written::Accepted { inbox, fresh: true } = once else { panic!("{once:?}") };
    assert_ne!(inbox, first);
    assert_eq!(twice, Written::Accepted { inbox, fresh: false });
}

#[test]
fn what_a_waiting_message_says_is_replaced_together_with_the_end_of_its_edit() {
    let folder = tempdir().expect("there is room");
    let ledger = open(folder.path());
    let (first, other) = (accept(&ledger, "a", "1"), accept(&ledger, "a", "2"));
    let changed = Inbound { text: "both".into(), ..inbound("a", "1") };

    let replace = Operation::Replace { inbox: first, inbound: changed.clone(), joined: vec![other] };
    write(&ledger, replace).expect("both wait");

    let waiting = ledger.left_open(&key("a")).expect("it can be read").waiting;
    assert_eq!((waiting.len(), &waiting[0].inbound), (1, &changed));
    sound(&ledger);
}

#[test]
fn what_runs_already_is_not_replaced_and_nothing_ends_with_it() {
    let folder = tempdir().expect("there is room");
    let ledger = open(folder.path());
    let (first, _) = accept_and_open(&ledger, "a", "1");
    let other = accept(&ledger, "a", "2");

    let replace = Operation::Replace { inbox: first, inbound: inbound("a", "1"), joined: vec![other] };
    let result = write(&ledger, replace);

    assert!(matches!(result, Err(WriteError::Conflict { .. })), "{result:?}");
    assert_eq!(ledger.left_open(&key("a")).expect("it can be read").waiting[0].inbox, other);
}

#[test]
fn a_delivery_does_not_count_as_sent_before_its_last_part() {
    let folder = tempdir().expect("there is room");
    let ledger = open(folder.path());
    let id = delivery(&ledger);
    let sent = Operation::Delivery { id, state: DeliveryState::Sent { platform_id: None } };
    write(&ledger, Operation::Parts { delivery: id, parts: vec!["one".into(), "two".into()] }).expect("it is planned");
    write(&ledger, part(id, 0, PartState::Sending)).expect("it is planned");
    write(&ledger, part(id, 0, PartState::Sent("77".into()))).expect("it was being sent");

    let early = write(&ledger, sent.clone());
    write(&ledger, part(id, 1, PartState::Sent("78".into()))).expect("it is there");
    write(&ledger, sent).expect("all parts are out");

    assert!(matches!(early, Err(WriteError::Conflict { .. })), "{early:?}");
    sound(&ledger);
}

#[test]
fn an_open_delivery_comes_back_with_its_parts_and_placeholder() {
    let folder = tempdir().expect("there is room");
    let ledger = open(folder.path());
    let id = delivery(&ledger);
    let turn = TurnId(1);
    write(&ledger, Operation::Placeholder { turn, platform_id: "55".into() }).expect("the turn is there");
    write(&ledger, Operation::Parts { delivery: id, parts: vec!["one".into(), "two".into()] }).expect("it is planned");
    write(&ledger, part(id, 0, PartState::Sent("77".into()))).expect("it is there");
    write(&ledger, part(id, 1, PartState::Sending)).expect("it is there");
    drop(ledger);

    let open = open(folder.path()).open_deliveries(&key("a").channel).expect("it can be read");

    let states: Vec<_> = open[0].parts.iter().map(|part| part.state.clone()).collect();
    assert_eq!((open.len(), open[0].placeholder.as_deref()), (1, Some("55")));
    assert_eq!(states, [PartState::Sent("77".into()), PartState::Sending]);
}

#[test]
fn rendering_anew_keeps_what_is_out_and_forgets_what_is_not_wanted_any_more() {
    let folder = tempdir().expect("there is room");
    let ledger = open(folder.path());
    let id = delivery(&ledger);
    write(&ledger, Operation::Parts { delivery: id, parts: ["a", "b", "c"].map(String::from).to_vec() }).expect("new");
    write(&ledger, part(id, 0, PartState::Sent("1".into()))).expect("it is there");

    write(&ledger, Operation::Parts { delivery: id, parts: ["x", "y"].map(String::from).to_vec() }).expect("again");

    let parts = ledger.open_deliveries(&key("a").channel).expect("it can be read").remove(0).parts;
    let payloads: Vec<_> = parts.iter().map(|part| part.payload.as_str()).collect();
    assert_eq!(payloads, ["a", "y"]);
}

#[test]
fn who_was_let_in_is_known_to_the_next_process_and_their_code_is_used_up() {
    let folder = tempdir().expect("there is room");
    let ledger = open(folder.path());
    let invitation =
        Invitation { code: "CODE".into(), person: "9".into(), name: "Ada".into(), private: key("a"), expires: 1 << 60 };
    let channel = key("a").channel;
    let grant = Grant {
        channel: channel.clone(),
        person: "9".into(),
        role: PersonRole::Trusted,
        name: "Ada".into(),
        private: Some(key("a")),
    };
    let chat = ChatAccess { channel: channel.clone(), chat: "-5".into(), enabled: true, cap: PersonRole::Guest };

    write(&ledger, Operation::Access(AccessChange::Invite(invitation))).expect("the disk takes it");
    write(&ledger, Operation::Access(AccessChange::Grant(grant.clone()))).expect("the disk takes it");
    write(&ledger, Operation::Access(AccessChange::Chat(chat.clone()))).expect("the disk takes it");
    drop(ledger);

    let access = super::open(folder.path()).access().expect("it can be read");
    assert_eq!((access.grants, access.chats, access.invitations), (vec![grant], vec![chat], vec![]));
}

#[test]
fn of_a_stranger_a_number_is_kept_and_no_word() {
    let folder = tempdir().expect("there is room");
    let ledger = open(folder.path());
    let tally = || AccessChange::Tally { channel: key("a").channel, person: "9".into() };

    write(&ledger, Operation::Access(tally())).expect("the disk takes it");
    write(&ledger, Operation::Access(tally())).expect("the disk takes it");

    assert_eq!(ledger.tallied(&key("a").channel).expect("it can be read"), 2);
    assert_eq!(look::<i64>(folder.path(), "SELECT count(*) FROM inbox"), [0]);
    sound(&ledger);
}

#[test]
fn a_chat_that_moved_goes_on_with_its_history_and_its_open_work() {
    let folder = tempdir().expect("there is room");
    let ledger = open(folder.path());
    answer(&ledger, "a", "1");
    accept(&ledger, "a", "2");
    accept(&ledger, "b", "3");

    write(&ledger, Operation::Move { from: key("a"), chat: "z".into() }).expect("the disk takes it");

    assert_eq!(ledger.load(&key("z")).expect("it can be read").expect("it is there").messages.len(), 2);
    assert_eq!(ledger.load(&key("a")).expect("it can be read"), None);
    let left = ledger.left_open(&key("z")).expect("it can be read");
    assert_eq!((&left.waiting[0].inbound.key, &left.deliveries[0].outbound.key), (&key("z"), &key("z")));
    assert_eq!(ledger.left_open(&key("b")).expect("it can be read").waiting.len(), 1);
    sound(&ledger);
}
