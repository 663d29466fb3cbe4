//! `cowhand serve` against a Bot API on a real socket.

use rustix::process::Signal;
use testkit::{FakeTelegram, ScriptedModel, Step};

use crate::support::process::{Place, Process, argument};

const OWNER: i64 = 7;

fn place(telegram: &FakeTelegram, model: &ScriptedModel) -> Place {
    let place = Place::with(model).set("TELEGRAM_BOT_TOKEN", telegram.token());
    let place = place.set("COWHAND__TELEGRAM__API_URL", &telegram.api_url());
    place.file("cowhand.toml", &format!("[access.telegram]\nowners = [{OWNER}]\n"));
    place
}

async fn serving(place: &Place) -> Process {
    let config = place.work().join("cowhand.toml");
    let mut process = place.start(&["--config", argument(&config), "serve"]);
    let line = process.line().await;
    assert!(line.contains("is ready: telegram"), "{line}");
    process
}

#[tokio::test]
async fn from_the_token_to_talking() {
    let telegram = FakeTelegram::start();
    let model = ScriptedModel::start().await;
    model.script([Step::text("at your service")]);
    let place = Place::with(&model).set("TELEGRAM_BOT_TOKEN", telegram.token());
    let place = place.set("COWHAND__TELEGRAM__API_URL", &telegram.api_url());
    let mut process = place.start(&["serve"]);
    let ada = telegram.person(OWNER, "Ada");

    let shown = process.complaint("Send this code").await;
    telegram.says(&ada, "/start");
    telegram.says(&ada, shown.split_whitespace().last().expect("a code"));
    telegram.hears("You are the owner").await;
    telegram.says(&ada, "who are you?");

    telegram.hears("at your service").await;
    process.signal(Signal::TERM);
    assert_eq!(process.leaves().await.code, 0);
    assert_eq!(telegram.refusals(), Vec::<String>::new());
    model.finish();
}

#[tokio::test]
async fn a_wrong_token_is_a_clear_line_and_no_end() {
    let telegram = FakeTelegram::start();
    let place = Place::with_demo().set("TELEGRAM_BOT_TOKEN", "1:wrong");
    let place = place.set("COWHAND__TELEGRAM__API_URL", &telegram.api_url());
    let mut process = place.start(&["serve"]);

    let line = process.complaint("trying again").await;

    assert!(line.starts_with("telegram: ") && line.contains("token"), "{line}");
    process.signal(Signal::TERM);
    assert_eq!(process.leaves().await.code, 0);
}

#[tokio::test]
async fn it_answers_its_owner_and_goes_on_after_a_kill() {
    let telegram = FakeTelegram::start();
    let model = ScriptedModel::start().await;
    model.script([Step::text("at your service"), Step::text("still here")]);
    let place = place(&telegram, &model);
    let process = serving(&place).await;
    let ada = telegram.person(OWNER, "Ada");

    telegram.says(&ada, "who are you?");
    telegram.hears("at your service").await;
    // Text that is still being written would be asked for again.
    telegram.without_buttons(OWNER).await;
    telegram.is_read().await;
    process.gets_killed().await;
    telegram.says(&ada, "are you there?");
    let process = serving(&place).await;

    telegram.hears("still here").await;
    process.signal(Signal::TERM);
    assert_eq!(process.leaves().await.code, 0);
    // An answer that was out, and not yet known to be, is put there again by an edit that changes nothing.
    let refusals = telegram.refusals().into_iter().filter(|refusal| !refusal.contains("message is not modified"));
    assert_eq!(refusals.collect::<Vec<_>>(), Vec::<String>::new());
    model.finish();
}

#[tokio::test]
async fn a_stranger_is_given_a_code_that_the_command_takes() {
    let telegram = FakeTelegram::start();
    let model = ScriptedModel::start().await;
    model.script([Step::text("welcome")]);
    let place = place(&telegram, &model);
    let process = serving(&place).await;
    let eve = telegram.person(9, "Eve");

    telegram.says(&eve, "hello");
    let told = telegram.hears("does not know you").await;
    let code = told.text.split_whitespace().find(|word| word.len() == 9 && word.contains('-')).expect("a code");
    let paired = place.run(&["pair", code, "--as", "trusted"], "").await;
    assert!(paired.code == 0 && paired.stdout.contains("Eve (id 9)"), "{paired:?}");
    telegram.hears("You may talk").await;
    telegram.says(&eve, "hello");

    telegram.hears("welcome").await;
    process.signal(Signal::TERM);
    assert_eq!(process.leaves().await.code, 0);
    assert_eq!(telegram.refusals(), Vec::<String>::new());
    model.finish();
}
