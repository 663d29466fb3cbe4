//! Model calls that give no whole reply.

use chat::ErrorClass;

use super::story::{Story, call};
use crate::{Input, Shrink};

const LEFT_OUT: &str = "notice The model did not accept the earlier conversation, so from here on it only sees your last \
                        message. Nothing that was stored is lost.";

fn class(story: &Story) -> &str {
    &story.outcome().error.as_ref().expect("the turn failed").class
}

#[test]
fn what_may_pass_is_tried_again_under_the_same_number() {
    let mut story = Story::new();

    assert_eq!(story.fails(ErrorClass::Network), ["wait 2000"]);
    assert_eq!(story.waited(), ["ask 1"]);
    assert_eq!(story.fails(ErrorClass::Server), ["wait 4000"]);
    story.waited();
    assert_eq!(story.fails(ErrorClass::Timeout), ["wait 6000"]);
    story.waited();
    assert_eq!(story.says("Hi!"), ["answered: Hi!"]);
    assert_eq!(story.outcome().steps, 1);
}

#[test]
fn after_the_last_retry_the_text_names_the_cause() {
    let mut story = Story::with(|start| start.limits.retries = 1);
    story.fails(ErrorClass::Server);
    story.waited();

    let effects = story.fails(ErrorClass::Server);

    assert_eq!(
        effects,
        ["show The model's server failed (cause).", "failed server: The model's server failed (cause)."]
    );
    assert_eq!(
        story.last_message(),
        "assistant: The model's server failed (cause). | ([The work failed here, and the program told the person so: cause])"
    );
}

#[test]
fn each_step_has_its_own_retries() {
    let mut story = Story::with(|start| start.limits.retries = 1);
    story.fails(ErrorClass::Server);
    story.waited();
    story.calls([call("a", "bash", "{}")]);
    story.gives("a", "1");

    assert_eq!(story.fails(ErrorClass::Server), ["wait 2000"]);
}

/// The reference system streams a repeated reply behind the pieces of the one that broke off.
#[test]
fn w17_a_reply_that_breaks_off_is_taken_back_before_it_is_asked_for_again() {
    let mut story = Story::new();

    assert_eq!(story.fails_after("Once upon", ErrorClass::Truncated), ["reset 1", "wait 2000"]);
    assert_eq!(story.waited(), ["ask 1"]);
    assert_eq!(story.says("Once upon a time."), ["answered: Once upon a time."]);
    assert_eq!(story.messages(), ["user: hello", "assistant: Once upon a time."]);
}

/// C05: a reply that breaks off for good leaves its text and no half call.
#[test]
fn c05_what_a_broken_reply_had_said_stays_with_the_cause() {
    let mut story = Story::with(|start| start.limits.retries = 0);

    let effects = story.fails_after("Once upon", ErrorClass::Truncated);

    let told = "The model's reply broke off (cause).";
    assert_eq!(effects, [format!("show \n\n{told}"), format!("failed truncated: Once upon\n\n{told}")]);
    assert!(story.last_message().starts_with(&format!("assistant: Once upon | {told} | (")));
}

#[test]
fn a_busy_model_is_left_alone_and_the_person_is_told() {
    let mut story = Story::new();

    let told = "notice The model is not available at the moment. Trying again in 30 seconds.";
    assert_eq!(story.fails(ErrorClass::RateLimited), [told, "wait 30000"]);
    story.waited();
    assert_eq!(story.fails(ErrorClass::Overloaded).last().unwrap(), "wait 45000");
}

#[test]
fn the_pause_that_a_server_asks_for_is_kept() {
    let mut story = Story::new();

    assert_eq!(story.asks_for_a_pause(ErrorClass::RateLimited, 7_000), ["wait 7000"]);
}

#[test]
fn a_pause_that_is_too_long_fails_the_turn_and_tells_when_to_try_again() {
    let mut story = Story::with(|start| start.limits.longest_pause_s = 60);

    story.asks_for_a_pause(ErrorClass::RateLimited, 3_600_000);

    assert_eq!(class(&story), "rate_limited");
    assert_eq!(story.outcome().text, "The model takes no more requests at present (cause). Try again in 60 minutes.");
}

