//! `kill -9`, and what the next start makes of it.

mod points;
mod random;
mod tale;

use serde_json::json;
use testkit::{Gate, ScriptedModel, Step};

use crate::support::process::{Place, of_type, said, text, transcript};

#[tokio::test]
async fn killed_between_turns_the_conversation_goes_on_as_if_nothing_had_happened() {
    let model = ScriptedModel::start().await;
    model.script([Step::text("noted"), Step::text("plum")]);
    let place = Place::with(&model);
    let mut process = place.start(&["chat", "--json"]);
    process.says("the codeword is plum").await;
    process.sees("turn_finished").await;
    process.gets_killed().await;

    let events = place.events("which codeword?\n").await;

    // That the answer was shown may not be on disk yet: then it is shown once more, and that is all that is noticed.
    assert!(of_type(&events, "notice").iter().map(text).all(|text| text.starts_with("noted")), "{events:?}");
    assert_eq!(of_type(&events, "turn_finished")[0]["text"], "plum");
    let history = transcript(model.request(2).await);
    assert_eq!(history, "user: the codeword is plum\nassistant: noted\nuser: which codeword?");
}

#[tokio::test]
async fn killed_while_the_model_writes_the_next_start_asks_it_again() {
    let (model, gate) = (ScriptedModel::start().await, Gate::new());
    model.script([Step::text("half an ans").gate(&gate), Step::text("the whole answer"), Step::text("still here")]);
    let place = Place::with(&model).set("COWHAND__CONVERSATIONS__RESUME_AFTER_MS", "5");
    let mut process = place.start(&["chat", "--json"]);
    process.says("work").await;
    // The model is asked while the turn's beginning is being synced; what it says is told after that.
    process.sees("text_delta").await;
    process.gets_killed().await;

    let events = place.events("and now?\n").await;

    let answers: Vec<String> = of_type(&events, "turn_finished").iter().map(text).collect();
    assert_eq!(answers, ["the whole answer", "still here"]);
    assert_eq!(of_type(&events, "turn_started")[0]["message"], "work");
    let history = transcript(model.request(3).await);
    assert_eq!(history, "user: work\nassistant: the whole answer\nuser: and now?");
}

#[tokio::test]
async fn a_stop_that_was_acknowledged_holds_after_a_kill() {
    let model = ScriptedModel::start().await;
    model.script([Step::retry_after(429, 2)]);
    let place = Place::with(&model).set("COWHAND__CONVERSATIONS__RESUME_AFTER_MS", "5");
    let mut process = place.start_with(&["chat", "--json"], &[("COWHAND_TEST_POINT", "final_transaction")]);
    process.says("work").await;
    process.sees("step_started").await;
    process.says("/stop").await;
    let (status, _) = process.reaches_its_end().await;
    assert_eq!(status.code(), None, "it died on the way to its end");

    let ended = place.run(&["chat", "--json"], "").await;

    let ends = ended.ends();
    assert_eq!((ends.len(), ends[0]["outcome"].as_str()), (1, Some("stopped")), "{ended:?}");
    assert!(model.requests().len() <= 1, "the model was asked again after a stop");
}

#[tokio::test]
async fn a_direction_that_was_taken_in_before_a_kill_stays_taken_in() {
    let (model, first, second) = (ScriptedModel::start().await, Gate::new(), Gate::new());
    let call = Step::empty().gate(&first).then_calls([("ls", json!({"path": "."}))]);
    model.script([call, Step::empty().gate(&second)]);
    // What was not yet on record when it was killed is done again.
    model.respond_with(|request| match said(request) {
        said if said.contains("and?") => Step::text("rien"),
        said if said.contains("in French") => Step::text("bonjour"),
        _ => Step::calls([("ls", json!({"path": "."}))]),
    });
    let place = Place::with(&model).set("COWHAND__CONVERSATIONS__RESUME_AFTER_MS", "5");
    let mut process = place.start(&["chat", "--json"]);
    process.says("work").await;
    first.reached().await;
    process.says("/steer in French").await;
    process.status().await;
    first.open();
    second.reached().await;
    process.gets_killed().await;

    let events = place.events("and?\n").await;

    let answers: Vec<String> = of_type(&events, "turn_finished").iter().map(text).collect();
    assert_eq!(answers, ["bonjour", "rien"]);
    let asked = transcript(&**model.requests().last().expect("it was asked"));
    assert_eq!(asked.matches("in French").count(), 1, "{asked}");
}

#[tokio::test]
async fn messages_that_waited_when_it_was_killed_are_answered_once_at_the_next_start() {
    let (model, gate) = (ScriptedModel::start().await, Gate::new());
    model.script([Step::empty().gate(&gate)]);
    model.respond_with(|request| Step::text(format!("echo {}", said(request))));
    let place = Place::with(&model).set("COWHAND__CONVERSATIONS__RESUME_AFTER_MS", "5");
    let mut process = place.start(&["chat", "--json"]);
    process.says("first").await;
    gate.reached().await;
    process.says("second").await;
    process.says("third").await;
    let status = process.status().await;
    assert!(status.contains("waiting: 2"), "{status}");
    process.gets_killed().await;

    let events = place.events("fourth\n").await;
    let later = place.events("fifth\n").await;

    let answers = |events: &[serde_json::Value]| of_type(events, "turn_finished").iter().map(text).collect::<Vec<_>>();
    assert_eq!(answers(&events), ["echo first", "echo second", "echo third", "echo fourth"]);
    assert_eq!(answers(&later), ["echo fifth"]);
    let history = transcript(model.request(6).await);
    for said in ["user: first", "user: second", "user: third", "user: fourth", "user: fifth"] {
        assert_eq!(history.matches(said).count(), 1, "{said} in {history}");
    }
}

#[tokio::test]
async fn what_waited_is_answered_also_when_nothing_new_is_said() {
    let (model, gate) = (ScriptedModel::start().await, Gate::new());
    model.script([Step::empty().gate(&gate), Step::text("first answer"), Step::text("second answer")]);
    let place = Place::with(&model).set("COWHAND__CONVERSATIONS__RESUME_AFTER_MS", "5");
    let mut process = place.start(&["chat", "--json"]);
    process.says("first").await;
    gate.reached().await;
    process.says("second").await;
    process.status().await;
    process.gets_killed().await;

    let mut process = place.start(&["chat", "--json"]);

    assert_eq!(process.sees("turn_finished").await["text"], "first answer");
    assert_eq!(process.sees("turn_finished").await["text"], "second answer");
    assert_eq!(process.ends().await.code, 0);
}
