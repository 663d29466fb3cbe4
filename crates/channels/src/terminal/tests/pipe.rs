use chat::{OutcomeKind, Progress, Receipt, WhenBusy};
use serde_json::Value;
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};

use super::desk::{Desk, Setup, key};
use crate::terminal::{Exit, Mode, Output};

#[tokio::test]
async fn every_line_is_a_message_that_waits_for_its_own_turn() {
    let mut desk = Desk::with_lines("one\n\n  \ntwo", Output::Plain).await;

    let one = desk.arrival().await;
    let two = desk.arrival().await;
    desk.answer(&one, "first");
    desk.answer(&two, "second");

    assert_eq!((one.text.as_str(), two.text.as_str()), ("one", "two"));
    assert_eq!((one.when_busy, two.when_busy), (WhenBusy::Queue, WhenBusy::Queue));
    assert_ne!(one.id, two.id);
    assert_eq!(desk.exit().await, Exit::Done);
    assert_eq!(desk.out.so_far(), "first\nsecond\n");
}

#[tokio::test]
async fn an_answer_is_acknowledged_when_it_is_written() {
    let mut desk = Desk::with_lines("one", Output::Plain).await;

    let one = desk.arrival().await;
    let delivery = desk.answer(&one, "first");

    assert!(matches!(desk.receipt().await, Receipt::Sent(id) if id == delivery));
    assert_eq!(desk.out.so_far(), "first\n");
}

/// Gives a line a read, and tells of each.
struct LineByLine(UnboundedSender<&'static str>);

impl std::io::Read for LineByLine {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let _ = self.0.send("read");
        buffer[..2].copy_from_slice(b"x\n");
        Ok(2)
    }
}

#[tokio::test]
async fn the_line_after_twenty_is_only_read_when_a_turn_has_ended() {
    let (events, mut happened) = unbounded_channel();
    let mut desk = Desk::set_up(Setup::pipe(LineByLine(events.clone()))).await;

    desk.terminal.start();
    let first = desk.arrival().await;
    for _ in 1..20 {
        desk.arrival().await;
    }
    events.send("ended").unwrap();
    desk.answer(&first, "done");
    desk.arrival().await;

    drop(desk);
    let mut reads_before_the_end = 0;
    while happened.recv().await == Some("read") {
        reads_before_the_end += 1;
    }
    assert_eq!(reads_before_the_end, 20);
}

#[tokio::test]
async fn a_command_reaches_a_turn_that_runs() {
    let mut desk = Desk::with_lines("one\n/stop\n", Output::Plain).await;

    let one = desk.arrival().await;
    desk.begin("one");
    let stop = desk.arrival().await;
    desk.answer_command(&stop, "Stopping.");
    desk.end(&one, OutcomeKind::Stopped, "Stopped.");

    assert_eq!(stop.text, "/stop");
    assert_eq!(desk.exit().await, Exit::Done);
    assert_eq!(desk.out.so_far(), "Stopping.\nStopped.\n");
}

#[tokio::test]
async fn a_failed_turn_is_told_by_the_exit_and_the_pipe_goes_on() {
    let mut desk = Desk::with_lines("one\ntwo\n", Output::Plain).await;

    let one = desk.arrival().await;
    let two = desk.arrival().await;
    desk.begin("one");
    desk.end(&one, OutcomeKind::Failed, "The key is wrong.");
    desk.answer(&two, "second");

    assert_eq!(desk.exit().await, Exit::TurnFailed);
    assert_eq!(desk.out.so_far(), "The key is wrong.\nsecond\n");
}

#[tokio::test]
async fn a_line_over_the_limit_is_refused_and_the_pipe_goes_on() {
    let lines = format!("{}\nshort\n", "x".repeat(5 << 20));
    let mut desk = Desk::with_lines(&lines, Output::Plain).await;

    let short = desk.arrival().await;
    desk.answer(&short, "yes");

    assert_eq!(short.text, "short");
    assert_eq!(desk.exit().await, Exit::TurnFailed);
    assert_eq!(desk.err.so_far(), "A line is longer than 1 MiB; it was not taken.\n");
}

