use std::thread;

use chat::{DeliveryId, InboxId, Outcome, TurnId, View};
use rusqlite::Connection;
use tempfile::tempdir;

use super::*;
use crate::{Cancelled, DeliveryState, Refused};

#[test]
fn a_message_that_comes_twice_is_accepted_once() {
    let folder = tempdir().expect("there is room");
    let ledger = open(folder.path());

    let first = write(&ledger, Operation::Accept(inbound("a", "1"))).expect("the disk takes it");
    let again = write(&ledger, Operation::Accept(inbound("a", "1"))).expect("the disk takes it");
    let elsewhere = write(&ledger, Operation::Accept(inbound("b", "1"))).expect("the disk takes it");

    assert_eq!(first, Written::Accepted { inbox: InboxId(1), fresh: true });
    assert_eq!(again, Written::Accepted { inbox: InboxId(1), fresh: false });
    assert_eq!(elsewhere, Written::Accepted { inbox: InboxId(2), fresh: true });
}

#[test]
fn sixty_four_writers_share_transactions() {
    let folder = tempdir().expect("there is room");
    let ledger = open(folder.path());
    let other = Connection::open(folder.path().join("ledger.db")).expect("it is there");
    other.execute_batch("BEGIN IMMEDIATE").expect("nobody writes yet");
    let (sender, receiver) = mpsc::channel();

    let writers = (0..64).map(|number| {
        let (ledger, sender) = (ledger.clone(), sender.clone());
        thread::spawn(move || {
            let operation = Operation::Accept(inbound("a", &number.to_string()));
            ledger.write(operation, move |result| sender.send(result).expect("the test waits for it"));
        })
    });
    writers.collect::<Vec<_>>().into_iter().for_each(|writer| writer.join().expect("it does not panic"));
    assert_eq!(ledger.queued(), 64);
    other.execute_batch("ROLLBACK").expect("it was begun");
    let results: Vec<_> = receiver.iter().take(64).collect();

    assert!(results.iter().all(|result| matches!(result, Ok(Written::Accepted { fresh: true, .. }))));
    assert_eq!(ledger.queued(), 0);
    let groups: Vec<i64> = look(folder.path(), "SELECT value FROM meta WHERE name = 'groups'");
    assert!(groups[0] <= 2, "what waits behind the first group goes into the second, but there were {}", groups[0]);
}

#[test]
fn an_operation_that_fails_does_not_harm_its_neighbours() {
    let folder = tempdir().expect("there is room");
    let ledger = open(folder.path());
    let other = Connection::open(folder.path().join("ledger.db")).expect("it is there");
    other.execute_batch("BEGIN IMMEDIATE").expect("nobody writes yet");
    let (sender, receiver) = mpsc::channel();

    let half_bad = Operation::SetView {
        key: key("b"),
        view: View { first: Seq(4), ..View::default() },
        ends: vec![(InboxId(9), InboxEnd::Refused(Refused::QueueFull))],
    };
    for operation in [Operation::Accept(inbound("a", "1")), half_bad, Operation::Accept(inbound("a", "2"))] {
        let sender = sender.clone();
        ledger.write(operation, move |result| sender.send(result).expect("the test waits for it"));
    }
    other.execute_batch("ROLLBACK").expect("it was begun");
    let results: Vec<_> = receiver.iter().take(3).collect();

    assert!(matches!(results[0], Ok(Written::Accepted { fresh: true, .. })));
    assert!(matches!(results[1], Err(WriteError::Unknown { .. })));
    assert!(matches!(results[2], Ok(Written::Accepted { fresh: true, .. })));
    assert_eq!(ledger.load(&key("b")).expect("it can be read"), None, "nothing of the failed operation is left");
}

