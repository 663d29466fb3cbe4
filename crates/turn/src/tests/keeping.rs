//! The form in which messages are kept, and turns that are broken off from outside.

use chat::{Block, OutcomeKind, Provider, Reply, ToolCall, reply::Reasoning};
use serde_json::json;

use super::story::{Story, call, check_messages, text};
use crate::Interrupted;

fn signature() -> Option<Provider> {
    Some(Provider { vendor: "v".into(), model: "m".into(), data: json!("signature") })
}

fn reasoned(thinking: &str, reply: Reply) -> Reply {
    Reply { reasoning: vec![Reasoning { text: thinking.into(), provider: signature() }], ..reply }
}

fn thought_of(message: &chat::Message) -> (&str, bool) {
    match &message.blocks[0] {
        Block::Thinking { thinking, provider } => (thinking, provider.is_some()),
        other => panic!("no thought: {other:?}"),
    }
}

fn after_a_long_thought() -> Story {
    let mut story = Story::new();
    let thinking = format!("head{}tail", "x".repeat(5_000));
    story.replies(reasoned(&thinking, Reply { calls: vec![call("a", "bash", "{}")], ..Reply::default() }));
    story.gives("a", "1");
    story
}

#[test]
fn a_thought_is_sent_back_whole_and_signed_while_the_turn_runs() {
    let story = after_a_long_thought();

    let (thinking, signed) = thought_of(&story.turn.messages()[1]);

    assert_eq!((thinking.len(), signed), (5_008, true));
}

#[test]
fn a_thought_is_kept_as_its_head_and_tail_without_a_signature() {
    let mut story = after_a_long_thought();
    story.says("Done.");

    let kept = story.turn.messages_for_history();
    let (thinking, signed) = thought_of(&kept[1]);

    assert!(thinking.starts_with("headx") && thinking.ends_with("xtail"));
    assert!(thinking.contains("\n[… 912 characters left out …]\n"), "{thinking}");
    assert!(!signed);
}

#[test]
fn a_short_thought_is_kept_whole() {
    let mut story = Story::new();
    story.replies(reasoned("hm", text("Hi!")));

    assert_eq!(thought_of(&story.turn.messages_for_history()[1]), ("hm", false));
}

#[test]
fn a_thought_that_only_the_vendor_can_read_is_not_kept() {
    let mut story = Story::new();
    story.replies(reasoned("", text("Hi!")));

    assert_eq!(story.turn.messages_for_history()[1].blocks, [Block::text("Hi!")]);
}

#[test]
fn a_blank_thought_is_none() {
    let mut story = Story::new();
    story.replies(Reply { reasoning: vec![Reasoning { text: " \n".into(), provider: None }], ..text("Hi!") });

    assert_eq!(story.last_message(), "assistant: Hi!");
}

#[test]
fn the_signature_of_a_call_stays_with_it() {
    let mut story = Story::new();
    story.calls([ToolCall { provider: signature(), ..call("a", "bash", "{}") }]);
    story.gives("a", "1");
    story.says("Done.");

    let kept = story.turn.messages_for_history();

    assert!(matches!(&kept[1].blocks[0], Block::ToolUse { provider: Some(_), .. }));
}

#[test]
fn a_turn_that_is_broken_off_answers_its_open_calls() {
    let mut story = Story::new();
    story.calls([call("a", "bash", "{}"), call("b", "bash", "{}")]);

    let outcome = story.turn.close(Interrupted { reason: "a fault in the program".into() });

    assert_eq!(outcome.kind, OutcomeKind::Failed);
    assert_eq!(outcome.text, "Sorry, the work broke off (a fault in the program). Please ask again.");
    assert_eq!(outcome.error.unwrap().class, "interrupted");
    assert!(
        story.messages()[2].starts_with("user: a!Interrupted: the program stopped before this call gave a result.")
    );
    assert!(story.messages()[2].contains("b!Not run: the program stopped before this call was started."));
    check_messages(&story.turn);
}

#[test]
fn a_turn_that_has_only_begun_can_be_broken_off() {
    let mut story = Story::new();

    story.turn.close(Interrupted { reason: "out of space".into() });

    assert_eq!(story.messages().len(), 2);
    check_messages(&story.turn);
    assert!(story.turn.on(crate::Input::BackoffElapsed).is_empty());
}

#[test]
fn a_turn_that_is_over_cannot_be_broken_off() {
    let mut story = Story::new();
    story.says("Hi!");

    let outcome = story.turn.close(Interrupted { reason: "late".into() });

    assert_eq!(outcome.text, "Hi!");
    assert_eq!(story.messages().len(), 2);
}