#[tokio::test]
async fn lines_over_the_limit_do_not_use_up_what_may_be_read_ahead() {
    let lines = format!("{}\n", "x".repeat((1 << 20) + 1)).repeat(25) + "short\n";
    let mut desk = Desk::with_lines(&lines, Output::Plain).await;

    assert_eq!(desk.arrival().await.text, "short");
}

#[tokio::test]
async fn a_line_that_is_no_text_is_mended_with_a_notice() {
    let mut desk = Desk::with_lines("a\0b\n", Output::Json).await;

    let inbound = desk.arrival().await;

    assert_eq!(inbound.text, "a\u{fffd}b");
    let notice: Value = serde_json::from_str(desk.out.until("\n").await).unwrap();
    assert_eq!((notice["type"].as_str(), notice.get("turn")), (Some("notice"), None));
}

#[tokio::test]
async fn a_refused_message_is_done_with_and_counts_as_lost() {
    let mut desk = Desk::with_lines("one\n", Output::Plain).await;

    let one = desk.arrival().await;
    desk.refuse(&one, "Too many.");

    assert_eq!(desk.exit().await, Exit::TurnFailed);
    assert_eq!(desk.err.so_far(), "Too many.\n");
}

#[tokio::test]
async fn a_single_message_is_one_turn_and_the_input_is_not_read() {
    let (events, mut happened) = unbounded_channel();
    let mode = Mode::Once("hi".into());
    let mut desk = Desk::set_up(Setup { mode, ..Setup::pipe(LineByLine(events)) }).await;

    desk.terminal.start();
    let inbound = desk.arrival().await;
    desk.answer(&inbound, "hello");

    assert_eq!(inbound.text, "hi");
    assert_eq!(desk.exit().await, Exit::Done);
    drop(desk);
    assert_eq!(happened.recv().await, None);
}

#[tokio::test]
async fn nothing_is_read_before_it_is_started() {
    let (events, mut happened) = unbounded_channel();
    let desk = Desk::set_up(Setup::pipe(LineByLine(events))).await;

    desk.terminal.stop().await;

    assert_eq!(happened.recv().await, None);
}

#[tokio::test]
async fn turns_are_told_as_events() {
    let mut desk = Desk::with_lines("one\n", Output::Json).await;

    let one = desk.arrival().await;
    let turn = desk.begin("one");
    for piece in ["a", "b", "c"] {
        desk.progress(turn, Progress::TextDelta { step: 1, text: piece.into() });
    }
    desk.end(&one, OutcomeKind::Answered, "abc");

    assert_eq!(desk.exit().await, Exit::Done);
    let objects: Vec<Value> = desk.out.so_far().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let types: Vec<&str> = objects.iter().filter_map(|object| object["type"].as_str()).collect();
    assert_eq!(types, ["turn_started", "step_started", "text_delta", "text_delta", "turn_finished"]);
    assert_eq!(objects[3]["text"], "bc");
}

#[tokio::test]
async fn a_turn_of_an_earlier_run_is_shown_and_acknowledged_and_not_counted() {
    let mut desk = Desk::with_lines("", Output::Json).await;
    assert_eq!(desk.exit().await, Exit::Done);

    let late = desk.end_turn(chat::TurnId(3), Some(chat::MessageId("before".into())), OutcomeKind::Failed, "late");

    assert!(matches!(desk.receipt().await, Receipt::Sent(id) if id == late));
    assert_eq!(desk.out.so_far(), "{\"type\":\"notice\",\"text\":\"late\"}\n");
}

#[tokio::test]
async fn what_belongs_to_another_conversation_is_left_to_it() {
    let mut desk = Desk::with_lines("one\n", Output::Plain).await;
    let one = desk.arrival().await;

    let body = chat::OutboundBody::Notice { text: "not here".into() };
    let elsewhere = chat::Outbound { id: chat::DeliveryId(1), key: key("other"), reply_to: None, body };
    desk.tell(chat::ToChannel::Deliver(elsewhere));
    let here = desk.answer(&one, "here");

    assert!(matches!(desk.receipt().await, Receipt::Sent(id) if id == here));
    assert_eq!((desk.out.so_far(), desk.err.so_far()), ("here\n", ""));
}
