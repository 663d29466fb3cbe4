use std::io::{self, Write};
use std::sync::mpsc::{Receiver, channel};

use chat::{OutcomeKind, Progress, Receipt, TurnId};
use serde_json::Value;
use testkit::Probe;

use super::desk::{Desk, Setup};
use crate::terminal::{Exit, Mode, Output};

#[tokio::test]
async fn an_interrupted_pipe_leaves_at_once_and_asks_for_nothing() {
    let mut desk = Desk::with_lines("one\ntwo\n", Output::Plain).await;
    desk.arrival().await;
    desk.arrival().await;
    desk.begin("one");

    desk.interrupt();

    assert_eq!(desk.exit().await, Exit::Interrupted);
    assert!(!desk.has_arrival());
}

#[tokio::test]
async fn an_interrupted_single_message_leaves_at_once() {
    let mode = Mode::Once("hi".into());
    let mut desk = Desk::set_up(Setup { mode, ..Setup::pipe(io::empty()) }).await;
    desk.terminal.start();
    desk.arrival().await;
    desk.begin("hi");

    desk.interrupt();

    assert_eq!(desk.exit().await, Exit::Interrupted);
    assert!(!desk.has_arrival());
}

#[tokio::test]
async fn the_turn_that_an_interrupt_stops_is_told_as_events_to_its_end() {
    let mut desk = Desk::with_lines("one\ntwo\n", Output::Json).await;
    let one = desk.arrival().await;
    let turn = desk.begin("one");
    for piece in ["a", "b"] {
        desk.progress(turn, Progress::TextDelta { step: 1, text: piece.into() });
    }

    desk.interrupt();
    desk.exit().await;
    desk.progress(turn, Progress::TextDelta { step: 1, text: "c".into() });
    let stopped = desk.end(&one, OutcomeKind::Stopped, "abc and stopped");

    assert!(matches!(desk.receipt().await, Receipt::Sent(id) if id == stopped));
    let objects: Vec<Value> = desk.out.so_far().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let deltas = objects.iter().filter(|object| object["type"] == "text_delta");
    assert_eq!(deltas.filter_map(|object| object["text"].as_str()).collect::<String>(), "abc and stopped");
    let last = objects.last().unwrap();
    assert_eq!(
        (&last["type"], &last["turn"], &last["outcome"]),
        (&"turn_finished".into(), &1.into(), &"stopped".into())
    );
}

#[tokio::test]
async fn an_interrupt_with_nothing_to_stop_leaves_at_once() {
    let (input, _keyboard) = io::pipe().unwrap();
    let mut desk = Desk::set_up(Setup::pipe(input)).await;
    desk.terminal.start();

    desk.interrupt();

    assert_eq!(desk.exit().await, Exit::Interrupted);
}

/// Takes nothing, until its other end is dropped.
struct Stuck(Receiver<()>);

impl Write for Stuck {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let _ = self.0.recv();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[tokio::test]
async fn a_person_can_leave_while_the_output_is_stuck() {
    let (_stuck, stuck) = channel();
    let stdout: Option<Box<dyn Write + Send>> = Some(Box::new(Stuck(stuck)));
    let mut desk = Desk::set_up(Setup { stdout, ..Setup::pipe(&b"one\n/status\n"[..]) }).await;
    desk.terminal.start();
    desk.arrival().await;
    let status = desk.arrival().await;
    desk.answer_command(&status, "idle");

    desk.interrupt();

    assert_eq!(desk.exit().await, Exit::Interrupted);
}

/// Nobody reads it.
struct Closed;

impl Write for Closed {
    fn write(&mut self, _: &[u8]) -> io::Result<usize> {
        Err(io::ErrorKind::BrokenPipe.into())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[tokio::test]
async fn an_output_that_nobody_reads_ends_it_and_fails_the_delivery() {
    let stdout: Option<Box<dyn Write + Send>> = Some(Box::new(Closed));
    let mut desk = Desk::set_up(Setup { stdout, ..Setup::pipe(&b"one\ntwo\n"[..]) }).await;
    desk.terminal.start();

    let one = desk.arrival().await;
    let sent = desk.answer(&one, "first");

    assert!(matches!(desk.receipt().await, Receipt::Failed { delivery, .. } if delivery == sent));
    assert_eq!(desk.exit().await, Exit::OutputClosed);
}

#[tokio::test]
async fn a_turn_that_ends_after_it_was_left_is_still_acknowledged() {
    let (mut desk, mut keyboard) = Desk::with_person().await;
    keyboard.write_all(b"hi\n").unwrap();
    let hi = desk.arrival().await;
    desk.begin("hi");
    desk.interrupt();
    desk.arrival().await;
    desk.interrupt();
    desk.exit().await;

    let stopped = desk.end(&hi, OutcomeKind::Stopped, "Stopped.");

    assert!(matches!(desk.receipt().await, Receipt::Sent(id) if id == stopped));
}

#[tokio::test]
async fn what_it_was_told_is_written_before_it_stops() {
    let mut desk = Desk::with_lines("one\n", Output::Plain).await;
    desk.arrival().await;
    for turn in 1..=100 {
        desk.end_turn(TurnId(turn), None, OutcomeKind::Answered, "again");
    }

    let Desk { terminal, mut out, .. } = desk;
    terminal.stop().await;

    assert_eq!(out.so_far(), "again\n".repeat(100));
}

#[tokio::test]
async fn a_message_that_cannot_be_handed_in_fails() {
    let gone = Probe::<chat::Arrival>::spawn().await;
    let intake = gone.actor().get_derived();
    gone.actor().stop_and_wait(None, None).await.unwrap();
    let mut desk = Desk::set_up(Setup { intake: Some(intake), ..Setup::pipe(&b"one\n"[..]) }).await;
    desk.terminal.start();

    assert_eq!(desk.exit().await, Exit::TurnFailed);
    assert_eq!(desk.err.so_far(), "The bot is going down; this message was not taken.\n");
}

/// Cannot be read.
struct Unreadable;

impl io::Read for Unreadable {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        Err(io::Error::other("it is a folder"))
    }
}

#[tokio::test]
async fn an_input_that_cannot_be_read_fails() {
    let mut desk = Desk::set_up(Setup::pipe(Unreadable)).await;
    desk.terminal.start();

    assert_eq!(desk.exit().await, Exit::TurnFailed);
    assert_eq!(desk.err.so_far(), "The input cannot be read: it is a folder.\n");
}
