//! What people do to what they wrote; pictures; a queue that is full.

use std::collections::BTreeSet;
use std::time::Duration;

use chat::{Arrival, Attachment, AttachmentContent, MessageId, RefusalReason, ToChannel};
use serde_json::json;
use testkit::{FakeModel, Gate, ProbeTool, Step};

use crate::support::Bot;
use crate::support::service::{Service, Writer};

fn ann() -> Writer {
    Writer::private("1")
}

/// A bot with a turn that runs until the gate opens, and what it answers afterwards.
async fn busy(then: &[&str], gate: &Gate) -> (Bot, Service, FakeModel, ProbeTool) {
    let tool = ProbeTool::new("slow").gated(gate);
    let model = FakeModel::script([Step::calls([("slow", json!({}))])]);
    model.then(then.iter().map(|text| Step::text(*text)));
    let settings = agent::Settings { waiting: 3, ..agent::Settings::default() };
    let bot = Bot::with(model.model()).tool(tool.tool()).settings(settings).start().await;
    let mut service = bot.service("one").await;
    bot.lets_in(&["one"], json!({ "owners": [1] }));
    service.says(&ann(), "take your time");
    tool.await_calls(1).await;
    (bot, service, model, tool)
}

/// Says something that waits while a turn runs.
fn queues(service: &mut Service, text: &str) -> MessageId {
    let mut inbound = service.inbound(&ann(), text);
    inbound.when_busy = chat::WhenBusy::Queue;
    let id = inbound.id.clone();
    service.arrives(Arrival::Message(inbound));
    id
}

async fn accepted(service: &mut Service, wanted: &MessageId) {
    service.next_where(|told| matches!(told, ToChannel::Accepted { id, .. } if id == *wanted).then_some(())).await;
}

#[tokio::test(start_paused = true)]
async fn an_edit_of_a_message_that_waits_takes_its_place() {
    let gate = Gate::new();
    let (bot, mut service, model, _tool) = busy(&["done", "four"], &gate).await;
    let id = queues(&mut service, "what is 2 + 3?");

    service.edits(&ann(), &id, "what is 2 + 2?");
    accepted(&mut service, &id).await;
    accepted(&mut service, &id).await;
    gate.open();

    service.hears("done").await;
    service.hears("four").await;
    let request = model.request(3).await;
    assert_eq!(request.messages.last().expect("one").visible_text(), "what is 2 + 2?");
    bot.ends().await;
}

#[tokio::test(start_paused = true)]
async fn an_edit_of_what_the_turn_works_on_directs_the_turn() {
    let gate = Gate::new();
    let (bot, mut service, model, _tool) = busy(&["as you wish"], &gate).await;

    let id = MessageId("1-1".into());
    service.edits(&ann(), &id, "be quick");
    accepted(&mut service, &id).await;
    accepted(&mut service, &id).await;
    gate.open();

    service.hears("as you wish").await;
    let request = model.request(2).await;
    assert!(request.messages.last().expect("one").visible_text().contains("be quick"));
    bot.ends().await;
}

#[tokio::test(start_paused = true)]
async fn an_edit_of_what_was_answered_changes_nothing() {
    let model = FakeModel::script([Step::text("hello")]);
    let bot = Bot::with(model.model()).start().await;
    let mut service = bot.service("one").await;
    bot.lets_in(&["one"], json!({ "owners": [1] }));
    let id = service.says(&ann(), "hi");
    service.hears("hello").await;

    service.edits(&ann(), &id, "hi!");
    accepted(&mut service, &id).await;
    tokio::time::sleep(Duration::from_secs(5)).await;

    assert_eq!(model.requests().len(), 1);
    bot.ends().await;
}

#[tokio::test(start_paused = true)]
async fn a_message_that_is_taken_back_while_it_waits_is_not_worked_on() {
    let gate = Gate::new();
    let (bot, mut service, model, _tool) = busy(&["done"], &gate).await;
    let id = queues(&mut service, "forget this");
    accepted(&mut service, &id).await;

    service.arrives(Arrival::Deleted { key: service.key("1"), id });
    gate.open();

    service.hears("done").await;
    tokio::time::sleep(Duration::from_secs(5)).await;
    assert_eq!(model.requests().len(), 2);
    bot.ends().await;
}

