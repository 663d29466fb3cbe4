//! Ctrl-C of a chat in a pipe.

use testkit::{Gate, ScriptedModel, Step};

use crate::support::process::{Place, said};

#[tokio::test]
async fn an_interrupt_stops_the_turn_that_runs_and_ends_with_130() {
    let (model, gate) = (ScriptedModel::start().await, Gate::new());
    model.script([Step::text("I am thin").gate(&gate)]);
    let place = Place::with(&model);
    let mut process = place.start(&["chat", "--json"]);
    process.says("work").await;
    gate.reached().await;

    process.interrupts();
    let ended = process.leaves().await;

    assert_eq!(ended.code, 130, "{ended:?}");
    assert_eq!(ended.ends()[0]["outcome"], "stopped");
    model.await_hangup(1).await;
}

#[tokio::test]
async fn what_waited_at_an_interrupt_is_not_answered_later() {
    let (model, gate) = (ScriptedModel::start().await, Gate::new());
    let holds = gate.clone();
    model.respond_with(move |request| match said(request).as_str() {
        "hello" => Step::text("fresh"),
        _ => Step::empty().gate(&holds),
    });
    let place = Place::with(&model);
    let mut process = place.start(&["chat", "--json"]);
    process.says("work").await;
    process.says("this waits").await;
    gate.reached().await;
    process.status().await;
    process.interrupts();
    assert_eq!(process.leaves().await.code, 130);

    let events = place.events("hello\n").await;

    let started: Vec<_> = events.iter().filter(|event| event["type"] == "turn_started").collect();
    assert_eq!(started.len(), 1, "{events:?}");
    assert_eq!(started[0]["message"], "hello");
}

#[tokio::test]
async fn an_interrupt_while_nothing_runs_ends_at_once() {
    let place = Place::with_demo();
    let mut process = place.start(&["chat", "--json"]);
    process.status().await;

    process.interrupts();

    assert_eq!(process.leaves().await.code, 130);
}
