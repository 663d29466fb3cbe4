//! What a model reports of the tokens it counted, and what that does to the size of what it is sent.

use std::sync::Arc;

use chat::{Usage, View, estimate};
use llm::ModelRequest;
use testkit::{FakeModel, Step};

use crate::support::{Bot, BotBuilder, conversation};

/// The turns that are played.
const TURNS: usize = 16;

fn answer() -> String {
    "so many words ".repeat(60)
}

/// A model that counts so many tokens for each that was expected.
fn counting(tokens: u64) -> FakeModel {
    let model = FakeModel::script([]);
    model.respond_with(move |request| {
        let usage = Usage { input: tokens * expected(request), cached: 0, output: 100 };
        Step::text(answer()).usage(usage)
    });
    model
}

fn expected(request: &ModelRequest) -> u64 {
    let messages = estimate::messages(request.messages.iter().map(Arc::as_ref));
    estimate::text(&request.system) + estimate::tools(&request.tools) + messages
}

async fn start(bot: BotBuilder) -> Bot {
    let settings = agent::Settings { context_tokens: Some(6_000), ..agent::Settings::default() };
    bot.settings(settings).start().await
}

async fn talk(bot: &mut Bot) {
    for _ in 0..TURNS {
        bot.says("and then?");
        bot.next_end().await;
    }
}

/// The most messages and tokens in a request of this model, after the first few, which teach.
fn largest(model: &FakeModel) -> (usize, u64) {
    let requests = model.requests();
    let later = &requests[TURNS / 2..];
    let messages = later.iter().map(|request| request.messages.len()).max();
    (messages.unwrap_or_default(), later.iter().map(|request| expected(request)).max().unwrap_or_default())
}

#[tokio::test(start_paused = true)]
async fn a_model_that_counts_twice_the_estimate_is_sent_half_as_much() {
    let (exact, double) = (counting(1), counting(2));
    for model in [&exact, &double] {
        let mut bot = start(Bot::with(model.model())).await;
        talk(&mut bot).await;
        bot.ends().await;
    }

    let ((most, tokens), (fewer, fewer_tokens)) = (largest(&exact), largest(&double));

    assert!(fewer < most, "{fewer} messages are not fewer than {most}");
    assert!((3_000..=4_800).contains(&tokens), "{tokens}");
    assert!(
        2 * fewer_tokens <= 4_800,
        "{fewer_tokens} as estimated are more as counted than eight tenths of the window"
    );
}

#[tokio::test(start_paused = true)]
async fn a_restart_forgets_what_was_learnt_and_changes_no_view() {
    let model = counting(2);
    let mut bot = start(Bot::with(model.model())).await;
    talk(&mut bot).await;
    let view = stored_view(&bot);
    assert_ne!(view, View::default(), "the view was never made smaller");

    let mut bot = start(bot.restarts(model.model()).await).await;
    let loaded = stored_view(&bot);
    bot.says("still there?");
    bot.next_end().await;

    assert_eq!(loaded, view);
    assert_eq!(stored_view(&bot), view, "what was fitted to a smaller budget fits a larger one");
    bot.ends().await;
}

fn stored_view(bot: &Bot) -> View {
    bot.ledger().load(&conversation("main")).expect("readable").expect("it was spoken in").view
}
