//! Channels that are deaf, and adapters that end.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use agent::ChannelLine;
use chat::ChannelName;
use serde_json::json;
use testkit::{FakeModel, Step};
use tokio::time::{Instant, sleep};

use crate::support::Bot;
use crate::support::service::{Manner, Service, Writer};

#[tokio::test(start_paused = true)]
async fn the_owner_is_told_on_a_channel_that_works_when_another_is_deaf() {
    let model = FakeModel::script([Step::text("hello")]);
    let bot = Bot::with(model.model()).start().await;
    let (mut one, two) = (bot.service("one").await, bot.service("two").await);
    bot.lets_in(&["one", "two"], json!({ "owners": [1] }));
    one.says(&Writer::private("1"), "hi");
    one.hears("hello").await;

    for _ in 0..32 {
        one.fares(None);
        two.fares(Some("the token is wrong"));
        sleep(Duration::from_secs(10)).await;
    }
    let (chat, deaf) = one.notice().await;
    two.fares(None);
    let (_, back) = one.notice().await;

    assert!(chat == "1" && deaf.contains("two") && deaf.contains("5 minutes"), "{deaf}");
    assert!(back.contains("two") && back.contains("again"), "{back}");
    bot.ends().await;
}

#[tokio::test(start_paused = true)]
async fn how_a_channel_fares_is_told_when_it_changes() {
    let model = FakeModel::script([]);
    let bot = Bot::with(model.model()).start().await;
    let one = bot.service("one").await;
    let mut lines = bot.control().watch_channels();

    for trouble in [None, Some("no network"), Some("no network"), None, None] {
        one.fares(trouble);
    }
    sleep(Duration::from_secs(1)).await;

    let channel = one.name();
    assert_eq!(lines.recv().await, Some(ChannelLine::Trouble { channel: channel.clone(), what: "no network".into() }));
    assert_eq!(lines.recv().await, Some(ChannelLine::Works { channel: channel.clone() }));
    assert!(lines.try_recv().is_err());
    let status = bot.control().channels().await;
    assert_eq!((&status[0].channel, status[0].attempted_s, &status[0].trouble), (&channel, Some(1), &None));
    bot.ends().await;
}

#[tokio::test(start_paused = true)]
async fn an_adapter_that_dies_is_started_anew_alone_and_goes_on() {
    let model = FakeModel::script([Step::text("one\n---\ntwo"), Step::text("unharmed")]);
    let mut bot = Bot::with(model.model()).start().await;
    let mut other = bot.service("two").await;
    let starts = Arc::new(AtomicUsize::new(0));
    let (log, mut told) = tokio::sync::mpsc::unbounded_channel();
    let counted = Arc::clone(&starts);
    let spawn = move |doors, parent| {
        let first = counted.fetch_add(1, Ordering::Relaxed) == 0;
        let manner = Manner { dies_after: first.then_some(1) };
        let log = log.clone();
        async move { Ok::<_, String>(Service::adapter(doors, parent, log, manner).await) }
    };
    bot.agent().keep(ChannelName("one".into()), spawn).await.expect("the keeper starts");
    bot.lets_in(&["one", "two"], json!({ "owners": [1] }));
    let mut people = Service::start("one", bot.doors(), Manner::default()).await;

    people.says(&Writer::private("1"), "count");
    bot.open_deliveries("one", 1).await;
    bot.open_deliveries("one", 0).await;
    other.says(&Writer::private("1"), "and you?");
    other.hears("unharmed").await;

    assert_eq!(starts.load(Ordering::Relaxed), 2);
    let mut resumed = 0;
    while let Ok(told) = told.try_recv() {
        resumed += usize::from(matches!(told, chat::ToChannel::Resume { .. }));
    }
    assert_eq!(resumed, 1);
    bot.ends().await;
}

#[tokio::test(start_paused = true)]
async fn an_adapter_that_cannot_be_started_is_tried_again_after_pauses_that_grow() {
    let model = FakeModel::script([]);
    let mut bot = Bot::with(model.model()).start().await;
    let (tried, mut tries) = tokio::sync::mpsc::unbounded_channel();
    let spawn = move |_, _| {
        let _ = tried.send(Instant::now());
        async { Err::<agent::Adapter, _>("the token is wrong") }
    };
    bot.agent().keep(ChannelName("one".into()), spawn).await.expect("the keeper starts");

    let mut times = Vec::new();
    for _ in 0..9 {
        times.push(tries.recv().await.expect("it is tried for ever"));
    }

    let pauses: Vec<Duration> = times.windows(2).map(|pair| pair[1] - pair[0]).collect();
    assert!(pauses[0] >= Duration::from_secs(1) && pauses[0] <= Duration::from_millis(1_600), "{pauses:?}");
    assert!(pauses[3] >= Duration::from_secs(8), "{pauses:?}");
    assert!(pauses.iter().all(|pause| *pause <= Duration::from_secs(91)), "{pauses:?}");
    let status = bot.control().channels().await;
    assert!(status[0].trouble.as_deref().expect("it does not work").contains("the token is wrong"));
    bot.ends().await;
}