#[test]
fn a_wrong_key_fails_at_once() {
    let mut story = Story::new();

    story.fails(ErrorClass::Auth);

    assert_eq!(story.outcome().text, "The model did not accept the key (cause). Please check the key.");
    assert_eq!(class(&story), "auth");
}

#[test]
fn what_will_be_refused_again_is_not_tried_again() {
    for refused in [ErrorClass::Quota, ErrorClass::BadRequest, ErrorClass::ContentFilter] {
        let mut story = Story::new();

        story.fails(refused);

        assert_eq!(class(&story), refused.name());
    }
}

/// The reference system looks for "500" and "too large" in the text of an error, and wipes the context for it.
#[test]
fn w18_the_class_decides_and_not_the_words() {
    let mut story = Story::new();
    let error = chat::ModelError::new(ErrorClass::BadRequest, "max_tokens: 500 is too large, please retry");

    story.on(Input::ModelFailed { error, partial: String::new() });

    assert_eq!(class(&story), "bad_request");
    assert_eq!(story.turn.shrink(), Shrink::None);
}

#[test]
fn a_failed_turn_keeps_the_pairs_it_had() {
    let mut story = Story::new();
    story.calls([call("a", "bash", "{}")]);
    story.gives("a", "found");

    story.fails(ErrorClass::Quota);

    assert_eq!(story.messages()[..3], ["user: hello", "assistant: a:bash{}", "user: a=found"]);
}

/// G01: a request that cannot be made small enough.
#[test]
fn g01_an_overflow_is_met_by_less_then_by_this_turn_only_then_by_advice() {
    let mut story = Story::new();

    assert_eq!(story.fails(ErrorClass::Overflow), ["ask 1 with less"]);
    assert_eq!(story.fails(ErrorClass::Overflow), [LEFT_OUT, "ask 1 with this turn only"]);
    story.fails(ErrorClass::Overflow);

    assert_eq!(
        story.outcome().text,
        "This is more than the model can take in (cause). Send less at a time, start over with /new, or choose a larger model."
    );
}

#[test]
fn what_was_made_smaller_stays_so_for_the_turn() {
    let mut story = Story::new();
    story.fails(ErrorClass::Overflow);
    story.calls([call("a", "bash", "{}")]);

    assert_eq!(story.gives("a", "1"), ["a done", "step 2", "ask 2 with less"]);
    assert_eq!(story.fails(ErrorClass::Overflow), [LEFT_OUT, "ask 2 with this turn only"]);
    assert_eq!(story.turn.shrink(), Shrink::Reset);
}

/// The reference system throws away the whole context, the person's message with it, before it tries to repair anything.
#[test]
fn w20_a_history_refused_as_malformed_is_repaired_before_it_is_left_out() {
    let mut story = Story::new();

    assert_eq!(story.fails(ErrorClass::MalformedHistory), ["ask 1 repaired"]);
    assert_eq!(story.fails(ErrorClass::MalformedHistory), [LEFT_OUT, "ask 1 with this turn only repaired"]);
    assert_eq!(story.messages(), ["user: hello"]);
    story.fails(ErrorClass::MalformedHistory);

    assert_eq!(class(&story), "malformed_history");
    assert_eq!(story.messages()[0], "user: hello");
}

#[test]
fn a_repaired_history_is_repaired_in_each_request_of_the_turn() {
    let mut story = Story::new();
    story.fails(ErrorClass::MalformedHistory);
    story.calls([call("a", "bash", "{}")]);

    assert_eq!(story.gives("a", "1"), ["a done", "step 2", "ask 2 repaired"]);
}

#[test]
fn a_history_that_was_left_out_already_is_not_told_twice() {
    let mut story = Story::new();
    story.fails(ErrorClass::Overflow);
    story.fails(ErrorClass::Overflow);

    assert_eq!(story.fails(ErrorClass::MalformedHistory), ["ask 1 with this turn only repaired"]);
    story.fails(ErrorClass::MalformedHistory);

    assert!(story.turn.is_finished());
}

#[test]
fn the_machine_speaks_the_persons_language() {
    let mut story = Story::with(|start| start.language = chat::Language::Chinese);

    story.fails(ErrorClass::Auth);

    assert_eq!(story.outcome().text, "模型不接受密钥（cause）。请检查密钥。");
}
