//! Cases C of public failures, and properties.

use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::history::is_acceptable;

fn call(id: &str) -> Block {
    Block::ToolUse { id: id.into(), name: "exec".into(), input: json!({}), provider: None }
}

fn result(id: &str, content: &str) -> Block {
    Block::ToolResult { tool_use_id: id.into(), content: content.into(), is_error: false }
}

fn user(blocks: impl Into<Vec<Block>>) -> Message {
    Message { role: Role::User, blocks: blocks.into() }
}

fn assistant(blocks: impl Into<Vec<Block>>) -> Message {
    Message { role: Role::Assistant, blocks: blocks.into() }
}

fn results_in(message: &Message) -> Vec<(String, String)> {
    let pairs = message.blocks.iter().filter_map(|block| match block {
        Block::ToolResult { tool_use_id, content, .. } => Some((tool_use_id.clone(), content.clone())),
        _ => None,
    });
    pairs.collect()
}

#[test]
fn a_valid_history_comes_back_as_it_went_in() {
    let history = vec![
        Message::user("ls, both"),
        assistant([Block::text("looking"), call("a"), call("b")]),
        user([result("b", "2"), result("a", "1"), Block::text("and hurry")]),
        Message::assistant("done"),
        Message::user("thanks"),
    ];

    assert_eq!(repair(history.clone()), (history, vec![]));
}

#[test]
fn c01_a_call_whose_process_died_is_answered_before_what_came_next() {
    let history = vec![Message::user("ls"), assistant([call("toolu_1")]), Message::user("hi")];

    let (repaired, repairs) = repair(history);

    assert_eq!(repairs, [Repair::AnsweredCall("toolu_1".into())]);
    assert_eq!(results_in(&repaired[2]), [("toolu_1".to_owned(), MISSING_RESULT.to_owned())]);
    assert_eq!(repaired[2].visible_text(), "hi");
    assert_eq!(repaired.len(), 3);
}

#[test]
fn c03_a_result_that_stands_later_comes_to_its_call() {
    let history = vec![
        Message::user("delete it"),
        assistant([call("s:6")]),
        Message::user("hello?"),
        user([result("s:6", "ok")]),
        Message::user("still there?"),
    ];

    let (repaired, _) = repair(history);

    assert_eq!(repaired.len(), 3);
    assert_eq!(results_in(&repaired[2]), [("s:6".to_owned(), "ok".to_owned())]);
    assert_eq!(repaired[2].visible_text(), "hello?\nstill there?");
}

#[test]
fn c05_a_result_without_a_call_goes() {
    let history = vec![
        Message::user("write it"),
        Message::assistant("I will"),
        user([result("gone", "Error"), Block::text("again")]),
    ];

    let (repaired, repairs) = repair(history);

    assert_eq!(repaired[2], Message::user("again"));
    assert_eq!(repairs, [Repair::DroppedResult("gone".into())]);
}

#[test]
fn c07_two_questions_in_a_row_become_one_message() {
    let (repaired, _) = repair(vec![Message::user("haiku"), Message::user("haiku")]);

    assert_eq!(repaired.len(), 1);
    assert_eq!(repaired[0].visible_text(), "haiku\nhaiku");
}

#[test]
fn c09_one_id_for_every_call_is_paired_by_position() {
    let mut history = vec![Message::user("go")];
    for round in 0..4 {
        history.push(assistant([call("ZsSt")]));
        history.push(user([result("ZsSt", &format!("r{round}"))]));
    }

    let (repaired, _) = repair(history);

    let results: Vec<_> = repaired.iter().flat_map(results_in).collect();
    let contents: Vec<_> = results.iter().map(|(_, content)| content.as_str()).collect();
    assert_eq!(contents, ["r0", "r1", "r2", "r3"]);
    assert!(is_acceptable(&repaired));
}

#[test]
fn a_missing_result_does_not_take_that_of_a_later_call_of_the_same_id() {
    let history = vec![
        Message::user("go"),
        assistant([call("x")]),
        Message::user("what now?"),
        assistant([call("x")]),
        user([result("x", "second")]),
    ];

    let (repaired, _) = repair(history);

    assert_eq!(results_in(&repaired[2])[0].1, MISSING_RESULT);
    assert_eq!(results_in(&repaired[4])[0].1, "second");
}