#[tokio::test(start_paused = true)]
async fn f01_each_message_is_answered_or_refused_also_while_the_bot_goes_down() {
    let gate = Gate::new();
    let (bot, mut service, _model, _tool) = busy(&["done", "0", "1", "2"], &gate).await;
    let said: Vec<MessageId> = (0..10).map(|number| queues(&mut service, &number.to_string())).collect();
    let mut refused = BTreeSet::new();
    let mut texts = Vec::new();
    for _ in 0..7 {
        let (id, reason, text) = service.next_where(refusal).await;
        assert_eq!(reason, RefusalReason::QueueFull);
        refused.insert(id);
        texts.push(text);
    }
    assert_eq!(refused, said[3..].iter().cloned().collect());
    assert!(texts[0].contains("not taken") && texts[1..].iter().all(String::is_empty), "{texts:?}");
    gate.open();
    service.hears("done").await;
    for number in 0..3 {
        service.hears(&number.to_string()).await;
    }

    bot.closes();
    let late = queues(&mut service, "one more");

    let (id, reason, text) = service.next_where(refusal).await;
    assert_eq!((id, reason), (late, RefusalReason::ShuttingDown));
    assert!(text.contains("going down"), "{text}");
    bot.ends().await;
}

fn refusal(told: ToChannel) -> Option<(MessageId, RefusalReason, String)> {
    match told {
        ToChannel::Refused { id, reason, text, .. } => Some((id, reason, text)),
        _ => None,
    }
}

fn picture(service: &mut Service, text: &str) -> Arrival {
    let mut inbound = service.inbound(&ann(), text);
    let content = AttachmentContent::Stored("/data/blobs/cat.png".into());
    inbound.attachments =
        vec![Attachment { name: "cat.png".into(), media_type: "image/png".into(), bytes: 7, content }];
    Arrival::Message(inbound)
}

async fn with_answers(answers: &[&str]) -> (Bot, Service, FakeModel) {
    let model = FakeModel::script(answers.iter().map(|text| Step::text(*text)));
    let bot = Bot::with(model.model()).start().await;
    let service = bot.service("one").await;
    bot.lets_in(&["one"], json!({ "owners": [1] }));
    (bot, service, model)
}

#[tokio::test(start_paused = true)]
async fn a_picture_without_a_word_waits_for_its_question() {
    let (bot, mut service, model) = with_answers(&["a cat"]).await;

    let alone = picture(&mut service, "");
    service.arrives(alone);
    service.next_where(|told| matches!(told, ToChannel::Noticed { .. }).then_some(())).await;
    tokio::time::sleep(Duration::from_secs(200)).await;
    service.says(&ann(), "what is it?");

    service.hears("a cat").await;
    let text = model.request(1).await.messages[0].visible_text();
    assert!(text.starts_with("what is it?") && text.contains("/data/blobs/cat.png"), "{text}");
    bot.ends().await;
}

#[tokio::test(start_paused = true)]
async fn a_picture_that_waited_long_enough_goes_alone_and_one_with_words_at_once() {
    let (bot, mut service, model) = with_answers(&["a cat", "still a cat"]).await;

    for _ in 0..3 {
        let alone = picture(&mut service, "");
        service.arrives(alone);
    }
    service.hears("a cat").await;
    let with_words = picture(&mut service, "and now?");
    service.arrives(with_words);

    service.hears("still a cat").await;
    assert_eq!(model.requests().len(), 2, "those that waited went together");
    bot.ends().await;
}

#[tokio::test(start_paused = true)]
async fn files_and_what_was_quoted_are_named_to_the_model() {
    let (bot, mut service, model) = with_answers(&["read"]).await;
    let mut inbound = service.inbound(&ann(), "what of this?");
    inbound.quoted = Some("an old\nword".into());
    let gone = AttachmentContent::Missing("it is larger than 20 MB".into());
    inbound.attachments = vec![Attachment {
        name: "big.zip".into(),
        media_type: "application/zip".into(),
        bytes: 30_000_000,
        content: gone,
    }];

    service.arrives(Arrival::Message(inbound));

    service.hears("read").await;
    let text = model.request(1).await.messages[0].visible_text();
    assert!(text.starts_with("> an old\n> word\n\nwhat of this?"), "{text}");
    assert!(text.contains("big.zip") && text.contains("larger than 20 MB"), "{text}");
    bot.ends().await;
}
