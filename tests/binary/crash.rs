//! `kill -9`, and what the next start makes of it.

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
async fn killed_during_a_turn_the_next_start_tells_so_and_later_turns_work() {
    let (model, gate) = (ScriptedModel::start().await, Gate::new());
    model.script([Step::text("half an ans").gate(&gate), Step::text("here I am"), Step::text("still here")]);
    let place = Place::with(&model);
    let mut process = place.start(&["chat", "--json"]);
    process.says("work").await;
    // The model is asked while the turn's beginning is being synced; what it says is told after that.
    process.sees("text_delta").await;
    process.gets_killed().await;

    let events = place.events("are you there?\n").await;
    let later = place.events("and now?\n").await;

    let notices: Vec<String> = of_type(&events, "notice").iter().map(text).collect();
    assert_eq!(notices.len(), 1, "{events:?}");
    assert!(notices[0].contains("could not be finished") && notices[0].contains("the program ended"), "{notices:?}");
    assert_eq!(of_type(&events, "turn_finished")[0]["text"], "here I am");
    let history = transcript(model.request(2).await);
    assert!(history.starts_with("user: work\nassistant: [This turn was interrupted"), "{history}");
    assert!(history.ends_with("user: are you there?"), "{history}");
    assert_eq!(of_type(&later, "notice"), Vec::<serde_json::Value>::new(), "it is told once");
    assert_eq!(of_type(&later, "turn_finished")[0]["text"], "still here");
}

#[tokio::test]
async fn messages_that_waited_when_it_was_killed_are_answered_once_at_the_next_start() {
    let (model, gate) = (ScriptedModel::start().await, Gate::new());
    model.script([Step::empty().gate(&gate)]);
    model.respond_with(|request| Step::text(format!("echo {}", said(request))));
    let place = Place::with(&model);
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
    assert_eq!(answers(&events), ["echo second", "echo third", "echo fourth"]);
    assert_eq!(answers(&later), ["echo fifth"]);
    let history = transcript(model.request(5).await);
    for said in ["user: first", "user: second", "user: third", "user: fourth", "user: fifth"] {
        assert_eq!(history.matches(said).count(), 1, "{said} in {history}");
    }
}

#[tokio::test]
async fn what_waited_is_answered_also_when_nothing_new_is_said() {
    let (model, gate) = (ScriptedModel::start().await, Gate::new());
    model.script([Step::empty().gate(&gate), Step::text("second answer")]);
    let place = Place::with(&model);
    let mut process = place.start(&["chat", "--json"]);
    process.says("first").await;
    gate.reached().await;
    process.says("second").await;
    process.status().await;
    process.gets_killed().await;

    let mut process = place.start(&["chat", "--json"]);
    let end = process.sees("turn_finished").await;

    assert_eq!(end["text"], "second answer");
    assert_eq!(process.ends().await.code, 0);
}
