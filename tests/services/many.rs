//! Many conversations at once.

use std::collections::BTreeMap;

use serde_json::json;
use testkit::{FakeModel, Step};

use crate::support::Bot;
use crate::support::service::{Service, Writer};

const CHATS: usize = 100;
const ROUNDS: usize = 3;

fn ask(service: &mut Service, mark: &str) {
    for round in 0..ROUNDS {
        for chat in 0..CHATS {
            let chat = format!("{}", 1_000 + chat);
            let writer = Writer { chat: chat.clone(), ..Writer::private("1") };
            let mut inbound = service.inbound(&writer, &format!("{mark}/{chat}/{round}"));
            inbound.when_busy = chat::WhenBusy::Queue;
            service.arrives(chat::Arrival::Message(inbound));
        }
    }
}

async fn answers(service: &mut Service) -> BTreeMap<String, Vec<String>> {
    let mut heard: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for _ in 0..CHATS * ROUNDS {
        let (chat, text) = service.answer().await;
        heard.entry(chat).or_default().push(text);
    }
    heard
}

#[tokio::test(start_paused = true)]
async fn two_hundred_conversations_over_two_services_are_answered_once_in_order_and_not_mixed() {
    let model = FakeModel::script([]);
    model.respond_with(|request| {
        let said: Vec<String> = request.messages.iter().map(|message| message.visible_text()).collect();
        Step::text(format!("echo {}", said.last().expect("one")))
    });
    let bot = Bot::with(model.model()).start().await;
    let (mut one, mut two) = (bot.service("one").await, bot.service("two").await);
    bot.lets_in(&["one", "two"], json!({ "owners": [1] }));

    ask(&mut one, "one");
    ask(&mut two, "two");

    for (service, mark) in [(&mut one, "one"), (&mut two, "two")] {
        for (chat, texts) in answers(service).await {
            let expected: Vec<String> = (0..ROUNDS).map(|round| format!("echo {mark}/{chat}/{round}")).collect();
            assert_eq!(texts, expected);
        }
    }
    for request in model.requests() {
        let said: Vec<String> = request.messages.iter().map(|message| message.visible_text()).collect();
        let conversation = said[0].rsplit_once('/').expect("a mark").0.to_owned();
        assert!(said.iter().all(|text| text.contains(&conversation)), "{said:?}");
    }
    bot.ends().await;
}