#[test]
fn a_finished_turn_is_there_whole() {
    let folder = tempdir().expect("there is room");
    let ledger = open(folder.path());
    let (inbox, turn) = accept_and_open(&ledger, "a", "1");
    let mut end = finished(turn, "a", 0, &[inbox]);
    end.view = View { first: Seq(2), ..View::default() };
    end.deliveries = vec![outbound(ledger.next_delivery_id(), "a", turn)];

    let written = write(&ledger, Operation::FinishTurn(end.clone())).expect("the turn is open");

    let stored = ledger.load(&key("a")).expect("it can be read").expect("it is there");
    let recovered = ledger.recover().expect("it can be read");
    assert_eq!(written, Written::Done);
    assert_eq!((stored.messages, stored.view), (end.messages, end.view));
    assert_eq!(recovered.deliveries.len(), 1);
    assert_eq!(recovered.deliveries[0].outbound, end.deliveries[0]);
    assert_eq!((recovered.turns, recovered.waiting), (vec![], vec![]));
    assert_eq!(ledger.verify().expect("it can be read").findings, vec![]);
}

#[test]
fn messages_that_do_not_follow_the_last_one_are_fenced_off() {
    let folder = tempdir().expect("there is room");
    let ledger = open(folder.path());
    answer(&ledger, "a", "1");
    let (inbox, turn) = accept_and_open(&ledger, "a", "2");

    let behind = write(&ledger, Operation::FinishTurn(finished(turn, "a", 0, &[inbox])));
    let ahead = write(&ledger, Operation::FinishTurn(finished(turn, "a", 4, &[inbox])));
    let just_right = write(&ledger, Operation::FinishTurn(finished(turn, "a", 2, &[inbox])));

    assert!(matches!(behind, Err(WriteError::Fenced { next: Seq(2), given: Seq(0), .. })));
    assert!(matches!(ahead, Err(WriteError::Fenced { next: Seq(2), given: Seq(4), .. })));
    assert_eq!(just_right.expect("it follows"), Written::Done);
}

#[test]
fn a_turn_ends_once_and_in_its_own_conversation() {
    let folder = tempdir().expect("there is room");
    let ledger = open(folder.path());
    let (inbox, turn) = accept_and_open(&ledger, "a", "1");

    let elsewhere = write(&ledger, Operation::FinishTurn(finished(turn, "b", 0, &[])));
    let never_opened = write(&ledger, Operation::FinishTurn(finished(TurnId(9), "a", 0, &[])));
    let first = write(&ledger, Operation::FinishTurn(finished(turn, "a", 0, &[inbox])));
    let second = write(&ledger, Operation::FinishTurn(finished(turn, "a", 2, &[inbox])));
    let reopened = write(&ledger, open_turn(turn, "a", &[]));

    assert!(matches!(elsewhere, Err(WriteError::Unknown { .. })));
    assert!(matches!(never_opened, Err(WriteError::Unknown { .. })));
    assert!(first.is_ok());
    assert!(matches!(second, Err(WriteError::Conflict { .. })));
    assert!(matches!(reopened, Err(WriteError::Conflict { .. })));
}

#[test]
fn a_turn_cannot_end_and_leave_its_message_open() {
    let folder = tempdir().expect("there is room");
    let ledger = open(folder.path());
    let (inbox, turn) = accept_and_open(&ledger, "a", "1");

    let forgetful = write(&ledger, Operation::FinishTurn(finished(turn, "a", 0, &[])));

    assert!(matches!(forgetful, Err(WriteError::LeftOpen { inbox: left, .. }) if left == inbox));
    assert_eq!(ledger.load(&key("a")).expect("it can be read").expect("it is there").messages, vec![]);
}

#[test]
fn a_turn_that_is_opened_again_counts_its_attempts() {
    let folder = tempdir().expect("there is room");
    let ledger = open(folder.path());
    let inbox = accept(&ledger, "a", "1");
    let turn = ledger.next_turn_id();

    let attempts = [1, 2, 3].map(|_| write(&ledger, open_turn(turn, "a", &[inbox])).expect("it is open"));

    assert_eq!(attempts, [1, 2, 3].map(|attempts| Written::Opened { attempts }));
}

