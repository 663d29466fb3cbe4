//! Commands in a pipe act when they are read, also while a turn runs.

use serde_json::json;
use testkit::{Gate, ScriptedModel, Step};

use crate::support::process::{Place, Process, of_type, text, transcript};

/// Starts a chat whose first turn waits in the model.
async fn busy(place: &Place, gate: &Gate) -> Process {
    let mut process = place.start(&["chat", "--json"]);
    process.says("work").await;
    gate.reached().await;
    process
}

#[tokio::test]
async fn stop_ends_the_turn_that_runs_and_the_pipe_goes_on() {
    let (model, gate) = (ScriptedModel::start().await, Gate::new());
    model.script([Step::text("I am thin").gate(&gate).then_text("king"), Step::text("fine")]);
    let place = Place::with(&model);
    let mut process = busy(&place, &gate).await;

    process.says("/stop").await;
    let stopped = process.sees("turn_finished").await;
    model.await_hangup(1).await;
    process.says("go on").await;
    let ended = process.ends().await;

    assert_eq!(stopped["outcome"], "stopped");
    assert_eq!((ended.code, ended.ends()[1]["text"].as_str()), (0, Some("fine")), "a stopped turn counts as done");
    let history = transcript(model.request(2).await);
    assert!(history.starts_with("user: work\nassistant: I am thin"), "{history}");
}

#[tokio::test]
async fn stop_leaves_what_waits_and_it_comes_next() {
    let (model, gate) = (ScriptedModel::start().await, Gate::new());
    model.script([Step::empty().gate(&gate).then_text("never said"), Step::text("second answer")]);
    let place = Place::with(&model);
    let mut process = busy(&place, &gate).await;

    process.says("second").await;
    process.says("/stop").await;

    let ended = process.ends().await;
    let ends: Vec<_> =
        ended.ends().iter().map(|end| (end["outcome"].clone(), end["text"] == "second answer")).collect();
    assert_eq!(ends, [(json!("stopped"), false), (json!("answered"), true)]);
    assert_eq!(ended.code, 0);
}

#[tokio::test]
async fn steer_reaches_the_turn_that_runs() {
    let (model, gate) = (ScriptedModel::start().await, Gate::new());
    let call = Step::empty().gate(&gate).then_calls([("ls", json!({"path": "."}))]);
    model.script([call, Step::text("in French: bonjour")]);
    let place = Place::with(&model);
    let mut process = busy(&place, &gate).await;

    process.says("/steer in French, please").await;
    // It is taken between steps, so its answer comes later than that of what is read behind it.
    process.status().await;
    gate.open();
    let answer = text(&process.sees("notice").await);
    let ended = process.ends().await;

    assert!(answer.contains("running turn"), "{answer}");
    assert_eq!(ended.answers(), ["in French: bonjour"]);
    let history = transcript(model.request(2).await);
    assert!(history.contains("in French, please"), "{history}");
}

#[tokio::test]
async fn status_is_answered_while_a_turn_runs() {
    let (model, gate) = (ScriptedModel::start().await, Gate::new());
    model.script([Step::empty().gate(&gate).then_text("done"), Step::text("done too")]);
    let place = Place::with(&model);
    let mut process = busy(&place, &gate).await;

    process.says("another").await;
    let busy = process.status().await;
    gate.open();
    process.sees("turn_finished").await;
    process.sees("turn_finished").await;
    let idle = process.status().await;

    assert!(busy.contains("running: step 1") && busy.contains("waiting: 1"), "{busy}");
    assert!(idle.contains("idle") && idle.contains("waiting: 0"), "{idle}");
    assert_eq!(process.ends().await.code, 0);
}

#[tokio::test]
async fn a_stop_of_a_running_command_leaves_no_process() {
    let model = ScriptedModel::start().await;
    let place = Place::with(&model);
    // No other process has this argument.
    let mark = format!("86399.{}", std::process::id());
    let command = format!("trap '' TERM INT; sleep {mark} & echo begun; sleep {mark}; sleep {mark}");
    model.script([Step::calls([("bash", json!({"command": command}))])]);
    let mut process = place.start(&["chat", "--json"]);
    process.says("wait long").await;
    while !text(&process.sees("tool_progress").await).contains("begun") {}
    assert_ne!(processes_with(&mark), Vec::<String>::new());

    process.says("/stop").await;
    let end = process.sees("turn_finished").await;

    assert_eq!(end["outcome"], "stopped");
    assert_eq!(processes_with(&mark), Vec::<String>::new());
    assert_eq!(process.ends().await.code, 0);
}

/// The command lines of the processes with this argument in it.
fn processes_with(mark: &str) -> Vec<String> {
    let entries = std::fs::read_dir("/proc").expect("Linux has it").filter_map(Result::ok);
    let lines = entries.filter_map(|entry| std::fs::read_to_string(entry.path().join("cmdline")).ok());
    lines.filter(|line| line.contains(mark)).collect()
}

#[tokio::test]
async fn new_starts_over() {
    let model = ScriptedModel::start().await;
    model.script([Step::text("noted"), Step::text("no idea")]);
    let place = Place::with(&model);

    let events = place.events("the codeword is plum\n/new\nwhich codeword?\n").await;

    assert_eq!(of_type(&events, "turn_finished").len(), 2);
    assert_eq!(transcript(model.request(2).await), "user: which codeword?");
}
