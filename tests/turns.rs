//! Turns in process: long ones, stops and directions at every moment, and everything that goes wrong with a model.

use std::time::Duration;

use chat::{ErrorClass, ModelError, OutcomeKind, Progress, ToChannel};
use serde_json::json;
use testkit::{FakeModel, Gate, ProbeTool, Step};
use tokio::time::Instant;

use crate::support::Bot;

fn error(class: ErrorClass, message: &str) -> Step {
    Step::error(ModelError::new(class, message))
}

#[tokio::test(start_paused = true)]
async fn a_turn_of_twenty_steps_comes_to_its_answer() {
    let look = ProbeTool::new("look").returns("seen");
    let calls = (0..20).map(|at| Step::calls([("look", json!({"at": at}))]));
    let model = FakeModel::script(calls.chain([Step::text("all twenty seen")]));
    let mut bot = Bot::with(model.model()).tool(look.tool()).start().await;

    bot.says("look at twenty places");

    let (_, outcome) = bot.next_end().await;
    assert_eq!((outcome.text.as_str(), outcome.steps), ("all twenty seen", 21));
    assert_eq!(look.calls().len(), 20);
    assert_eq!(bot.history("main").await.len(), 42);
    bot.ends().await;
}

/// Says `/stop` and tells how long it took until the turn was over.
async fn stop(bot: &mut Bot) -> Duration {
    let asked = Instant::now();
    bot.says("/stop");
    let (_, outcome) = bot.next_end().await;
    assert_eq!(outcome.kind, OutcomeKind::Stopped);
    asked.elapsed()
}

#[tokio::test(start_paused = true)]
async fn a_stop_ends_a_turn_at_once_while_the_model_is_silent() {
    let model = FakeModel::script([Step::silence()]);
    let mut bot = Bot::with(model.model()).start().await;
    bot.says("hi");
    model.await_request(1).await;

    assert!(stop(&mut bot).await < Duration::from_millis(200));

    model.await_hangup(1).await;
    bot.ends().await;
}

#[tokio::test(start_paused = true)]
async fn a_stop_ends_a_turn_at_once_while_the_model_writes_and_keeps_what_it_wrote() {
    let gate = Gate::new();
    let model = FakeModel::script([Step::text("half an ").gate(&gate).then_text("answer")]);
    let mut bot = Bot::with(model.model()).start().await;
    bot.says("hi");
    bot.sees(|progress| matches!(progress, Progress::TextDelta { .. })).await;

    assert!(stop(&mut bot).await < Duration::from_millis(200));

    let history = bot.history("main").await;
    assert!(history[1].visible_text().contains("half an"), "{history:?}");
    bot.ends().await;
}

#[tokio::test(start_paused = true)]
async fn a_stop_ends_a_pause_at_once() {
    let model = FakeModel::script([error(ErrorClass::RateLimited, "slow down")]);
    let mut bot = Bot::with(model.model()).start().await;
    bot.says("hi");
    bot.sees(|progress| matches!(progress, Progress::Notice { .. })).await;

    assert!(stop(&mut bot).await < Duration::from_millis(200));

    bot.ends().await;
}

#[tokio::test(start_paused = true)]
async fn a_stop_between_two_tools_runs_no_more_of_them() {
    let gate = Gate::new();
    let (first, second) = (ProbeTool::new("first").gated(&gate), ProbeTool::new("second"));
    let model = FakeModel::script([Step::calls([("first", json!({})), ("second", json!({}))])]);
    let mut bot = Bot::with(model.model()).tool(first.tool()).tool(second.tool()).start().await;
    bot.says("both");
    first.await_calls(1).await;

    assert!(stop(&mut bot).await < Duration::from_secs(6));

    assert!(second.calls().is_empty());
    bot.ends().await;
}

#[tokio::test(start_paused = true)]
async fn a_direction_while_the_model_writes_follows_what_it_wrote() {
    let gate = Gate::new();
    let model = FakeModel::script([Step::text("north").gate(&gate).then_text("wards"), Step::text("south it is")]);
    let mut bot = Bot::with(model.model()).start().await;
    bot.says("which way?");
    bot.sees(|progress| matches!(progress, Progress::TextDelta { .. })).await;

    bot.says("/steer go south");
    bot.settles().await;
    gate.open();

    assert!(!bot.hears_answer().await.is_empty());
    bot.hears("south it is").await;
    let asked = model.request(2).await;
    assert!(asked.messages.last().expect("one").visible_text().contains("go south"));
    assert_eq!(asked.messages[1].visible_text(), "northwards");
    bot.ends().await;
}

#[tokio::test(start_paused = true)]
async fn a_direction_between_two_tools_skips_the_second() {
    let gate = Gate::new();
    let (first, second) = (ProbeTool::new("first").gated(&gate), ProbeTool::new("second"));
    let model =
        FakeModel::script([Step::calls([("first", json!({})), ("second", json!({}))]), Step::text("only the first")]);
    let mut bot = Bot::with(model.model()).tool(first.tool()).tool(second.tool()).start().await;
    bot.says("both");
    first.await_calls(1).await;

    bot.says("/steer the first is enough");
    bot.settles().await;
    gate.open();

    bot.hears("only the first").await;
    assert!(second.calls().is_empty());
    let results = model.request(2).await.messages.last().expect("one").tool_result_ids().count();
    assert_eq!(results, 2);
    bot.ends().await;
}

