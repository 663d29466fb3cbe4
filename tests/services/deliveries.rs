//! Answers in parts: stored before the first is sent, and gone on with after an end of the adapter or of the process.

use chat::{PartState, StoredPart, ToChannel};
use serde_json::json;
use testkit::{FakeModel, Step};

use crate::support::Bot;
use crate::support::service::{Manner, Service, Writer};

const ANSWER: &str = "one\n---\ntwo\n---\nthree";

async fn resumed(service: &mut Service) -> Vec<StoredPart> {
    service
        .next_where(|told| match told {
            ToChannel::Resume { parts, .. } => Some(parts),
            _ => None,
        })
        .await
}

fn states(parts: &[StoredPart]) -> Vec<(&str, bool)> {
    parts.iter().map(|part| (part.payload.as_str(), matches!(part.state, PartState::Sent(_)))).collect()
}

#[tokio::test(start_paused = true)]
async fn an_adapter_that_starts_anew_goes_on_behind_the_last_part_that_is_out() {
    let model = FakeModel::script([Step::text(ANSWER)]);
    let bot = Bot::with(model.model()).start().await;
    let mut service = bot.service_that("one", Manner { dies_after: Some(1) }).await;
    bot.lets_in(&["one"], json!({ "owners": [1] }));
    service.says(&Writer::private("1"), "count");
    service.hears(ANSWER).await;
    bot.sends_a_part("one").await;

    let mut service = bot.service("one").await;
    let parts = resumed(&mut service).await;

    assert_eq!(states(&parts), [("one", true), ("two", false), ("three", false)]);
    assert_eq!(parts[1].state, PartState::Sending);
    bot.open_deliveries("one", 0).await;
    bot.ends().await;
}

#[tokio::test(start_paused = true)]
async fn a_process_that_starts_anew_goes_on_behind_the_last_part_that_is_out() {
    let model = FakeModel::script([Step::text(ANSWER)]);
    let bot = Bot::with(model.model()).start().await;
    let mut service = bot.service_that("one", Manner { dies_after: Some(2) }).await;
    bot.lets_in(&["one"], json!({ "owners": [1] }));
    service.says(&Writer::private("1"), "count");
    service.hears(ANSWER).await;
    bot.sends_a_part("one").await;

    let model = FakeModel::script([]);
    let bot = bot.restarts(model.model()).await.start().await;
    let mut service = bot.service("one").await;
    let parts = resumed(&mut service).await;

    assert_eq!(states(&parts), [("one", true), ("two", true), ("three", false)]);
    bot.open_deliveries("one", 0).await;
    bot.ends().await;
}

#[tokio::test(start_paused = true)]
async fn what_is_out_is_not_handed_over_again() {
    let model = FakeModel::script([Step::text(ANSWER), Step::text("next")]);
    let bot = Bot::with(model.model()).start().await;
    let mut service = bot.service("one").await;
    bot.lets_in(&["one"], json!({ "owners": [1] }));
    service.says(&Writer::private("1"), "count");
    service.hears(ANSWER).await;
    bot.open_deliveries("one", 0).await;

    let mut service = bot.service("one").await;
    service.next_id = 10;
    service.says(&Writer::private("1"), "and on");

    service.hears("next").await;
    bot.ends().await;
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_was_never_rendered_comes_with_the_placeholder_of_its_turn() {
    let model = FakeModel::script([Step::text("hello")]);
    let bot = Bot::with(model.model()).start().await;
    // Nobody listens yet: the answer stays where it is.
    let mut before = Service::start("one", bot.doors(), Manner::default()).await;
    bot.lets_in(&["one"], json!({ "owners": [1] }));
    before.says(&Writer::private("1"), "hi");
    bot.open_deliveries("one", 1).await;
    let (key, turn) = (before.key("1"), chat::TurnId(1));
    let shown = chat::Receipt::Placeholder { key, turn, platform_id: "55".into() };
    bot.doors().delivery.send_message(shown).expect("delivery is up");

    let mut service = bot.service("one").await;

    let (placeholder, parts) = service
        .next_where(|told| match told {
            ToChannel::Resume { placeholder, parts, .. } => Some((placeholder, parts)),
            _ => None,
        })
        .await;
    assert_eq!((placeholder.as_deref(), parts.len()), (Some("55"), 0));
    bot.ends().await;
}

#[tokio::test(start_paused = true)]
async fn what_waits_since_an_earlier_process_is_worked_on_when_its_channel_is_there() {
    let model = FakeModel::script([Step::silence()]);
    let bot = Bot::with(model.model()).start().await;
    let mut service = bot.service("one").await;
    bot.lets_in(&["one"], json!({ "owners": [1] }));
    service.says(&Writer::private("1"), "the first");
    model.await_request(1).await;
    let mut waiting = service.inbound(&Writer::private("1"), "the second");
    waiting.when_busy = chat::WhenBusy::Queue;
    service.arrives(chat::Arrival::Message(waiting));
    let accepted = |ledger: &store::Ledger| {
        ledger.verify().expect("it can be read").inbox.iter().map(|count| count.rows).sum::<i64>() == 2
    };
    bot.until("both are accepted", accepted).await;

    let model = FakeModel::script([Step::text("late, but here")]);
    let bot = bot.restarts(model.model()).await.start().await;
    let mut service = bot.service("one").await;

    service.hears("late, but here").await;
    bot.ends().await;
}
