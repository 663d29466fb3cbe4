//! The end of the steps.

use chat::{ErrorClass, Reply};

use super::story::{Story, call};

/// The step limit is reached, and the model is asked to sum up.
fn at_the_summary() -> Story {
    let mut story = Story::with(|start| start.limits.max_steps = 2);
    for (id, arguments) in [("a", "{}"), ("b", r#"{"n":2}"#)] {
        story.calls([call(id, "bash", arguments)]);
        story.gives(id, "found");
    }
    story
}

/// The reference system asks for a summary although there is an answer, and puts it in the answer's place.
#[test]
fn w1_an_answer_on_the_last_step_is_the_answer() {
    let mut story = Story::with(|start| start.limits.max_steps = 1);

    assert_eq!(story.says("Hi!"), ["answered: Hi!"]);
    assert_eq!(story.messages(), ["user: hello", "assistant: Hi!"]);
}

#[test]
fn the_calls_of_the_last_step_run_and_then_a_summary_is_asked_for() {
    let mut story = at_the_summary();

    assert_eq!(story.does(), ["b done", "step 3", "ask 3 without tools nudged"]);
    assert!(story.nudge().is_some_and(|nudge| nudge.starts_with("[All 2 steps of this task are used up")));
    assert_eq!(story.says("I found it."), ["answered: I found it."]);
    assert_eq!(story.outcome().steps, 3);
    assert!(!story.messages().concat().contains("used up"), "a nudge never enters the messages");
}

/// The reference system offers tools to the summary, and leaves its calls unanswered in the history.
#[test]
fn w16_calls_that_were_not_offered_are_dropped_and_the_text_is_used() {
    let mut story = at_the_summary();

    let effects = story.replies(Reply {
        text: "So far so good.".into(),
        calls: vec![call("c", "bash", "{}")],
        ..Reply::default()
    });

    assert_eq!(effects, ["answered: So far so good."]);
    assert_eq!(story.last_message(), "assistant: So far so good.");
}

#[test]
fn a_summary_of_calls_alone_ends_in_a_sentence_with_the_number_of_steps() {
    let mut story = at_the_summary();

    assert_eq!(story.calls([call("c", "bash", "{}")]), ["ask 3 without tools nudged"]);
    story.calls([call("c", "bash", "{}")]);

    let sentence =
        "I used all 2 steps that one message may take, and have no summary of them. Say \"go on\" to continue.";
    assert_eq!(story.does(), [format!("show {sentence}"), format!("answered: {sentence}")]);
    assert_eq!(story.last_message(), format!("assistant: {sentence}"));
}

#[test]
fn a_summary_that_fails_tells_the_number_of_steps_and_the_cause() {
    let mut story = at_the_summary();

    story.fails(ErrorClass::Auth);

    let text = &story.outcome().text;
    assert!(
        text.starts_with("I used all 2 steps") && text.contains("The model did not accept the key (cause)"),
        "{text}"
    );
}

#[test]
fn a_summary_is_retried_like_any_step() {
    let mut story = at_the_summary();

    assert_eq!(story.fails(ErrorClass::Network), ["wait 2000"]);
    assert_eq!(story.waited(), ["ask 3 without tools nudged"]);
}

#[test]
fn without_any_steps_the_model_is_asked_without_tools() {
    let mut story = Story::with(|start| start.limits.max_steps = 0);

    assert_eq!(story.does(), ["step 1", "ask 1 without tools"]);
    assert_eq!(story.says("Hi!"), ["answered: Hi!"]);
}

/// The reference system slices what is new by comparing lengths of lists, and loses messages when the history was trimmed.
#[test]
fn w2_a_turn_has_its_own_messages_however_much_of_the_history_is_left_out() {
    let mut story = Story::new();
    story.fails(ErrorClass::Overflow);
    for n in 0..25 {
        story.calls([call("a", "bash", &format!("{{\"n\":{n}}}"))]);
        let id = if n == 0 { "a".to_owned() } else { format!("a-{}", n + 1) };
        story.gives(&id, &n.to_string());
    }

    story.says("Done.");

    assert_eq!(story.turn.messages().len(), 1 + 25 * 2 + 1);
    assert_eq!(story.messages()[0], "user: hello");
    assert_eq!(story.messages()[50], "user: a-25=24");
}
