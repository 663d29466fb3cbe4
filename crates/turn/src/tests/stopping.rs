//! Stopping a turn, in every state.

use chat::{ErrorClass, Reply};

use super::story::{Story, call};
use crate::SteerMode;

const MARK: &str = "([The person stopped the work here.])";

/// C07: a stop before the first word leaves the person's message with an answer, so that the next request alternates.
#[test]
fn c07_a_stop_before_the_first_word_says_that_it_stopped() {
    let mut story = Story::new();

    assert_eq!(story.stopped(""), ["abort model", "show Stopped.", "stopped: Stopped."]);
    assert_eq!(story.messages(), ["user: hello".to_owned(), format!("assistant: {MARK}")]);
}

#[test]
fn what_was_said_before_a_stop_stays() {
    let mut story = Story::new();

    assert_eq!(story.stopped("Once upon"), ["abort model", "stopped: Once upon"]);
    assert_eq!(story.last_message(), format!("assistant: Once upon | {MARK}"));
}

/// The reference system keeps only the results that were there, and calls the rest missing in the next request.
#[test]
fn w4_a_stop_while_tools_run_answers_every_call() {
    let mut story = Story::new();
    story.calls([call("a", "read", "{}"), call("b", "read", "{}"), call("c", "bash", "{}")]);
    story.gives("a", "found");

    assert_eq!(story.stopped(""), ["abort tools", "b failed", "show Stopped.", "stopped: Stopped."]);
    assert_eq!(
        story.messages()[2],
        "user: a=found \
         | b!Cancelled: the person stopped the work while this call was running. It may have taken effect in part. \
         | c!Not run: the person stopped the work before this call was started."
    );
    assert_eq!(story.last_message(), format!("assistant: {MARK}"));
}

#[test]
fn a_stop_while_tools_run_tells_what_the_step_had_said() {
    let mut story = Story::new();
    story.replies(Reply { text: "Let me see.".into(), calls: vec![call("a", "bash", "{}")], ..Reply::default() });

    assert_eq!(story.stopped(""), ["abort tools", "a failed", "stopped: Let me see."]);
}

/// The reference system sleeps through a stop; so does W27's list of places that do not look.
#[test]
fn w27_a_stop_ends_a_pause_at_once() {
    let mut story = Story::new();
    story.fails(ErrorClass::RateLimited);

    assert_eq!(story.stopped(""), ["show Stopped.", "stopped: Stopped."]);
    assert!(story.waited().is_empty());
}

#[test]
fn a_stop_tells_the_model_what_goes_on_in_the_background() {
    let mut story = Story::new();
    story.calls([call("a", "bash", "{}")]);

    story.stopped_while(&["7-1: make", "7-2: serve"]);

    let mark = "[The person stopped the work here. These jobs still run in the background:\n7-1: make\n7-2: serve]";
    assert_eq!(story.last_message(), format!("assistant: ({mark})"));
}

#[test]
fn nothing_follows_a_stop() {
    let mut story = Story::new();
    story.calls([call("a", "bash", "{}")]);
    story.stopped("");
    let messages = story.messages();

    assert!(story.gives("a", "late").is_empty());
    assert!(story.says("late").is_empty());
    assert!(story.steered("late", SteerMode::Now).is_empty());
    assert!(story.stopped("again").is_empty());
    assert_eq!(story.messages(), messages);
}

#[test]
fn messages_that_waited_at_a_stop_were_not_consumed() {
    let mut story = Story::new();
    story.calls([call("a", "bash", "{}")]);
    story.steered("also this", SteerMode::Add);

    story.stopped("");

    assert!(story.consumed().is_empty());
}
