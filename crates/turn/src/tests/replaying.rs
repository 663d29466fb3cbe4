//! Records of turns, run again.

use chat::ErrorClass;

use super::story::{self, Story, call, check_messages};
use crate::{Effect, Input, Journal, Limits, Pending, VERSION, replay};

fn two_steps() -> Story {
    let mut story = Story::new();
    story.fails(ErrorClass::Network);
    story.waited();
    story.calls([call("a", "bash", r#"{"x":0.1234567890123456}"#), call("b", "bash", "{}")]);
    story.gives("a", "1");
    story.gives("b", "2");
    story
}

#[test]
fn a_record_survives_being_written_down() {
    let journal = two_steps().journal;

    let written = serde_json::to_string(&journal).unwrap();
    let read: Journal = serde_json::from_str(&written).unwrap();

    assert_eq!(replay(&read).differs_at, None);
}

#[test]
fn a_turn_that_was_left_in_the_middle_tells_what_is_left_to_do() {
    let story = two_steps();

    let again = replay(&story.journal);

    assert_eq!(again.steps, 2);
    assert_eq!(again.turn.messages(), story.turn.messages());
    assert!(matches!(again.last_effects.last(), Some(Effect::CallModel { step: 2, .. })));
}

#[test]
fn the_first_difference_is_named() {
    let mut journal = two_steps().journal;
    journal.inputs[2].1 ^= 1;
    journal.inputs[4].1 ^= 1;

    assert_eq!(replay(&journal).differs_at, Some(3));
}

#[test]
fn a_difference_at_the_start_is_event_0() {
    let mut journal = Story::new().journal;
    journal.first ^= 1;

    assert_eq!(replay(&journal).differs_at, Some(0));
}

/// Another machine ran both calls at once and took the reply after them; this one would have waited for the first.
#[test]
fn pairs_on_record_stay_when_the_machine_decides_otherwise_today() {
    let mut journal = two_steps().journal;
    journal.first ^= 1;
    journal.inputs.swap(3, 4);

    let again = replay(&journal);

    check_messages(&again.turn);
    assert_eq!(again.turn.messages()[2].tool_result_ids().count(), 2);
    assert_eq!(again.turn.messages().len(), 3);
}

/// Another machine did not wait before it asked again, and needed fewer results.
#[test]
fn what_this_machine_still_waits_for_is_closed_when_the_record_goes_on() {
    let mut story = Story::new();
    story.calls([call("a", "bash", "{}")]);
    story.gives("a", "1");
    story.says("Done.");
    let mut journal = story.journal;
    journal.first ^= 1;
    journal.inputs.remove(1);

    let again = replay(&journal);

    assert!(again.turn.is_finished());
    assert_eq!(again.turn.outcome().unwrap().text, "Done.");
    check_messages(&again.turn);
}

fn resumed(version: u32) -> Input {
    Input::Resumed { version, limits: Limits::default(), tools: story::start().tools }
}

#[test]
fn what_a_turn_waits_for_is_told_also_after_it_was_run_again() {
    let mut story = Story::new();
    let waits = |story: &Story| replay(&story.journal).turn.pending();
    assert!(matches!(waits(&story), Pending::Reply(Effect::CallModel { step: 1, .. })));
    story.fails(ErrorClass::Network);
    assert_eq!(waits(&story), Pending::Pause { ms: 2_000 });
    story.waited();
    story.calls([call("a", "bash", "{}"), call("b", "bash", "{}")]);
    story.on(Input::ToolStarted { call: "a".into() });
    let Pending::Results(running) = waits(&story) else { panic!("a call runs") };
    let running: Vec<_> = running.iter().map(|running| (running.call.id.as_str(), running.is_started)).collect();
    assert_eq!(running, [("a", true)]);
    story.stopped("");
    assert_eq!(waits(&story), Pending::Nothing(story.outcome().clone()));
}

#[test]
fn an_interrupted_call_is_told_to_the_model_and_to_the_person_and_the_turn_goes_on() {
    let mut story = Story::new();
    story.calls([call("a", "bash", r#"{"command":"pay"}"#), call("b", "bash", "{}")]);
    story.on(Input::ToolStarted { call: "a".into() });

    let does = story.on(Input::ToolInterrupted { call: "a".into() });

    assert_eq!(does[0], "a failed");
    assert!(does[1].starts_with("notice ") && does[1].contains(r#"bash {"command":"pay"}"#), "{does:?}");
    assert_eq!(does[2..], ["b starts", "run b"]);
    story.gives("b", "done");
    assert!(story.last_message().contains("a!Interrupted") && story.last_message().contains("may have taken effect"));
    story.says("Done.");
    assert!(story.outcome().text.starts_with("Done.\n\n(") && story.outcome().text.contains(r#"{"command":"pay"}"#));
    assert_eq!(story.last_message(), "assistant: Done.");
}

#[test]
fn a_record_of_another_machine_goes_on_with_a_fresh_step_and_all_its_pairs() {
    let mut story = two_steps();
    story.journal.start.version = VERSION + 1;
    story.calls([call("c", "bash", "{}"), call("d", "bash", "{}")]);
    story.on(Input::ToolStarted { call: "c".into() });
    assert!(!replay(&story.journal).is_faithful);

    let does = story.on(resumed(VERSION));

    assert_eq!(does, ["step 3", "ask 3"]);
    assert!(story.last_message().contains("c!Interrupted") && story.last_message().contains("d!Not run"));
    assert!(replay(&story.journal).is_faithful, "it was resumed by this machine");
    story.says("Done.");
    assert!(story.outcome().text.contains("not known"), "{}", story.outcome().text);
}

/// A second death after a resumption finds what was on record before it as it was left.
#[test]
fn a_difference_before_a_resumption_is_not_one_behind_it() {
    let mut story = two_steps();
    story.journal.inputs[2].1 ^= 1;
    story.on(resumed(VERSION));

    let again = replay(&story.journal);

    assert_eq!((again.differs_at, again.is_faithful), (Some(3), true));
    story.journal.inputs.last_mut().unwrap().1 ^= 1;
    assert!(!replay(&story.journal).is_faithful);
}
