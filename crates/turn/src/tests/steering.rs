//! What a person adds while the turn runs.

use chat::ErrorClass;

use super::story::{Story, call};
use crate::SteerMode::{Add, Now};

const HEADER: &str =
    "([The person wrote the following while you were at work. Take it into account before you go on.])";
const SKIPPED: &str = "Skipped: the person wrote something new before this call was started. It did not run.";

#[test]
fn an_addition_follows_the_results_of_the_step_and_no_call_is_skipped() {
    let mut story = Story::new();
    story.calls([call("a", "bash", "{}"), call("b", "bash", "{}")]);

    assert!(story.steered("in blue", Add).is_empty());
    assert_eq!(story.gives("a", "1"), ["a done", "b starts", "run b"]);
    assert!(story.consumed().is_empty(), "it is not in the messages yet");
    assert_eq!(story.gives("b", "2"), ["b done", "step 2", "ask 2"]);

    assert_eq!(story.last_message(), format!("user: a=1 | b=2 | {HEADER} | in blue"));
    assert_eq!(story.consumed(), [1]);
}

#[test]
fn an_addition_to_a_turn_that_ends_first_is_not_consumed() {
    let mut story = Story::new();
    story.steered("in blue", Add);

    assert_eq!(story.says("Done."), ["answered: Done."]);
    assert!(story.consumed().is_empty());
}

#[test]
fn an_addition_during_a_reply_follows_the_results_of_its_calls() {
    let mut story = Story::new();
    story.steered("in blue", Add);

    story.calls([call("a", "bash", "{}")]);
    story.gives("a", "1");

    assert_eq!(story.consumed(), [1]);
}

#[test]
fn a_direction_during_a_reply_skips_its_calls() {
    let mut story = Story::new();

    assert!(story.steered("stop that", Now).is_empty());
    assert_eq!(story.calls([call("a", "bash", "{}"), call("b", "bash", "{}")]), ["step 2", "ask 2"]);

    assert_eq!(story.last_message(), format!("user: a!{SKIPPED} | b!{SKIPPED} | {HEADER} | stop that"));
    assert_eq!(story.consumed(), [1]);
}

#[test]
fn a_direction_during_a_reply_without_calls_keeps_the_reply_and_goes_on() {
    let mut story = Story::new();
    story.steered("in blue", Now);

    assert_eq!(story.says("Here, in red."), ["step 2", "ask 2"]);
    assert_eq!(
        story.messages(),
        ["user: hello".to_owned(), "assistant: Here, in red.".to_owned(), format!("user: {HEADER} | in blue")]
    );
    assert_eq!(story.says("In blue."), ["answered: In blue."]);
}

#[test]
fn a_direction_while_tools_run_skips_what_has_not_started() {
    let mut story = Story::new();
    story.calls([call("a", "read", "{}"), call("b", "read", "{}"), call("c", "bash", "{}")]);

    assert!(story.steered("enough", Now).is_empty());
    assert_eq!(story.gives("b", "2"), ["b done"]);
    assert_eq!(story.gives("a", "1"), ["a done", "step 2", "ask 2"]);

    assert_eq!(story.last_message(), format!("user: a=1 | b=2 | c!{SKIPPED} | {HEADER} | enough"));
}

#[test]
fn several_additions_are_joined_in_their_order() {
    let mut story = Story::new();
    story.calls([call("a", "bash", "{}")]);
    story.steered("one", Add);
    story.steered("two", Now);
    story.steered("three", Add);

    story.gives("a", "1");

    assert_eq!(story.last_message(), format!("user: a=1 | {HEADER} | one | two | three"));
    assert_eq!(story.consumed(), [1, 2, 3]);
}

#[test]
fn a_direction_takes_along_what_was_added_before_it() {
    let mut story = Story::new();
    story.steered("one", Add);
    story.steered("two", Now);

    story.says("Hm.");

    assert_eq!(story.consumed(), [1, 2]);
}

#[test]
fn a_direction_during_a_pause_is_kept() {
    let mut story = Story::new();
    story.fails(ErrorClass::Network);

    assert!(story.steered("in blue", Now).is_empty());
    assert_eq!(story.waited(), ["ask 1"]);
    story.calls([call("a", "bash", "{}")]);

    assert_eq!(story.consumed(), [1]);
}

#[test]
fn more_than_fits_is_left_for_a_turn_of_its_own_and_so_is_all_behind_it() {
    let mut story = Story::new();
    story.calls([call("a", "bash", "{}")]);
    story.steered("one", Add);
    story.steered(&"x".repeat(32_000), Add);
    story.steered("three", Add);

    story.gives("a", "1");

    assert_eq!(story.consumed(), [1]);
}

#[test]
fn at_most_sixteen_additions_wait() {
    let mut story = Story::new();
    story.calls([call("a", "bash", "{}")]);
    for _ in 0..20 {
        story.steered("more", Add);
    }

    story.gives("a", "1");

    assert_eq!(story.consumed().len(), 16);
}

#[test]
fn a_blank_addition_changes_nothing() {
    let mut story = Story::new();
    story.steered(" \n", Now);

    assert_eq!(story.says("Hi!"), ["answered: Hi!"]);
}

#[test]
fn a_direction_that_meets_an_error_at_the_end_is_not_lost_as_consumed() {
    let mut story = Story::new();
    story.steered("in blue", Now);

    story.fails(ErrorClass::Auth);

    assert!(story.consumed().is_empty());
}

#[test]
fn at_the_last_step_an_addition_waits_for_a_turn_of_its_own() {
    let mut story = Story::with(|start| start.limits.max_steps = 1);
    story.calls([call("a", "bash", "{}")]);
    story.steered("also this", Add);

    assert_eq!(story.gives("a", "1"), ["a done", "step 2", "ask 2 without tools nudged"]);
    assert!(story.consumed().is_empty());
}

#[test]
fn at_the_last_step_a_direction_is_told_to_the_model_that_sums_up() {
    let mut story = Story::with(|start| start.limits.max_steps = 1);
    story.steered("leave it", Now);

    assert_eq!(story.calls([call("a", "bash", "{}")]), ["step 2", "ask 2 without tools nudged"]);
    assert_eq!(story.consumed(), [1]);
}

#[test]
fn a_direction_does_not_take_the_place_of_an_answer_on_the_last_step() {
    let mut story = Story::with(|start| start.limits.max_steps = 1);
    story.steered("in blue", Now);

    assert_eq!(story.says("Here."), ["answered: Here."]);
    assert!(story.consumed().is_empty());
}
