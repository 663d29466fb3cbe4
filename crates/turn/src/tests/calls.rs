//! Replies with calls.

use chat::{ArgumentsRefusal, Block, OutgoingFile, Picture, Progress, Reply, ToolResult};
use serde_json::json;

use super::story::{Story, call, refused_call};
use crate::{Effect, Input};

#[test]
fn the_result_of_a_call_goes_back_to_the_model() {
    let mut story = Story::new();

    assert_eq!(story.calls([call("a", "bash", r#"{"x":1}"#)]), ["a starts", "run a"]);
    assert_eq!(story.gives("a", "found"), ["a done", "step 2", "ask 2"]);
    assert_eq!(story.messages(), ["user: hello", r#"assistant: a:bash{"x":1}"#, "user: a=found"]);
}

#[test]
fn half_a_pair_is_never_among_the_messages() {
    let mut story = Story::new();

    story.calls([call("a", "bash", "{}"), call("b", "bash", "{}")]);
    story.gives("a", "1");
    assert_eq!(story.messages(), ["user: hello"]);

    story.gives("b", "2");
    assert_eq!(story.messages()[2], "user: a=1 | b=2");
}

#[test]
fn calls_run_one_after_the_other() {
    let mut story = Story::new();

    assert_eq!(story.calls([call("a", "bash", "{}"), call("b", "bash", "{}")]), ["a starts", "run a"]);
    assert_eq!(story.gives("a", "1"), ["a done", "b starts", "run b"]);
}

#[test]
fn neighbours_that_may_run_at_once_do_and_their_results_keep_the_order() {
    let mut story = Story::new();
    let calls = [call("a", "read", "{}"), call("b", "look", "{}"), call("c", "bash", "{}"), call("d", "read", "{}")];

    assert_eq!(story.calls(calls), ["a starts", "b starts", "run a b together"]);
    assert_eq!(story.gives("b", "2"), ["b done"]);
    assert_eq!(story.gives("a", "1"), ["a done", "c starts", "run c"]);
    assert_eq!(story.gives("c", "3"), ["c done", "d starts", "run d"]);
    story.gives("d", "4");
    assert_eq!(story.last_message(), "user: a=1 | b=2 | c=3 | d=4");
}

/// The reference system logs a tool's failure and tells the model that a value of no type has no status.
#[test]
fn w3_a_failed_tool_tells_the_model_its_own_words() {
    let mut story = Story::new();
    story.calls([call("a", "bash", "{}")]);

    assert_eq!(story.errs("a", "no such file: x"), ["a failed", "step 2", "ask 2"]);
    assert_eq!(story.last_message(), "user: a!no such file: x");
}

/// The reference system hands lists and numbers to tools as they are, and hides how they fail.
#[test]
fn w3_arguments_that_are_no_object_are_refused_by_name() {
    let mut story = Story::new();

    let effects = story.calls([refused_call("a", "bash", ArgumentsRefusal::Invalid)]);

    assert_eq!(effects, ["a starts", "a failed", "step 2", "ask 2"]);
    assert!(story.last_message().starts_with("user: a!The arguments are no valid JSON object (at byte 7)."));
    assert_eq!(story.messages()[1], "assistant: a:bash{}");
}

#[test]
fn refused_arguments_are_reported_as_none() {
    let mut story = Story::new();

    story.calls([refused_call("a", "bash", ArgumentsRefusal::Invalid)]);

    let expected = Progress::ToolStarted { id: "a".into(), name: "bash".into(), arguments: None };
    assert_eq!(story.effects[0], Effect::Report(expected));
}

#[test]
fn arguments_that_were_cut_off_are_answered_with_the_tools_advice() {
    let mut story = Story::new();

    story.calls([refused_call("a", "write", ArgumentsRefusal::Truncated)]);

    let answer = story.last_message();
    assert!(answer.contains("cut off at the limit on output"), "{answer}");
    assert!(answer.ends_with("Write the first part, then append."), "{answer}");
}

#[test]
fn empty_arguments_are_answered_with_the_names_of_the_required_ones() {
    let mut story = Story::new();

    story.calls([call("a", "write", "{}")]);

    assert!(story.last_message().contains("The arguments are empty, but these are required: path."));
}

#[test]
fn an_unknown_tool_is_answered_with_what_there_is() {
    let mut story = Story::new();

    assert_eq!(story.calls([call("a", "search", "{}")]), ["a starts", "a failed", "step 2", "ask 2"]);
    assert_eq!(story.last_message(), "user: a!There is no tool named \"search\". There are: read, look, write, bash.");
}

#[test]
fn a_tool_that_runs_by_itself_cannot_be_called() {
    let mut story = Story::with(|start| start.tools[1].after_turn = true);

    assert_eq!(story.calls([call("a", "look", "{}")]), ["a starts", "a failed", "step 2", "ask 2"]);
    assert_eq!(story.last_message(), "user: a!\"look\" runs by itself when this turn is over; it cannot be called.");
    story.calls([call("b", "search", "{}")]);
    assert_eq!(story.last_message(), "user: b!There is no tool named \"search\". There are: read, write, bash.");
}

#[test]
fn without_any_tools_an_unknown_tool_is_answered_too() {
    let mut story = Story::with(|start| start.tools.clear());

    story.calls([call("a", "search", "{}")]);

    assert!(story.last_message().ends_with("nor any other. Answer without tools."));
}

#[test]
fn a_call_that_makes_no_sense_does_not_hold_up_the_next() {
    let mut story = Story::new();

    let effects = story.calls([call("a", "search", "{}"), call("b", "bash", "{}")]);

    assert_eq!(effects, ["a starts", "a failed", "b starts", "run b"]);
}

/// C09 and C11: servers that give every call the same id.
#[test]
fn calls_with_the_same_id_get_ids_of_their_own() {
    let mut story = Story::new();

    assert_eq!(story.calls([call("z", "read", "{}"), call("z", "look", "{}")]).last().unwrap(), "run z z-2 together");
    story.gives("z-2", "2");
    story.gives("z", "1");
    assert_eq!(story.calls([call("z", "read", r#"{"n":2}"#)]).last().unwrap(), "run z-3");
    story.gives("z-3", "3");

    assert_eq!(story.messages()[1], "assistant: z:read{} | z-2:look{}");
    assert_eq!(story.messages()[2], "user: z=1 | z-2=2");
    assert_eq!(story.messages()[4], "user: z-3=3");
}

#[test]
fn a_call_without_an_id_gets_one() {
    let mut story = Story::new();

    assert_eq!(
        story.calls([call(" ", "read", "{}"), call("", "read", "{}")]).last().unwrap(),
        "run call call-2 together"
    );
}

#[test]
fn a_result_of_no_call_is_ignored() {
    let mut story = Story::new();
    story.calls([call("a", "bash", "{}")]);

    assert!(story.gives("b", "?").is_empty());
    assert_eq!(story.gives("a", "1"), ["a done", "step 2", "ask 2"]);
}

#[test]
fn a_second_result_of_a_call_is_ignored() {
    let mut story = Story::new();
    story.calls([call("a", "read", "{}"), call("b", "read", "{}")]);

    story.gives("a", "first");
    assert!(story.gives("a", "second").is_empty());
    story.gives("b", "2");

    assert_eq!(story.last_message(), "user: a=first | b=2");
}

#[test]
fn what_fits_no_state_is_ignored() {
    let mut story = Story::new();
    assert!(story.waited().is_empty());
    assert!(story.gives("a", "1").is_empty());

    story.calls([call("a", "bash", "{}")]);
    assert!(story.says("late").is_empty());
    assert!(story.waited().is_empty());
}

#[test]
fn what_people_are_shown_of_a_result_is_reported_and_not_sent() {
    let mut story = Story::new();
    story.calls([call("a", "bash", "{}")]);

    let result = ToolResult { display: Some("**diff**".into()), ..ToolResult::ok("plain") };
    story.on(Input::ToolFinished { call: "a".into(), result, ms: 7 });

    let expected = Progress::ToolFinished {
        id: "a".into(),
        name: "bash".into(),
        is_error: false,
        ms: 7,
        display: Some("**diff**".into()),
    };
    assert_eq!(story.effects[0], Effect::Report(expected));
    assert_eq!(story.last_message(), "user: a=plain");
}

/// G05: a result of 1.7 MB that nobody capped.
#[test]
fn g05_a_giant_result_is_cut_when_it_is_taken_in() {
    let mut story = Story::new();
    story.calls([call("a", "bash", "{}")]);

    story.gives("a", &format!("head{}tail", "x".repeat(1_700_000)));

    let message = story.last_message();
    assert!(message.len() < 51_000, "{}", message.len());
    assert!(message.starts_with("user: a=headx") && message.ends_with("xtail"));
    assert!(message.contains("1650008 characters left out"));
}

#[test]
fn text_beside_calls_stays_with_them() {
    let mut story = Story::new();

    story.replies(Reply { text: "Let me see.".into(), calls: vec![call("a", "bash", "{}")], ..Reply::default() });
    story.gives("a", "1");

    assert_eq!(story.messages()[1], "assistant: Let me see. | a:bash{}");
    assert_eq!(story.says("Done."), ["answered: Done."]);
}

#[test]
fn calls_are_run_with_what_the_model_sent() {
    let mut story = Story::new();

    story.calls([call("a", "bash", r#"{"z":1,"a":{"y":[2]}}"#)]);

    let Some(Effect::RunTools { calls, .. }) = story.effects.last() else { panic!("a call runs") };
    let chat::Arguments::Object(arguments) = &calls[0].arguments else { panic!("with arguments") };
    assert_eq!(serde_json::to_string(arguments).unwrap(), json!({"z": 1, "a": {"y": [2]}}).to_string());
}

#[test]
fn pictures_of_results_stand_behind_all_results_and_say_what_they_are() {
    let mut story = Story::new();
    story.calls([call("a", "read", "{}"), call("b", "read", "{}")]);
    let picture = |data: &str| Picture { media_type: "image/png".into(), data: data.into() };

    let result = ToolResult { images: vec![picture("AA=="), picture("")], ..ToolResult::ok("a picture") };
    story.on(Input::ToolFinished { call: "a".into(), result, ms: 7 });
    story.gives("b", "text");

    let blocks = &story.turn.messages()[2].blocks;
    assert!(matches!(&blocks[..2], [Block::ToolResult { .. }, Block::ToolResult { .. }]));
    let label = Block::hidden("[A picture that \"read\" gave back:]");
    assert_eq!(blocks[2..], [label, Block::Image { media_type: "image/png".into(), data: "AA==".into() }]);
}

#[test]
fn files_of_results_go_out_with_the_end_of_the_turn_in_their_order() {
    let mut story = Story::new();
    let file = |name: &str| OutgoingFile {
        path: name.into(),
        name: name.into(),
        media_type: "text/plain".into(),
        bytes: 1,
        caption: None,
    };
    story.calls([call("a", "read", "{}"), call("b", "read", "{}")]);

    for (id, name) in [("b", "second"), ("a", "first"), ("b", "a late repetition")] {
        let result = ToolResult { files: vec![file(name)], ..ToolResult::ok("sent") };
        story.on(Input::ToolFinished { call: id.into(), result, ms: 7 });
    }
    story.says("here they are");

    assert_eq!(story.outcome().files, [file("second"), file("first")]);
}