#[tokio::test(start_paused = true)]
async fn a_direction_that_comes_too_late_is_told_so_and_a_message_gets_its_own_turn() {
    let gate = Gate::new();
    let model = FakeModel::script([Step::text("done").gate(&gate), Step::text("and that")]);
    let mut bot = Bot::with(model.model()).start().await;
    bot.says("do it");
    model.await_request(1).await;

    let added = bot.says("and that too");
    bot.settles().await;
    gate.open();

    bot.hears("done").await;
    let (end, outcome) = bot.next_end().await;
    assert_eq!((end.reply_to, outcome.text), (Some(added), "and that".to_owned()));
    bot.says("/steer elsewhere");
    assert!(bot.hears_answer().await.contains("Nothing is running"));
    bot.ends().await;
}

#[tokio::test(start_paused = true)]
async fn a_request_that_is_too_large_shrinks_then_resets_then_fails_and_the_messages_stay() {
    let model = FakeModel::script([Step::text("noted")]);
    let mut bot = Bot::with(model.model()).start().await;
    bot.says("remember this");
    bot.hears("noted").await;

    model.then((0..3).map(|_| error(ErrorClass::Overflow, "too large")));
    bot.says("go on");

    let (_, outcome) = bot.next_end().await;
    assert_eq!(outcome.kind, OutcomeKind::Failed);
    assert_eq!(model.requests().len(), 4);
    assert_eq!(bot.history("main").await.len(), 4);
    bot.quiet_for(Duration::from_secs(600)).await;
    bot.ends().await;
}

/// W20: upstream discards the live context when a message looks like it was about the history.
#[tokio::test(start_paused = true)]
async fn w20_an_unrelated_refusal_keeps_the_history() {
    let model = FakeModel::script([Step::text("noted"), error(ErrorClass::BadRequest, "tool_use: 400 not allowed")]);
    let mut bot = Bot::with(model.model()).start().await;
    bot.says("the codeword is plum");
    bot.hears("noted").await;
    bot.says("and now?");
    assert_eq!(bot.next_end().await.1.kind, OutcomeKind::Failed);

    model.then([Step::text("plum")]);
    bot.says("which codeword?");

    bot.hears("plum").await;
    let sent: Vec<_> = model.request(3).await.messages.iter().map(|message| message.visible_text()).collect();
    assert_eq!(sent[0], "the codeword is plum");
    bot.ends().await;
}

/// F11: upstream repeats an unknown tool until the steps are used up.
#[tokio::test(start_paused = true)]
async fn f11_a_tool_that_does_not_exist_is_not_tried_for_ever() {
    let model = FakeModel::script([]);
    model.respond_with(|request| match request.tools.is_empty() {
        true => Step::text("I gave up"),
        false => Step::calls([("WebSearch", json!({"query": "x"}))]),
    });
    let mut bot = Bot::with(model.model()).tool(ProbeTool::new("look").tool()).start().await;

    bot.says("search the web");

    let (_, outcome) = bot.next_end().await;
    assert!(!outcome.text.is_empty());
    assert!(model.requests().len() <= 12, "{}", model.requests().len());
    bot.ends().await;
}

#[tokio::test(start_paused = true)]
async fn status_answers_while_the_model_says_nothing() {
    let model = FakeModel::script([Step::silence()]);
    let mut bot = Bot::with(model.model()).start().await;
    bot.says("hi");
    model.await_request(1).await;

    bot.says("/status");

    assert!(bot.hears_answer().await.contains("step 1"));
    stop(&mut bot).await;
    bot.ends().await;
}

#[tokio::test(start_paused = true)]
async fn what_is_shown_joins_to_the_answer() {
    let model = FakeModel::script([Step::text("a reply of several words").chars_per_event(3)]);
    let mut bot = Bot::with(model.model()).start().await;
    bot.says("hi");

    let mut shown = String::new();
    loop {
        match bot.next().await {
            ToChannel::Progress { progress: Progress::TextDelta { text, .. }, .. } => shown.push_str(&text),
            ToChannel::Deliver(_) => break,
            _ => {}
        }
    }
    assert_eq!(shown, "a reply of several words");
    bot.ends().await;
}

#[tokio::test(start_paused = true)]
async fn what_runs_by_itself_follows_an_answer_and_nothing_else() {
    let tidy = ProbeTool::new("tidy").after_turn();
    let model = FakeModel::script([Step::calls([("tidy", json!({}))]), Step::text("done"), Step::silence()]);
    let mut bot = Bot::with(model.model()).tool(tidy.tool()).start().await;

    bot.says("tidy up");
    bot.hears("done").await;
    tidy.await_calls(1).await;
    bot.says("once more");
    model.await_request(3).await;
    stop(&mut bot).await;
    bot.settles().await;

    assert_eq!(tidy.calls().len(), 1);
    assert!(model.request(1).await.tools.is_empty());
    let result = model.request(2).await.messages[2].clone();
    assert!(format!("{result:?}").contains("runs by itself"), "{result:?}");
    bot.ends().await;
}
