//! Records of turns, run again.

use chat::ErrorClass;

use super::story::{Story, call, check_messages};
use crate::{Effect, Journal, replay};

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
