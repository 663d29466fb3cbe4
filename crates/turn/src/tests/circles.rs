//! A model that goes round in circles.

use chat::ToolResult;

use super::story::{Round, Story, call};
use crate::SteerMode;

fn args(n: usize) -> String {
    format!("{{\"n\":{n}}}")
}

fn same() -> ToolResult {
    ToolResult::ok("same")
}

fn failure() -> ToolResult {
    ToolResult::error("no")
}

/// How many rounds of the given calls run before one is refused.
fn rounds_until_refused(story: &mut Story, mut next: impl FnMut(usize) -> (&'static str, String, ToolResult)) -> usize {
    (0..100)
        .find(|n| {
            let (name, arguments, result) = next(*n);
            story.round(name, &arguments, &result) != Round::Ran
        })
        .expect("it is refused in the end")
}

#[test]
fn the_same_call_with_the_same_result_runs_five_times() {
    let mut story = Story::new();

    let rounds = rounds_until_refused(&mut story, |_| ("bash", args(1), same()));

    assert_eq!(rounds, 5);
    assert!(story.last_message().contains("Refused: this very call gave the same result 5 times"));
}

#[test]
fn the_order_of_keys_makes_no_other_call() {
    let mut story = Story::new();
    let orders = [r#"{"a":1,"b":{"c":2,"d":3}}"#, r#"{"b":{"d":3,"c":2},"a":1}"#];

    let rounds = rounds_until_refused(&mut story, |n| ("bash", orders[n % 2].to_owned(), same()));

    assert_eq!(rounds, 5);
}

#[test]
fn a_status_that_changes_may_be_asked_for_much_longer() {
    let mut story = Story::new();

    let rounds = rounds_until_refused(&mut story, |n| ("bash", args(1), ToolResult::ok(format!("{n} %"))));

    assert_eq!(rounds, 20);
    assert!(story.last_message().contains("Refused: this very call was made 20 times in a row"));
}

#[test]
fn a_status_that_changes_back_and_forth_is_not_the_same_each_time() {
    let mut story = Story::new();

    let rounds = rounds_until_refused(&mut story, |n| ("bash", args(1), ToolResult::ok((n % 2).to_string())));

    assert_eq!(rounds, 20);
}

#[test]
fn calls_that_come_in_one_reply_count_like_any() {
    let mut story = Story::new();
    let calls: Vec<_> = (0..8).map(|n| call(&format!("c{n}"), "read", "{}")).collect();

    assert_eq!(story.calls(calls).last().unwrap(), "run c0 c1 c2 c3 c4 together");
    for n in 0..5 {
        story.gives(&format!("c{n}"), "same");
    }

    assert!(story.last_message().contains("c5!Refused"));
}

#[test]
fn a_circle_of_two_calls_is_caught() {
    let mut story = Story::new();

    let rounds = rounds_until_refused(&mut story, |n| ("bash", args(n % 2), same()));

    assert_eq!(rounds, 10);
    assert_eq!(story.round("bash", &args(1), &same()), Round::Refused, "and so is its other half");
}

#[test]
fn a_longer_circle_is_caught() {
    let mut story = Story::new();

    assert_eq!(rounds_until_refused(&mut story, |n| ("bash", args(n % 5), same())), 25);
}

#[test]
fn a_circle_in_which_something_changes_is_none() {
    let mut story = Story::new();

    for n in 0..40 {
        assert_eq!(story.round("look", "{}", &ToolResult::ok(n.to_string())), Round::Ran);
        assert_eq!(story.round("bash", "{}", &same()), Round::Ran);
    }
}

#[test]
fn from_the_third_identical_success_on_the_model_is_asked_to_use_the_result() {
    let mut story = Story::new();

    story.round("bash", "{}", &same());
    story.round("bash", "{}", &same());
    assert_eq!(story.nudge(), None);
    story.round("bash", "{}", &same());

    assert!(story.nudge().is_some_and(|nudge| nudge.contains("Use the result you have")));
    assert!(!story.messages().concat().contains("Use the result"), "a nudge never enters the messages");
    story.round("bash", &args(2), &same());
    assert_eq!(story.nudge(), None);
}

#[test]
fn the_same_call_may_fail_three_times() {
    let mut story = Story::new();

    assert_eq!(rounds_until_refused(&mut story, |_| ("bash", args(1), failure())), 3);
    assert!(story.last_message().contains("Refused: this very call failed 3 times"));
}

#[test]
fn failures_that_read_differently_count_too() {
    let mut story = Story::new();

    let rounds = rounds_until_refused(&mut story, |n| ("bash", args(1), ToolResult::error(n.to_string())));

    assert_eq!(rounds, 3);
}

/// The reference system starts the count over at any other call.
#[test]
fn w19_other_calls_in_between_do_not_start_the_count_of_failures_over() {
    let mut story = Story::new();

    let rounds = rounds_until_refused(&mut story, |n| match n % 2 {
        0 => ("bash", args(1), failure()),
        _ => ("look", args(n), same()),
    });

    assert_eq!(rounds, 6);
}

#[test]
fn w19_a_tool_that_fails_in_ever_new_ways_is_refused_after_six() {
    let mut story = Story::new();

    let rounds = rounds_until_refused(&mut story, |n| match n % 2 {
        0 => ("bash", args(n), failure()),
        _ => ("look", args(n), same()),
    });

    assert_eq!(rounds, 12);
    assert!(story.last_message().contains("Refused: \"bash\" failed 6 times"));
}

#[test]
fn a_success_of_the_call_starts_its_count_over() {
    let mut story = Story::new();

    for n in 0..15 {
        let result = if n % 3 == 2 { ToolResult::ok(n.to_string()) } else { failure() };
        assert_eq!(story.round("bash", &args(1), &result), Round::Ran);
    }
}

#[test]
fn a_failure_after_a_success_is_a_new_one_for_the_tool() {
    let mut story = Story::new();
    story.round("bash", &args(1), &failure());
    story.round("bash", &args(1), &same());

    assert_eq!(rounds_until_refused(&mut story, |n| ("bash", args(n + 1), failure())), 6);
}

#[test]
fn a_success_of_the_tool_starts_its_count_over() {
    let mut story = Story::new();

    for n in 0..40 {
        let result = if n % 5 == 4 { same() } else { failure() };
        assert_eq!(story.round("bash", &args(n), &result), Round::Ran);
    }
}

#[test]
fn a_test_that_is_run_after_each_correction_may_fail_in_new_ways() {
    let mut story = Story::new();

    for n in 0..20 {
        let failure = ToolResult::error(format!("{} tests fail", 20 - n));
        assert_eq!(story.round("bash", "{}", &failure), Round::Ran);
        assert_eq!(story.round("write", &format!("{{\"path\":\"{n}\"}}"), &same()), Round::Ran);
    }
}

/// The reference system counts what it refused as failures of the tool.
#[test]
fn w19_refusals_are_no_failures() {
    let mut story = Story::new();
    for _ in 0..3 {
        story.round("bash", &args(1), &failure());
    }
    story.round("bash", &args(1), &failure());
    story.round("bash", &args(1), &failure());

    for n in 2..5 {
        assert_eq!(story.round("bash", &args(n), &failure()), Round::Ran, "three failures are left to the tool");
    }
    assert_eq!(story.round("bash", &args(5), &failure()), Round::Refused);
}

/// The reference system ends the run without its apology in the history, so the next request has two user messages in a row.
#[test]
fn w4_a_tool_that_goes_on_failing_ends_the_turn_with_an_apology_in_the_messages() {
    let mut story = Story::new();
    for n in 0..8 {
        story.round("bash", &args(n), &failure());
        story.round("look", &args(n), &same());
    }

    story.calls([call("x", "bash", &args(9)), call("y", "look", &args(9))]);

    assert_eq!(story.outcome().error.as_ref().unwrap().class, "tool_loop");
    assert!(story.outcome().text.starts_with("Sorry, I stopped: the same calls failed"));
    assert!(story.last_message().starts_with("assistant: Sorry, I stopped"));
    assert!(story.messages().iter().rev().nth(1).unwrap().contains("Not run: the work was ended"));
}

#[test]
fn a_turn_is_not_kept_alive_by_refusals() {
    let mut story = Story::new();
    for _ in 0..5 {
        story.round("bash", "{}", &same());
    }

    let rounds = [(); 3].map(|()| story.round("bash", "{}", &same()));

    assert_eq!(rounds, [Round::Refused, Round::Refused, Round::Ended]);
    assert!(story.last_message().starts_with("assistant: Sorry, I stopped"));
}

#[test]
fn the_apology_takes_the_place_of_what_the_step_had_said() {
    let mut story = Story::new();
    for _ in 0..7 {
        story.round("bash", "{}", &same());
    }

    let last = chat::Reply { text: "Again!".into(), calls: vec![call("x", "bash", "{}")], ..chat::Reply::default() };
    let effects = story.replies(last);

    assert_eq!(effects[2], "reset 8");
    assert!(effects[3].starts_with("show Sorry") && effects[4].starts_with("failed tool_loop: Sorry"), "{effects:?}");
}

/// F11: the same unknown tool 754 times.
#[test]
fn f11_a_tool_that_does_not_exist_is_asked_for_six_times_at_most() {
    let mut story = Story::new();

    let rounds = (0..100).position(|n| story.round("WebSearch", &args(n % 2), &same()) == Round::Ended);

    assert!(rounds.is_some_and(|rounds| rounds <= 9), "{rounds:?}");
    assert!(story.outcome().text.starts_with("Sorry, I stopped"));
}

#[test]
fn f11_a_new_name_each_time_is_no_way_out() {
    let names = ["search", "web", "google", "find", "browse", "fetch", "lookup", "query", "ask", "seek"];
    let mut story = Story::new();

    let rounds = names.iter().position(|name| story.round(name, "{}", &same()) == Round::Ended);

    assert_eq!(rounds, Some(8));
}

#[test]
fn what_the_person_adds_gives_every_call_a_new_chance() {
    let mut story = Story::new();
    for _ in 0..4 {
        story.round("bash", "{}", &failure());
    }
    story.steered("I fixed it, try again", SteerMode::Add);
    story.round("look", "{}", &same());

    assert_eq!(story.round("bash", "{}", &same()), Round::Ran);
}
