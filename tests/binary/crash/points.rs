//! A death at each named point, and what every later start has to make true.

use serde_json::json;
use testkit::{ScriptedModel, Step};

use super::tale::{Tale, UNCERTAIN};

/// Dies at a point while a line is said and answered, starts again until nothing is left to do, and checks all that must hold.
async fn dies_at(point: &str) -> Tale {
    let model = ScriptedModel::start().await;
    let mut tale = Tale::with(&model);
    tale.dies_at(point, "do 1").await;
    tale.comes_to_rest().await;
    tale.check().await;
    tale
}

#[tokio::test]
async fn after_the_inbox_commit() {
    let tale = dies_at("inbox_committed").await;

    assert_eq!((tale.answers(1), tale.log("1-a"), tale.log("1-b")), (1, 1, 1));
}

#[tokio::test]
async fn before_the_acknowledgement() {
    let tale = dies_at("before_acknowledgement").await;

    assert_eq!((tale.answers(1), tale.log("1-a"), tale.log("1-b")), (1, 1, 1));
}

#[tokio::test]
async fn when_it_is_on_disk_that_a_command_starts() {
    let tale = dies_at("effect_started").await;

    assert_eq!((tale.answers(1), tale.log("1-a"), tale.log("1-b")), (1, 0, 1));
    assert!(tale.told().contains(UNCERTAIN), "{}", tale.told());
}

#[tokio::test]
async fn when_a_command_has_ended_and_its_result_is_not_on_record() {
    let tale = dies_at("tool_ended").await;

    assert_eq!((tale.answers(1), tale.log("1-a"), tale.log("1-b")), (1, 1, 1));
    assert!(tale.told().contains(UNCERTAIN), "{}", tale.told());
}

#[tokio::test]
async fn in_the_middle_of_the_final_transaction() {
    let tale = dies_at("final_transaction").await;

    assert_eq!((tale.answers(1), tale.log("1-a"), tale.log("1-b")), (1, 1, 1));
}

#[tokio::test]
async fn after_the_final_transaction() {
    let tale = dies_at("final_committed").await;

    assert_eq!((tale.answers(1), tale.log("1-a"), tale.log("1-b")), (1, 1, 1));
    assert!(tale.told().contains("may be a repeat"), "{}", tale.told());
}

#[tokio::test]
async fn before_a_send() {
    let tale = dies_at("before_send").await;

    assert_eq!((tale.answers(1), tale.log("1-a"), tale.log("1-b")), (1, 1, 1));
}

#[tokio::test]
async fn after_a_send() {
    let tale = dies_at("after_send").await;

    assert_eq!((tale.answers(1), tale.log("1-a"), tale.log("1-b")), (2, 1, 1));
    assert!(tale.told().contains("may be a repeat"), "{}", tale.told());
}

#[tokio::test]
async fn while_suspended() {
    let model = ScriptedModel::start().await;
    model.script([Step::retry_after(429, 1)]);
    let mut tale = Tale::with(&model).set("COWHAND__CONVERSATIONS__SUSPEND_AFTER_S", "0");

    tale.dies_at("suspended", "do 1").await;
    tale.comes_to_rest().await;

    tale.check().await;
    assert_eq!((tale.answers(1), tale.log("1-a"), tale.log("1-b")), (1, 1, 1));
}

/// Whether the answer itself was on record before the end was to be written is a matter of moments; nothing runs twice for it.
#[tokio::test]
async fn an_end_that_cannot_be_written_three_times_is_an_answer_or_a_message_set_aside() {
    let model = ScriptedModel::start().await;
    let mut tale = Tale::with(&model);

    for line in ["do 1", "do 2", "do 3"] {
        tale.dies_at("final_transaction", line).await;
    }
    tale.comes_to_rest().await;

    tale.verified().await;
    let is_given_up = usize::from(tale.told().contains("set aside"));
    assert_eq!((tale.answers(1) + is_given_up, tale.answers(2), tale.answers(3)), (1, 1, 1), "{}", tale.told());
    assert!(tale.log("1-a") <= 1 && tale.log("1-b") <= 1, "no attempt ran them again");
}

#[tokio::test]
async fn a_message_that_kills_three_attempts_is_set_aside_and_what_waits_behind_it_is_answered() {
    let model = ScriptedModel::start().await;
    let mut tale = Tale::with(&model);

    for line in ["do 1", "do 2", "do 3"] {
        tale.dies_at("turn_opened", line).await;
    }
    tale.comes_to_rest().await;

    assert!(tale.told().contains("set aside"), "{}", tale.told());
    assert_eq!([1, 2, 3].map(|number| tale.answers(number)), [0, 1, 1]);
    let report = tale.verified().await;
    assert!(report["inbox"].as_array().expect("a list").iter().any(|row| row["reason"] == "set_aside"), "{report}");
}

/// A call that leaves the same state is run again, and its person is not bothered.
#[tokio::test]
async fn a_file_that_was_being_written_is_written_again() {
    let model = ScriptedModel::start().await;
    model.script([Step::calls([("write", json!({"path": "pear.txt", "content": "a pear"}))]), Step::text("done 1")]);
    let mut tale = Tale::with(&model);

    tale.dies_at("tool_ended", "do 1").await;
    tale.comes_to_rest().await;

    tale.verified().await;
    assert_eq!(tale.answers(1), 1);
    assert!(!tale.told().contains(UNCERTAIN), "{}", tale.told());
    assert!(!model.request(2).await.tool_results()[0].contains("Interrupted"));
}
