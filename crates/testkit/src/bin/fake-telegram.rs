//! The fake Bot API as a program to run by hand. It prints the settings of a bot; each line that is typed is a message of a person,
//! and what the bot says is printed, edits too. At the end it tells what it refused.

use std::process::ExitCode;
use std::time::Duration;

use clap::Parser;
use testkit::FakeTelegram;
use tokio::io::{AsyncBufReadExt, BufReader};

/// Serves Telegram's Bot API to one bot, as strictly as the real service.
#[derive(Parser)]
struct Arguments {
    /// Listen on this port of loopback; 0 for a free one
    #[arg(long, default_value_t = 0)]
    port: u16,
    /// The number of the person who types
    #[arg(long, default_value_t = 7)]
    person: i64,
    /// What they are called
    #[arg(long, default_value = "Ada")]
    name: String,
    /// How long the bot may go on after the last line, in seconds
    #[arg(long, default_value_t = 60)]
    linger_s: u64,
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let telegram = FakeTelegram::start_at(arguments.port);
    let person = telegram.person(arguments.person, &arguments.name);
    println!("TELEGRAM_BOT_TOKEN={} COWHAND__TELEGRAM__API_URL={}", telegram.token(), telegram.api_url());
    let mut lines = BufReader::new(tokio::io::stdin()).lines();
    let mut shown = String::new();
    let mut is_open = true;
    loop {
        tokio::select! {
            line = lines.next_line(), if is_open => match line {
                Ok(Some(line)) => _ = telegram.says(&person, &line),
                _ => is_open = false,
            },
            () = telegram.changed(&mut shown, arguments.person) => println!("{shown}"),
            () = tokio::time::sleep(Duration::from_secs(arguments.linger_s)), if !is_open => break,
        }
    }
    let refusals = telegram.refusals();
    refusals.iter().for_each(|refusal| eprintln!("- refused {refusal}"));
    if refusals.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
