use chat::Usage;
use proptest::prelude::*;
use serde_json::json;

use super::*;

fn json() -> Shown {
    Shown::to_pipe(Output::Json)
}

#[test]
fn every_event_has_the_fields_that_scripts_rely_on() {
    let shown = json()
        .started()
        .thinks("hm")
        .says(1, "a")
        .resets(1)
        .runs("c1", "ls")
        .puts_out("c1", "x")
        .ran_showing("c1", 12, Some("not for scripts"))
        .progress(Progress::ToolStarted { id: "c2".into(), name: "no".into(), arguments: None })
        .progress(Progress::Notice { text: "n".into() })
        .event(&Event::Answer("idle".into()))
        .event(&Event::Notice("refused".into()));

    let expected = [
        json!({"type": "turn_started", "turn": 1, "message": "hi"}),
        json!({"type": "step_started", "turn": 1, "step": 1}),
        json!({"type": "reasoning_delta", "turn": 1, "step": 1, "text": "hm"}),
        json!({"type": "text_delta", "turn": 1, "step": 1, "text": "a"}),
        json!({"type": "text_reset", "turn": 1, "step": 1}),
        json!({"type": "tool_started", "turn": 1, "id": "c1", "name": "bash", "arguments": {"command": "ls"}}),
        json!({"type": "tool_progress", "turn": 1, "id": "c1", "text": "x"}),
        json!({"type": "tool_finished", "turn": 1, "id": "c1", "name": "bash", "is_error": false, "ms": 12}),
        json!({"type": "tool_started", "turn": 1, "id": "c2", "name": "no", "arguments": null}),
        json!({"type": "notice", "turn": 1, "text": "n"}),
        json!({"type": "notice", "text": "idle"}),
        json!({"type": "notice", "text": "refused"}),
    ];
    assert_eq!(shown.objects(), expected);
    assert_eq!(shown.written.err, "");
}

#[test]
fn the_type_is_the_first_key() {
    let shown = json().started().answers("yes");

    assert!(shown.written.out.lines().all(|line| line.starts_with("{\"type\":\"")));
}

#[test]
fn the_end_of_a_turn_tells_its_cost_and_its_error() {
    let outcome = Outcome {
        kind: OutcomeKind::Answered,
        text: "yes".into(),
        steps: 2,
        usage: Some(Usage { input: 10, cached: 4, output: 3 }),
        error: None,
        files: Vec::new(),
    };
    let mut shown = json().started().says(1, "yes");
    for event in shown.turns.finished(TURN, outcome, None) {
        shown = shown.event(&event);
    }
    shown = shown.started().ends(OutcomeKind::Failed, "no");

    let ends: Vec<Value> = shown.objects().into_iter().filter(|object| object["type"] == "turn_finished").collect();
    let usage = json!({"input": 10, "cached": 4, "output": 3});
    let error = json!({"class": "auth", "message": "wrong key"});
    let answered = json!({"type": "turn_finished", "turn": 1, "outcome": "answered", "text": "yes", "steps": 2,
        "usage": usage, "error": null});
    let failed = json!({"type": "turn_finished", "turn": 2, "outcome": "failed", "text": "no", "steps": 1,
        "usage": null, "error": error});
    assert_eq!(ends, [answered, failed]);
}

#[test]
fn outcomes_have_stable_names() {
    use OutcomeKind::{Answered, Failed, Silent, Stopped};
    let names = [Answered, Stopped, Failed, Silent].map(|kind| {
        let end = json().started().ends(kind, "").objects().pop();
        end.and_then(|end| end["outcome"].as_str().map(String::from))
    });

    assert_eq!(names.map(Option::unwrap), ["answered", "stopped", "failed", "silent"]);
}

#[test]
fn a_text_that_was_not_streamed_is_sent_as_a_delta() {
    let objects = json().started().answers("whole").objects();

    assert_eq!(objects[2], json!({"type": "text_delta", "turn": 1, "step": 1, "text": "whole"}));
}

/// What a script does that shows answers while they are written.
fn joined(objects: &[Value]) -> String {
    let (mut step, mut text) = (0, String::new());
    for object in objects {
        if let Some(started) = object["step"].as_u64().filter(|started| *started != step) {
            step = started;
            text.clear();
        }
        match object["type"].as_str() {
            Some("text_reset") => text.clear(),
            Some("text_delta") => text.push_str(object["text"].as_str().unwrap_or_default()),
            _ => {}
        }
    }
    text
}

proptest! {
    #[test]
    fn the_deltas_of_the_last_step_join_to_the_text(
        deltas in prop::collection::vec((0..4_u8, "[a-c ]{0,3}"), 0..30),
        text in "[a-c ]{0,6}",
        is_what_was_said in any::<bool>(),
    ) {
        let (mut shown, mut step) = (json().started(), 1);
        for (what, piece) in &deltas {
            shown = match what {
                0 => shown.resets(step),
                1 => {
                    step += 1;
                    shown.step(step)
                }
                _ => shown.says(step, piece),
            };
        }
        let text = if is_what_was_said { joined(&shown.objects()) } else { text };

        let shown = shown.answers(&text);

        prop_assert_eq!(joined(&shown.objects()), text);
    }
}

#[test]
fn a_file_is_an_event_before_the_end_of_its_turn() {
    let mut objects = json().started().answers_with_file("here").objects();
    let earlier = json().answers_with_file("").objects();

    let file =
        json!({"type": "file", "turn": 1, "name": "re\u{1b}port.pdf", "path": "/data/blobs/1.pdf", "bytes": 1536});
    assert_eq!(objects.pop().unwrap()["type"], "turn_finished");
    assert_eq!(objects.pop().unwrap(), file);
    assert!(earlier[0].get("turn").is_none() && earlier[0]["type"] == "file", "{earlier:?}");
}
