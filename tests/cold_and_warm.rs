//! A conversation that was just loaded and one that never left memory send the same to a model, whatever happened to them.

use std::sync::Arc;

use chat::{Budget, ErrorClass, History, Message, ModelError, Progress};
use proptest::prelude::*;
use serde_json::json;
use testkit::{FakeModel, ProbeTool, Step};

use crate::support::{Bot, BotBuilder, conversation};

/// So few that random conversations exceed it.
const TURNS: usize = 4;

#[derive(Clone, Debug)]
enum Happening {
    Says,
    UsesATool,
    Overflows,
    OverflowsTwice,
    Waits,
    RestartsWhileItWaits,
    Compact,
    New,
    Restart,
}

fn happening() -> impl Strategy<Value = Happening> {
    use Happening::{Compact, New, Overflows, OverflowsTwice, Restart, RestartsWhileItWaits, Says, UsesATool, Waits};
    prop_oneof![
        4 => Just(Says),
        2 => Just(UsesATool),
        1 => prop_oneof![Just(Waits), Just(RestartsWhileItWaits)],
        1 => prop_oneof![Just(Overflows), Just(OverflowsTwice), Just(Compact), Just(New), Just(Restart)],
    ]
}

fn overflow() -> Step {
    Step::error(ModelError::new(ErrorClass::Overflow, "too large"))
}

/// So busy that the turn leaves memory for a while.
fn busy() -> Step {
    Step::error(ModelError { retry_after_ms: Some(90_000), ..ModelError::new(ErrorClass::RateLimited, "busy") })
}

fn steps(happening: &Happening) -> Vec<Step> {
    let answer = Step::text("an answer");
    match happening {
        Happening::Says => vec![answer],
        Happening::UsesATool => vec![Step::calls([("look", json!({"at": "x".repeat(2_000)}))]), answer],
        Happening::Overflows => vec![overflow(), answer],
        Happening::OverflowsTwice => vec![overflow(), overflow(), answer],
        Happening::Waits | Happening::RestartsWhileItWaits => {
            vec![Step::calls([("look", json!({"at": "x".repeat(2_000)}))]), busy(), answer]
        }
        Happening::Compact | Happening::New | Happening::Restart => vec![],
    }
}

async fn start(bot: BotBuilder, look: &ProbeTool) -> Bot {
    let settings = agent::Settings { context_turns: TURNS, ..agent::Settings::default() };
    bot.tool(look.tool()).settings(settings).start().await
}

/// What the ledger says that is sent with the next message.
fn sent_when_cold(bot: &Bot) -> Vec<Arc<Message>> {
    let Some(stored) = bot.ledger().load(&conversation("main")).expect("readable") else { return Vec::new() };
    let history = History::from_messages(stored.messages).expect("only whole turns are stored");
    stored.view.fit(&history, Budget { tokens: u64::MAX / 2, turns: TURNS }).of(&history)
}

async fn play(happenings: Vec<Happening>) {
    let look = ProbeTool::new("look").returns(&"seen ".repeat(8_000));
    let model = FakeModel::script([]);
    let mut bot = start(Bot::with(model.model()), &look).await;
    for happening in happenings {
        model.then(steps(&happening));
        match happening {
            Happening::Restart => bot = start(bot.restarts(model.model()).await, &look).await,
            Happening::Compact | Happening::New => {
                bot.says(if matches!(happening, Happening::New) { "/new" } else { "/compact" });
                bot.hears_answer().await;
            }
            _ => {
                let cold = sent_when_cold(&bot);
                let asked = model.requests().len() + 1;
                bot.says("a question");
                if matches!(happening, Happening::RestartsWhileItWaits) {
                    bot.sees(|progress| matches!(progress, Progress::Notice { .. })).await;
                    bot.settles().await;
                    bot = start(bot.restarts(model.model()).await, &look).await;
                    bot.wakes_all();
                }
                bot.next_end().await;
                let warm = model.request(asked).await;
                assert_eq!(warm.messages[..warm.messages.len() - 1], cold[..], "what is held is not what is stored");
            }
        }
    }
    bot.ends().await;
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn cold_equals_warm(happenings in prop::collection::vec(happening(), 1..14)) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build();
        runtime.expect("a runtime").block_on(play(happenings));
    }
}