#[test]
fn c11_one_id_for_two_calls_of_one_reply_gives_two_results() {
    let history =
        vec![Message::user("go"), assistant([call("a"), call("a")]), user([result("a", "1"), result("a", "2")])];

    let (repaired, _) = repair(history);

    let calls: Vec<_> = repaired[1].tool_use_ids().map(str::to_owned).collect();
    assert_ne!(calls[0], calls[1]);
    let expected = vec![(calls[0].clone(), "1".to_owned()), (calls[1].clone(), "2".to_owned())];
    assert_eq!(results_in(&repaired[2]), expected);
}

#[test]
fn a_second_result_for_the_same_call_goes() {
    let history = vec![Message::user("go"), assistant([call("a")]), user([result("a", "1"), result("a", "2")])];

    let (repaired, repairs) = repair(history);

    assert_eq!(results_in(&repaired[2]), [("a".to_owned(), "1".to_owned())]);
    assert_eq!(repairs, [Repair::DroppedResult("a".into())]);
}

#[test]
fn a_history_that_begins_with_the_assistant_gets_a_beginning() {
    let (repaired, repairs) = repair(vec![Message::assistant("welcome"), Message::user("hi")]);

    assert_eq!(repaired.len(), 3);
    assert_eq!(repaired[1].visible_text(), "welcome");
    assert_eq!(repairs, [Repair::AddedBeginning]);
}

#[test]
fn what_is_empty_goes() {
    let history = vec![
        Message::user("hi"),
        assistant([Block::text("")]),
        user([Block::text(" \n"), Block::text("there")]),
        user([]),
    ];

    let (repaired, _) = repair(history);

    assert_eq!(repaired, [user([Block::text("hi"), Block::text("there")])]);
}

#[test]
fn nothing_stays_nothing() {
    assert_eq!(repair(vec![]), (vec![], vec![]));
}

fn any_block() -> impl Strategy<Value = Block> {
    let id = prop_oneof![Just(""), Just("a"), Just("b"), Just("a_2")];
    let text = prop_oneof![Just(""), Just(" "), Just("word"), Just("another")];
    prop_oneof![
        3 => text.clone().prop_map(Block::text),
        3 => id.clone().prop_map(call),
        3 => (id, text.clone()).prop_map(|(id, content)| result(id, content)),
        1 => text.clone().prop_map(|text| Block::Thinking { thinking: text.into(), provider: None }),
        1 => text.prop_map(|data| Block::Image { media_type: "image/png".into(), data: data.into() }),
    ]
}

fn any_messages() -> impl Strategy<Value = Vec<Message>> {
    let role = prop_oneof![Just(Role::User), Just(Role::Assistant)];
    let message = (role, prop::collection::vec(any_block(), 0..5)).prop_map(|(role, blocks)| Message { role, blocks });
    prop::collection::vec(message, 0..12)
}

fn words_of(messages: &[Message], role: Role) -> Vec<String> {
    let blocks = messages.iter().filter(|message| message.role == role).flat_map(|message| &message.blocks);
    let words = blocks.filter_map(|block| match block {
        Block::Text { text, hidden: false } if !text.trim().is_empty() => Some(text.clone()),
        _ => None,
    });
    words.collect()
}

proptest! {
    #[test]
    fn anything_becomes_valid_and_stays_as_it_is_then(messages in any_messages()) {
        let (repaired, _) = repair(messages);

        prop_assert!(is_acceptable(&repaired), "{repaired:?}");
        prop_assert_eq!(repair(repaired.clone()), (repaired, vec![]));
    }

    #[test]
    fn no_word_is_lost(messages in any_messages()) {
        let (repaired, _) = repair(messages.clone());

        for role in [Role::User, Role::Assistant] {
            prop_assert_eq!(words_of(&repaired, role), words_of(&messages, role));
        }
    }
}