#[test]
fn a_message_runs_in_one_turn_only_and_only_in_its_conversation() {
    let folder = tempdir().expect("there is room");
    let ledger = open(folder.path());
    let (inbox, _) = accept_and_open(&ledger, "a", "1");
    let waiting = accept(&ledger, "a", "2");
    let turn = ledger.next_turn_id();

    let taken = write(&ledger, open_turn(turn, "a", &[inbox]));
    let foreign = write(&ledger, open_turn(turn, "b", &[waiting]));

    assert!(matches!(taken, Err(WriteError::Conflict { state, .. }) if state == "running in turn 1"));
    assert!(matches!(foreign, Err(WriteError::Unknown { .. })));
}

#[test]
fn a_message_has_one_end() {
    let folder = tempdir().expect("there is room");
    let ledger = open(folder.path());
    let inbox = accept(&ledger, "a", "1");
    let stop = || Operation::EndInbox { inbox, end: InboxEnd::Cancelled(Cancelled::Stop) };

    let first = write(&ledger, stop());
    let same = write(&ledger, stop());
    let other = write(&ledger, Operation::EndInbox { inbox, end: InboxEnd::Cancelled(Cancelled::New) });
    let restarted = write(&ledger, open_turn(ledger.next_turn_id(), "a", &[inbox]));

    assert!(first.is_ok() && same.is_ok());
    assert!(matches!(other, Err(WriteError::Conflict { .. })));
    assert!(matches!(restarted, Err(WriteError::Conflict { .. })));
}

#[test]
fn joined_and_steered_messages_end_with_the_turn_that_took_them() {
    let folder = tempdir().expect("there is room");
    let ledger = open(folder.path());
    let (inbox, turn) = accept_and_open(&ledger, "a", "1");
    let (joined, steered) = (accept(&ledger, "a", "2"), accept(&ledger, "a", "3"));
    let mut end = finished(turn, "a", 0, &[inbox]);
    end.ends.push((joined, InboxEnd::Answered(Answered::Joined(inbox))));
    end.ends.push((steered, InboxEnd::Answered(Answered::Steered(turn))));

    write(&ledger, Operation::FinishTurn(end)).expect("all of them are open");

    let reasons: Vec<String> = look(folder.path(), "SELECT reason || turn FROM inbox ORDER BY id");
    assert_eq!(reasons, ["reply1", "joined1", "steered1"]);
    assert_eq!(ledger.verify().expect("it can be read").findings, vec![]);
}

#[test]
fn a_reference_to_nothing_is_rejected() {
    let folder = tempdir().expect("there is room");
    let ledger = open(folder.path());
    let inbox = accept(&ledger, "a", "1");
    let end = InboxEnd::Answered(Answered::Joined(InboxId(99)));

    let result = write(&ledger, Operation::EndInbox { inbox, end });

    assert!(matches!(result, Err(WriteError::Rejected(_))));
    assert!(ledger.is_healthy(), "an operation that is wrong says nothing about the disk");
}

#[test]
fn a_delivery_goes_from_planned_to_sent_and_stays_there() {
    let folder = tempdir().expect("there is room");
    let ledger = open(folder.path());
    answer(&ledger, "a", "1");
    let set = |state| write(&ledger, Operation::Delivery { id: DeliveryId(1), state });
    let sent = || DeliveryState::Sent { platform_id: Some("m5".into()) };

    set(DeliveryState::Sending).expect("it is planned");
    let sending = ledger.recover().expect("it can be read").deliveries;
    set(DeliveryState::Sending).expect("it may be tried again");
    set(sent()).expect("it was being sent");
    set(sent()).expect("being told twice changes nothing");
    let too_late = set(DeliveryState::Failed { reason: "gone".into() });
    let unknown = write(&ledger, Operation::Delivery { id: DeliveryId(2), state: DeliveryState::Sending });

    assert!(sending[0].was_sending && sending[0].attempts == 1);
    assert!(matches!(too_late, Err(WriteError::Conflict { .. })));
    assert!(matches!(unknown, Err(WriteError::Unknown { .. })));
    assert_eq!(ledger.recover().expect("it can be read").deliveries, vec![]);
    assert_eq!(look::<i64>(folder.path(), "SELECT attempts FROM deliveries"), [2]);
}

