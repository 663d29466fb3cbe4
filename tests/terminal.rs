//! The real binary at a terminal, with a person who types.

use serde_json::json;
use testkit::{Gate, ScriptedModel, Step};

use crate::support::process::{Place, said};
use crate::support::terminal::{CTRL_C, CTRL_D, Desk};

#[tokio::test]
async fn a_prompt_is_shown_and_a_message_answered() {
    let model = ScriptedModel::start().await;
    model.script([Step::text("Good day.")]);
    let place = Place::with(&model);
    let mut desk = Desk::at_prompt(&place).await;

    desk.types("hello\r");

    desk.shows("Good day.").await;
    desk.shows("> ").await;
    desk.types(CTRL_D);
    assert_eq!(desk.ends().await, 0);
    assert_eq!(said(model.request(1).await), "hello");
}

#[tokio::test]
async fn lines_that_come_at_once_at_the_prompt_are_all_answered() {
    let model = ScriptedModel::start().await;
    model.script([Step::text("One."), Step::text("Two."), Step::text("Three.")]);
    let place = Place::with(&model);
    let mut desk = Desk::at_prompt(&place).await;

    desk.types("first\rsecond\rthi");

    desk.shows("One.").await;
    desk.shows("Two.").await;
    // Half a line that came with others is the editor's, and is typed at its next prompt.
    desk.shows("thi").await;
    desk.types("rd\r");
    desk.shows("Three.").await;
    let mut asked = Vec::new();
    for number in 1..=3 {
        asked.push(said(model.request(number).await));
    }
    assert_eq!(asked, ["first", "second", "third"]);
}

#[tokio::test]
async fn an_answer_is_shown_while_it_is_being_written() {
    let (model, gate) = (ScriptedModel::start().await, Gate::new());
    model.script([Step::text("The beginning ").gate(&gate).then_text("and the end.")]);
    let place = Place::with(&model);
    let mut desk = Desk::at_prompt(&place).await;

    desk.types("hello\r");

    desk.shows("The beginning").await;
    gate.open();
    desk.shows("and the end.").await;
}

#[tokio::test]
async fn during_a_turn_there_is_no_prompt_and_what_is_typed_is_taken_as_a_message() {
    let (model, gate) = (ScriptedModel::start().await, Gate::new());
    let call = Step::empty().gate(&gate).then_calls([("ls", json!({"path": "."}))]);
    model.script([call, Step::text("No files, and it rains.")]);
    let place = Place::with(&model);
    let mut desk = Desk::at_prompt(&place).await;
    desk.types("how many files?\r");
    gate.reached().await;

    desk.types("and the weather?\r/status\r");
    let mut shown = desk.shows("running: step 1").await;
    gate.open();
    shown += &desk.shows("it rains.").await;

    assert!(!shown.contains("> "), "a prompt in:\n{shown}");
    desk.shows("> ").await;
    let request = model.request(2).await.transcript();
    assert!(request.contains("and the weather?"), "{request}");
    desk.types(CTRL_D);
    assert_eq!(desk.ends().await, 0);
}

#[tokio::test]
async fn a_tool_has_a_row_with_its_time() {
    let model = ScriptedModel::start().await;
    model.script([Step::calls([("bash", json!({"command": "echo from the tool"}))]), Step::text("It spoke.")]);
    let place = Place::with(&model);
    let mut desk = Desk::at_prompt(&place).await;

    desk.types("run it\r");

    let shown = desk.shows("It spoke.").await;
    let row = shown.lines().rev().find(|line| line.contains("bash")).unwrap_or_else(|| panic!("no row in:\n{shown}"));
    assert!(row.contains("echo from the tool") && row.contains(" s"), "{row}");
}

#[tokio::test]
async fn ctrl_c_stops_the_turn_and_the_chat_goes_on() {
    let (model, gate) = (ScriptedModel::start().await, Gate::new());
    model.script([Step::text("I am thin").gate(&gate), Step::text("Here I am.")]);
    let place = Place::with(&model);
    let mut desk = Desk::at_prompt(&place).await;
    desk.types("work\r");
    desk.shows("I am thin").await;

    desk.types(CTRL_C);

    desk.shows("> ").await;
    model.await_hangup(1).await;
    desk.types("are you there?\r");
    desk.shows("Here I am.").await;
    desk.shows("> ").await;
    desk.types(CTRL_D);
    assert_eq!(desk.ends().await, 0, "a stopped turn counts as done");
}

#[tokio::test]
async fn ctrl_c_twice_at_the_prompt_ends_with_130() {
    let place = Place::with_demo();
    let mut desk = Desk::at_prompt(&place).await;

    desk.types(CTRL_C);
    desk.shows("again").await;
    desk.shows("> ").await;
    desk.types(CTRL_C);

    assert_eq!(desk.ends().await, 130);
}

#[tokio::test]
async fn ctrl_c_twice_during_a_turn_ends_with_130() {
    let (model, gate) = (ScriptedModel::start().await, Gate::new());
    model.script([Step::text("I am thin").gate(&gate)]);
    let place = Place::with(&model);
    let mut desk = Desk::at_prompt(&place).await;
    desk.types("work\r");
    desk.shows("I am thin").await;

    desk.types(CTRL_C);
    desk.shows("> ").await;
    desk.types(CTRL_C);

    assert_eq!(desk.ends().await, 130);
}

#[tokio::test]
async fn ctrl_d_at_the_prompt_leaves() {
    let place = Place::with_demo();
    let mut desk = Desk::at_prompt(&place).await;

    desk.types(CTRL_D);

    assert_eq!(desk.ends().await, 0);
}

#[tokio::test]
async fn ctrl_d_during_a_turn_leaves_when_it_has_ended() {
    let (model, gate) = (ScriptedModel::start().await, Gate::new());
    model.script([Step::text("The beginning ").gate(&gate).then_text("and the end.")]);
    let place = Place::with(&model);
    let mut desk = Desk::at_prompt(&place).await;
    desk.types("work\r");
    desk.shows("The beginning").await;

    desk.types(CTRL_D);
    gate.open();

    desk.shows("and the end.").await;
    assert_eq!(desk.ends().await, 0);
}

#[tokio::test]
async fn a_failed_turn_is_shown_and_the_prompt_comes_back() {
    let model = ScriptedModel::start().await;
    model.script([Step::status(401)]);
    let place = Place::with(&model);
    let mut desk = Desk::at_prompt(&place).await;

    desk.types("hello\r");

    desk.shows("key").await;
    desk.shows("> ").await;
    desk.types(CTRL_D);
    assert_eq!(desk.ends().await, 0, "the person has seen it");
}
