//! A service that is slow, strange or away.

use chat::{ChannelNews, Receipt, ToChannel};
use serde_json::json;
use testkit::FakeTelegram;
use testkit::fake_telegram::Fault;
use tokio::time::Duration;

use super::desk::{Desk, notice};
use crate::telegram::client::{Client, Token};

const CONFLICT: &str =
    "Conflict: terminated by other getUpdates request; make sure that only one bot instance is running";

/// Whether an attempt went wrong, and in this way.
fn is_trouble(news: &ChannelNews, with: &str) -> bool {
    matches!(news, ChannelNews::Attempted { trouble: Some(trouble) } if trouble.contains(with))
}

fn is_well(news: &ChannelNews) -> bool {
    *news == ChannelNews::Attempted { trouble: None }
}

#[tokio::test]
async fn d09_a_conflict_is_told_and_outlived() {
    let service = FakeTelegram::start();
    service.fail_times("getUpdates", 5, Fault::Refuse(409, CONFLICT));
    let mut desk = Desk::open_with(service, |_, _| {}).await;
    desk.service.says(&desk.ada(), "hi");

    for _ in 0..5 {
        desk.news(|news| is_trouble(news, "another program reads this bot's messages")).await;
    }
    desk.news(is_well).await;
    assert_eq!(desk.takes().await.text, "hi");
    desk.close().await;
}

#[tokio::test]
async fn d11_a_poll_that_is_never_answered_is_given_up() {
    let service = FakeTelegram::start();
    service.fail("getUpdates", Fault::Hang);
    let mut desk = Desk::open_with(service, |settings, tempo| {
        settings.poll_s = 0;
        tempo.poll_margin = Duration::from_millis(200);
    })
    .await;
    desk.service.says(&desk.ada(), "hi");

    desk.news(|news| is_trouble(news, "no answer within")).await;

    assert_eq!(desk.takes().await.text, "hi");
    desk.parent.finish().await;
}

#[tokio::test]
async fn w30_a_bot_that_is_not_known_at_first_is_asked_for_again() {
    let service = FakeTelegram::start();
    service.fail("getMe", Fault::Refuse(401, "Unauthorized"));
    service.fail("getMe", Fault::BadGateway);
    service.fail("getMe", Fault::Garbage);
    service.fail("getMe", Fault::Flood(0));
    let mut desk = Desk::open_with(service, |_, _| {}).await;

    desk.news(|news| is_trouble(news, "does not know the token")).await;
    desk.news(|news| is_trouble(news, "502")).await;
    desk.news(|news| matches!(news, ChannelNews::Ready { .. })).await;
    desk.close().await;
}

#[tokio::test]
async fn a_service_that_dies_for_a_while_is_back_when_it_is_back() {
    let mut desk = Desk::open().await;
    let ada = desk.ada();
    desk.service.says(&ada, "before");
    let before = desk.takes().await;
    desk.service.is_read().await;

    desk.service.die().await;
    desk.news(|news| is_trouble(news, "cannot be reached")).await;
    desk.service.says(&ada, "meanwhile");
    desk.service.revive();

    assert_eq!(desk.takes().await.text, "meanwhile");
    let told = desk.delivers(notice(&before, 1, "answer")).await;
    assert!(matches!(told.last(), Some(Receipt::Sent(_))), "{told:?}");
    desk.close().await;
}

#[tokio::test]
async fn an_answer_that_found_nobody_is_sent_when_the_service_is_back_without_a_mark() {
    let mut desk = Desk::open().await;
    desk.service.says(&desk.ada(), "hi");
    let inbound = desk.takes().await;
    desk.service.is_read().await;
    desk.service.die().await;
    // The connections that were open are broken now, and that is known.
    desk.news(|news| is_trouble(news, "cannot be reached")).await;

    let outbound = notice(&inbound, 1, "answer");
    let (key, delivery) = (outbound.key.clone(), outbound.id);
    desk.tell(ToChannel::Deliver(outbound.clone()));
    let Receipt::Rendered { .. } = desk.receipts.next().await else { panic!("not rendered") };
    desk.tell(ToChannel::PartsStored { key: key.clone(), delivery });
    let Receipt::PartSending { .. } = desk.receipts.next().await else { panic!("not sending") };
    desk.tell(ToChannel::PartCleared { key: key.clone(), delivery, part: 0 });
    let Receipt::PartSending { .. } = desk.receipts.next().await else { panic!("not sending again") };
    desk.service.revive();
    desk.tell(ToChannel::PartCleared { key, delivery, part: 0 });
    let told = desk.plays_delivery(&outbound).await;

    assert!(matches!(told.last(), Some(Receipt::Sent(_))), "{told:?}");
    let texts: Vec<_> = desk.service.standing(7).into_iter().map(|it| it.text).collect();
    assert_eq!(texts, ["answer"]);
    desk.close().await;
}

#[tokio::test]
async fn h11_the_token_is_in_nothing_that_is_told() {
    let token = FakeTelegram::start().token();
    let secret = token.split_once(':').unwrap().1;
    let service = FakeTelegram::start();
    let quoted =
        "Internal: POST https://api.telegram.org/bot123456:AAFakeTokenForTest_0123456789abcdefg/sendMessage failed";
    service.fail("getMe", Fault::Refuse(500, quoted));
    let mut desk = Desk::open_with(service, |_, _| {}).await;

    let ChannelNews::Attempted { trouble: Some(trouble) } = desk.news(|news| is_trouble(news, "500")).await else {
        panic!("no trouble")
    };
    assert!(trouble.contains("sendMessage failed") && !trouble.contains(secret), "{trouble}");

    desk.service.says(&desk.ada(), "hi");
    let inbound = desk.takes().await;
    desk.service.fail("sendMessage", Fault::Refuse(400, quoted));
    let told = desk.delivers(notice(&inbound, 1, "x")).await;
    assert!(matches!(told.last(), Some(Receipt::Failed { .. })) && !format!("{told:?}").contains(secret), "{told:?}");
    desk.close().await;
}

#[tokio::test]
async fn d29_no_failure_and_no_debug_form_shows_the_token() {
    let secret = "AAFakeTokenForTest_0123456789abcdefg";
    let token = format!("123456:{secret}");
    let (service, http) = (FakeTelegram::start(), reqwest::Client::new());
    service.fail("getMe", Fault::Garbage);
    service.fail("getMe", Fault::LoseAnswer);
    service.fail("getMe", Fault::Hang);
    // Nobody listens there; the second is not encrypted; the third is no address.
    let urls = ["http://127.0.0.1:1", &service.api_url().replace("http", "https"), "no address", &service.api_url()];

    let mut shown = Vec::new();
    for url in urls {
        let client = Client::new(http.clone(), url, Token::new(&token));
        shown.push(format!("{client:?}"));
        for _ in 0..2 {
            let failed = client.call::<serde_json::Value>("getMe", &json!({})).await.unwrap_err();
            shown.push(format!("{failed} {failed:?}"));
        }
        let failed = client.updates(0, 0, Duration::from_millis(1)).await;
        shown.push(format!("{failed:?}"));
    }

    assert!(shown.iter().all(|text| !text.contains(secret)), "{shown:#?}");
    assert_eq!(shown.len(), 16);
}
