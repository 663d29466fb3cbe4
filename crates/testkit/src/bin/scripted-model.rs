//! The scripted model server as a program to run by hand. It prints the settings of a client, serves until it is interrupted,
//! and then tells what was refused and which steps were left over.

use std::fs::File;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::Parser;
use serde_json::json;
use testkit::scripted_model::{Line, Received};
use testkit::{Rules, ScriptFile, ScriptedModel, Step};
use tokio::signal::unix::{SignalKind, signal};

/// Serves a model that answers by a script, as strictly as the real service.
#[derive(Parser)]
struct Arguments {
    /// A script: {"steps": [{"text": "hi"}, {"status": 500}], "when": [{"said": "plum", "steps": [...]}]}
    #[arg(conflicts_with_all = ["echo", "bench"])]
    script: Option<PathBuf>,
    /// Answer what was said, as without any of these
    #[arg(long, conflicts_with = "bench")]
    echo: bool,
    /// Answer with so many bytes of text
    #[arg(long, value_name = "BYTES")]
    bench: Option<usize>,
    /// Call a tool so many times in each turn, before the answer
    #[arg(long, value_name = "STEPS", default_value_t = 0)]
    tool_steps: usize,
    /// Put at most so many characters into one event
    #[arg(long, value_name = "CHARS", default_value_t = 16)]
    chars_per_event: usize,
    /// Think so long before the first event
    #[arg(long, value_name = "MS", default_value_t = 0)]
    pause_ms: u64,
    /// Write the body of every request to this file, a line each
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
    /// Listen on this port of loopback; 0 for a free one
    #[arg(long, default_value_t = 0)]
    port: u16,
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let model = ScriptedModel::start_with(Rules { port: arguments.port, ..Rules::default() });
    if let Err(error) = prepare(&model, &arguments) {
        eprintln!("{error}");
        std::process::exit(2);
    }
    println!("OPENAI_BASE_URL={} OPENAI_API_KEY={}", model.openai_url(), model.key());
    interrupted().await;
    report(model)
}

fn prepare(model: &ScriptedModel, arguments: &Arguments) -> Result<(), String> {
    if let Some(path) = &arguments.script {
        let text = std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
        let script: ScriptFile = serde_json::from_str(&text).map_err(|error| format!("{}: {error}", path.display()))?;
        script.add_to(model);
        return Ok(());
    }
    let record = arguments.record.as_ref().map(File::create).transpose().map_err(|error| error.to_string())?;
    let (chars, pause) = (arguments.chars_per_event, Duration::from_millis(arguments.pause_ms));
    let tool_steps = arguments.tool_steps;
    let answer = arguments.bench.map(|bytes| "0123456789abcde ".chars().cycle().take(bytes).collect::<String>());
    model.respond_with(move |request: &Received| {
        if let Some(mut file) = record.as_ref() {
            writeln!(file, "{}", request.body).expect("the record can be written");
        }
        let step = Step::empty().pause(pause).chars_per_event(chars);
        let called = calls_in_turn(request);
        if called < tool_steps {
            // The same folder each time, in other words: the same call again and again would be refused.
            let path = format!(".{}", "/.".repeat(called));
            return step.then_calls([("ls", json!({ "path": path }))]);
        }
        step.then_text(answer.clone().unwrap_or_else(|| request.turn_text()))
    });
    Ok(())
}

/// How many calls were answered since the person spoke last.
fn calls_in_turn(request: &Received) -> usize {
    let since = request.lines().into_iter().rev().take_while(|line| !matches!(line, Line::User(_)));
    since.filter(|line| matches!(line, Line::Result { .. })).count()
}

async fn interrupted() {
    let mut terminated = signal(SignalKind::terminate()).expect("a handler for SIGTERM can be set");
    tokio::select! {
        _ = terminated.recv() => {}
        interrupted = tokio::signal::ctrl_c() => interrupted.expect("a handler for SIGINT can be set"),
    }
}

/// Tells what went wrong. The process ends here, so the model is not dropped, which would panic for the same.
fn report(model: ScriptedModel) -> ExitCode {
    let problems = model.problems();
    eprintln!("{} requests, {} problems", model.requests().len(), problems.len());
    problems.iter().for_each(|problem| eprintln!("- {problem}"));
    std::mem::forget(model);
    if problems.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
