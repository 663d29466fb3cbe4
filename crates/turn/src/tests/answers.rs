//! Replies without calls.

use chat::{ErrorClass, Finish, Reply, Usage, reply::Reasoning};

use super::story::{Story, call, text};

fn thought(text: &str) -> Vec<Reasoning> {
    vec![Reasoning { text: text.into(), provider: None }]
}

fn after_a_tool() -> Story {
    let mut story = Story::new();
    story.calls([call("a", "read", "{}")]);
    story.gives("a", "found");
    story
}

#[test]
fn a_turn_begins_by_asking_the_model() {
    let story = Story::new();

    assert_eq!(story.does(), ["step 1", "ask 1"]);
    assert_eq!(story.messages(), ["user: hello"]);
}

#[test]
fn a_reply_without_calls_is_the_answer() {
    let mut story = Story::new();

    assert_eq!(story.says("Hi!"), ["answered: Hi!"]);
    assert_eq!(story.messages(), ["user: hello", "assistant: Hi!"]);
}

#[test]
fn an_answer_may_come_without_a_reason_for_its_end() {
    let mut story = Story::new();

    assert_eq!(story.replies(Reply { text: "Hi!".into(), ..Reply::default() }), ["answered: Hi!"]);
}

#[test]
fn what_an_answer_says_is_not_changed_by_a_single_space() {
    let mut story = Story::new();

    assert_eq!(story.says(" \n Hi! \n"), ["answered:  \n Hi! \n"]);
}

#[test]
fn what_the_steps_cost_is_added_up() {
    let usage = |input, output| Some(Usage { input, cached: 1, output });
    let mut story = Story::new();

    story.replies(Reply { calls: vec![call("a", "read", "{}")], usage: usage(10, 2), ..Reply::default() });
    story.gives("a", "found");
    story.replies(Reply { usage: usage(20, u64::MAX), ..text("Hi!") });

    assert_eq!(story.outcome().usage, Some(Usage { input: 30, cached: 2, output: u64::MAX }));
    assert_eq!(story.outcome().steps, 2);
}

#[test]
fn what_no_vendor_tells_is_not_known_to_be_free() {
    let mut story = Story::new();

    story.says("Hi!");

    assert_eq!(story.outcome().usage, None);
}

#[test]
fn an_answer_cut_off_at_the_limit_says_so_and_shows_it() {
    let mut story = Story::new();

    let effects = story.replies(Reply { finish: Some(Finish::Length), ..text("Once upon a") });

    let note = "\n\n(The answer was cut off here: it reached the limit on length. Say \"go on\" for the rest.)";
    assert_eq!(effects, [format!("show {note}"), format!("answered: Once upon a{note}")]);
    assert_eq!(story.last_message(), format!("assistant: Once upon a{note}"));
}

#[test]
fn thinking_that_uses_up_the_limit_is_said() {
    let mut story = Story::new();

    story.replies(Reply { finish: Some(Finish::Length), reasoning: thought("hm"), ..Reply::default() });

    assert!(story.outcome().text.starts_with("The model used up its limit on length by thinking"));
    assert_eq!(story.does().last().map(|line| line.starts_with("failed empty: ")), Some(true));
}

#[test]
fn an_answer_held_back_by_a_filter_is_told_honestly() {
    let mut story = Story::new();

    let effects = story.replies(Reply { finish: Some(Finish::ContentFilter), ..Reply::default() });

    let told = "The model's content filter held the answer back. Try saying it in other words.";
    assert_eq!(effects, [format!("show {told}"), format!("failed content_filter: {told}")]);
}

#[test]
fn what_came_before_a_filter_stays() {
    let mut story = Story::new();

    story.replies(Reply { finish: Some(Finish::ContentFilter), ..text("First,") });

    assert!(story.outcome().text.starts_with("First,\n\nThe model's content filter"));
    assert!(story.last_message().starts_with("assistant: First, | The model's content filter"));
}

#[test]
fn an_empty_reply_is_asked_for_again_without_a_word() {
    let mut story = Story::new();

    assert_eq!(story.says(""), ["ask 1"]);
    assert_eq!(story.says("Hi!"), ["answered: Hi!"]);
}

#[test]
fn an_error_that_means_an_empty_reply_is_one() {
    let mut story = Story::new();

    assert_eq!(story.fails(ErrorClass::Empty), ["ask 1"]);
}

#[test]
fn thoughts_without_an_answer_are_taken_back_before_the_model_is_asked_again() {
    let mut story = Story::new();

    assert_eq!(story.replies(Reply { reasoning: thought("hm"), ..text(" ") }), ["reset 1", "ask 1"]);
}

#[test]
fn two_empty_replies_end_in_an_apology() {
    let mut story = Story::new();

    story.says("");
    let effects = story.says("");

    let apology = "Sorry, the model gave no answer. Please ask again, perhaps in other words.";
    assert_eq!(effects, [format!("show {apology}"), format!("failed empty: {apology}")]);
    assert!(story.last_message().starts_with(&format!("assistant: {apology} | ([The work failed here")));
}

#[test]
fn after_tools_an_explicit_answer_is_asked_for_once() {
    let mut story = after_a_tool();

    assert_eq!(story.says(""), ["ask 2"]);
    assert_eq!(story.says(""), ["step 3", "ask 3 nudged"]);
    assert_eq!(story.nudge(), Some("[You have not answered the person yet. Write your answer now.]"));
    assert_eq!(story.says("Here it is."), ["answered: Here it is."]);
}

#[test]
fn an_explicit_answer_is_not_asked_for_twice() {
    let mut story = after_a_tool();

    for _ in 0..3 {
        story.says("");
    }
    story.says("");

    assert_eq!(story.outcome().error.as_ref().map(|error| error.class.as_str()), Some("empty"));
    assert_eq!(story.outcome().steps, 3);
}

#[test]
fn the_request_for_an_explicit_answer_may_be_met_by_more_calls() {
    let mut story = after_a_tool();
    story.says("");
    story.says("");

    assert_eq!(story.calls([call("b", "read", "{}")]), ["b starts", "run b"]);
    assert!(!story.messages().concat().contains("Write your answer"), "a nudge never enters the messages");
}

#[test]
fn a_turn_that_may_be_silent_ends_in_silence() {
    let mut story = Story::with(|start| start.may_be_silent = true);

    story.says("");

    assert_eq!(story.says(""), ["silent: "]);
    assert_eq!(story.messages(), ["user: hello", "assistant: ([There was nothing to say.])"]);
}