#[test]
fn what_is_handed_in_is_on_disk_when_the_last_handle_is_gone() {
    let folder = tempdir().expect("there is room");
    let ledger = open(folder.path());

    for number in 0..500 {
        ledger.write(Operation::Accept(inbound("a", &number.to_string())), |_| {});
    }
    drop(ledger);

    assert_eq!(look::<i64>(folder.path(), "SELECT count(*) FROM inbox"), [500]);
}

#[tokio::test]
async fn after_a_flush_a_read_sees_what_was_handed_in_before() {
    let folder = tempdir().expect("there is room");
    let ledger = open(folder.path());
    for number in 0..500 {
        ledger.write(Operation::Accept(inbound("a", &number.to_string())), |_| {});
    }

    ledger.flushed().await.expect("it is open");

    assert_eq!(ledger.recover().expect("it can be read").waiting.len(), 500);
    let other = ledger.clone();
    ledger.close().await;
    assert!(matches!(other.flushed().await, Err(WriteError::Closed)));
}

#[test]
fn a_callback_may_panic_or_drop_the_last_handle() {
    let folder = tempdir().expect("there is room");
    let ledger = open(folder.path());
    let (sender, receiver) = mpsc::channel();

    ledger.write(Operation::Accept(inbound("a", "1")), |_| panic!("this panic belongs to the test"));
    let last = ledger.clone();
    ledger.write(Operation::Accept(inbound("a", "2")), move |result| {
        drop(last);
        sender.send(result).expect("the test waits for it");
    });
    drop(ledger);

    assert!(receiver.recv().expect("it is answered").is_ok());
}

#[tokio::test]
async fn after_closing_writes_are_answered_with_closed() {
    let folder = tempdir().expect("there is room");
    let ledger = open(folder.path());
    let other = ledger.clone();
    let before = ledger.written(Operation::Accept(inbound("a", "1"))).await;

    ledger.close().await;
    let after = other.written(Operation::Accept(inbound("a", "2"))).await;

    assert!(before.is_ok());
    assert!(matches!(after, Err(WriteError::Closed)));
    assert!(!other.is_healthy());
    assert_eq!(other.queued(), 0);
    assert_eq!(files(folder.path()).len(), 1, "the log is folded into the database");
    open(folder.path());
}

#[tokio::test(start_paused = true)]
async fn inline_writes_do_not_let_paused_time_run_on() {
    let folder = tempdir().expect("there is room");
    let ledger = Ledger::open(folder.path(), WriterMode::Inline, &Settings::default()).expect("the folder is new");
    let timer = tokio::spawn(tokio::time::sleep(std::time::Duration::from_millis(1)));
    let start = tokio::time::Instant::now();

    let result = ledger.written(Operation::Accept(inbound("a", "1"))).await;
    ledger.close().await;

    assert!(result.is_ok());
    assert_eq!(start.elapsed(), std::time::Duration::ZERO);
    timer.await.expect("it does not panic");
}

#[test]
fn an_outcome_and_text_of_any_kind_come_back() {
    let folder = tempdir().expect("there is room");
    let ledger = open(folder.path());
    let (inbox, turn) = accept_and_open(&ledger, "a/%2F 好", "1");
    let text = "NUL \0, quotes '\", 好, \u{10FFFF}";
    let mut end = finished(turn, "a/%2F 好", 0, &[inbox]);
    end.outcome = Outcome { text: text.into(), ..outcome() };
    end.messages = vec![Arc::new(Message::user(text)), Arc::new(Message::assistant("x".repeat(3_000_000)))];

    write(&ledger, Operation::FinishTurn(end.clone())).expect("the turn is open");

    let stored = ledger.load(&key("a/%2F 好")).expect("it can be read").expect("it is there");
    assert_eq!(stored.messages, end.messages);
    assert_eq!(look::<String>(folder.path(), "SELECT text FROM messages WHERE seq = 0"), [text]);
}
