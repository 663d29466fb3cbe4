use std::io::Write;

use chat::{OutcomeKind, Progress, WhenBusy};

use super::desk::Desk;
use crate::terminal::Exit;

#[tokio::test]
async fn there_is_no_prompt_while_a_turn_runs() {
    let (mut desk, mut keyboard) = Desk::with_person().await;

    desk.out.until("> ").await;
    keyboard.write_all(b"hi\n").unwrap();
    let hi = desk.arrival().await;
    let turn = desk.begin("hi");
    desk.progress(turn, Progress::TextDelta { step: 1, text: "hello".into() });
    desk.end(&hi, OutcomeKind::Answered, "hello");

    assert_eq!(desk.out.until("\n\n> ").await, "> hello\n\n> ");
}

#[tokio::test]
async fn what_is_typed_while_a_turn_runs_is_added_to_it() {
    let (mut desk, mut keyboard) = Desk::with_person().await;

    keyboard.write_all(b"hi\n").unwrap();
    let hi = desk.arrival().await;
    let turn = desk.begin("hi");
    keyboard.write_all(b"and more\n").unwrap();
    let more = desk.arrival().await;
    desk.join(&more, turn);
    desk.end(&hi, OutcomeKind::Answered, "both");

    assert_eq!((more.text.as_str(), more.when_busy), ("and more", WhenBusy::Add));
    assert_eq!(desk.out.until("\n\n> ").await, "> (added to the running turn)\nboth\n\n> ");
}

#[tokio::test]
async fn an_interrupt_stops_the_turn() {
    let (mut desk, mut keyboard) = Desk::with_person().await;
    keyboard.write_all(b"hi\n").unwrap();
    let hi = desk.arrival().await;
    desk.begin("hi");

    desk.interrupt();
    let stop = desk.arrival().await;
    desk.answer_command(&stop, "Stopping.");
    desk.end(&hi, OutcomeKind::Stopped, "Stopped.");

    assert_eq!(stop.text, "/stop");
    assert!(desk.out.until("\n\n> ").await.ends_with("Stopping.\nStopped.\n\n> "));
}

#[tokio::test]
async fn a_second_interrupt_leaves_at_once() {
    let (mut desk, mut keyboard) = Desk::with_person().await;
    keyboard.write_all(b"hi\n").unwrap();
    desk.arrival().await;
    desk.begin("hi");

    desk.interrupt();
    desk.arrival().await;
    desk.interrupt();

    assert_eq!(desk.exit().await, Exit::Interrupted);
}

#[tokio::test]
async fn an_interrupt_without_a_turn_asks_for_another() {
    let (mut desk, _keyboard) = Desk::with_person().await;
    desk.out.until("> ").await;

    desk.interrupt();
    desk.out.until("(press Ctrl-C again to quit)\n").await;
    assert!(!desk.has_arrival());

    desk.interrupt();
    assert_eq!(desk.exit().await, Exit::Interrupted);
}

#[tokio::test]
async fn the_end_of_the_input_leaves_after_the_turn_that_runs() {
    let (mut desk, mut keyboard) = Desk::with_person().await;
    keyboard.write_all(b"hi\n").unwrap();
    let hi = desk.arrival().await;
    desk.begin("hi");

    drop(keyboard);
    desk.end(&hi, OutcomeKind::Failed, "It failed.");

    assert_eq!(desk.exit().await, Exit::Done);
    assert!(desk.out.so_far().contains("It failed."));
}

#[tokio::test]
async fn what_a_command_answers_is_followed_by_a_prompt() {
    let (mut desk, mut keyboard) = Desk::with_person().await;

    keyboard.write_all(b"/status\n").unwrap();
    let status = desk.arrival().await;
    desk.answer_command(&status, "idle");

    assert_eq!(desk.out.until("idle\n> ").await, "> idle\n> ");
}
