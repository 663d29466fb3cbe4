//! Traces: `traces/NAME.json` has what people said and what the model would have answered, `snapshots/NAME.snap` what the bot
//! made of it. A new case is a new file.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use chat::{Message, OutboundBody, Progress, ToChannel, WhenBusy};
use serde::Deserialize;
use serde_json::{Value, json};
use testkit::{FakeModel, ProbeTool, Step};
use tokio::time::{Instant, sleep_until, timeout};

use crate::support::Bot;

/// So long after the last word nothing more comes.
const QUIET: Duration = Duration::from_secs(400);

/// What happens from outside.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Trace {
    /// What it shows.
    #[serde(rename = "about")]
    _about: String,
    #[serde(default)]
    limits: turn::Limits,
    #[serde(default)]
    tools: Vec<TraceTool>,
    says: Vec<Said>,
    /// What the model answers, request by request.
    steps: Vec<Step>,
}

/// What a person says.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Said {
    /// Seconds from the start.
    #[serde(default)]
    at_s: u64,
    text: String,
    #[serde(default)]
    when_busy: WhenBusy,
}

/// A tool that does what a test wants.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TraceTool {
    name: String,
    returns: Option<String>,
    fails: Option<String>,
    #[serde(default)]
    takes_s: u64,
    #[serde(default)]
    parallel_safe: bool,
    #[serde(default)]
    requires: Vec<String>,
}

#[test]
fn the_bot_does_what_its_traces_say() {
    for path in files("traces", "json") {
        let text = std::fs::read_to_string(&path).expect("it is there");
        let trace = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build();

        let told = runtime.expect("a runtime can be made").block_on(play(trace));

        insta::with_settings!({ prepend_module_to_snapshot => false, omit_expression => true }, {
            insta::assert_snapshot!(name(&path), told);
        });
    }
    let names = |folder, extension| files(folder, extension).iter().map(|path| name(path)).collect::<BTreeSet<_>>();
    assert_eq!(names("snapshots", "snap"), names("traces", "json"), "a snapshot without a trace");
}

fn files(folder: &str, extension: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests").join(folder);
    let entries = std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let paths = entries.map(|entry| entry.expect("it is there").path());
    let mut files: Vec<PathBuf> = paths.filter(|path| path.extension().is_some_and(|it| it == extension)).collect();
    files.sort();
    files
}

fn name(path: &Path) -> String {
    path.file_stem().expect("a file has a name").to_string_lossy().into_owned()
}

/// Plays a trace to its end, and writes down what the channel was told and what is remembered.
async fn play(trace: Trace) -> String {
    let model = FakeModel::script(trace.steps);
    let tools = trace.tools.iter().map(probe);
    let builder = Bot::with(model.model()).limits(trace.limits);
    let mut bot = tools.fold(builder, |builder, tool| builder.tool(tool.tool())).start().await;
    let start = Instant::now();
    let mut written = String::new();
    let mut says = trace.says.into_iter().peekable();
    loop {
        let next = says.peek().map_or(QUIET, |said| Duration::from_secs(said.at_s));
        let due = if says.peek().is_some() { start + next } else { Instant::now() + next };
        tokio::select! {
            biased;
            told = bot.next() => write_told(&mut written, start, &told),
            () = sleep_until(due) => match says.next() {
                Some(said) => _ = bot.says_in("main", &said.text, said.when_busy),
                None => break,
            },
        }
    }
    written += "\nhistory\n";
    for message in bot.history("main").await {
        writeln!(written, "{}", timeless(&message)).expect("a string takes everything");
    }
    timeout(QUIET, bot.ends()).await.expect("it ends in order");
    written
}

fn probe(tool: &TraceTool) -> ProbeTool {
    let mut probe = ProbeTool::new(&tool.name).takes(Duration::from_secs(tool.takes_s));
    if !tool.requires.is_empty() {
        probe = probe.requires(&tool.requires.iter().map(String::as_str).collect::<Vec<_>>());
    }
    if tool.parallel_safe {
        probe = probe.parallel_safe();
    }
    match (&tool.returns, &tool.fails) {
        (Some(content), _) => probe.returns(content),
        (None, Some(content)) => probe.fails(content),
        (None, None) => probe,
    }
}

fn write_told(written: &mut String, start: Instant, told: &ToChannel) {
    let told = match told {
        ToChannel::Accepted { id, .. } => json!({"type": "accepted", "id": id}),
        ToChannel::Refused { id, reason, text, .. } => {
            json!({"type": "refused", "id": id, "reason": reason, "text": text})
        }
        ToChannel::Joined { id, .. } => json!({"type": "joined", "id": id}),
        ToChannel::CommandAnswered { id, text, .. } => json!({"type": "command_answered", "id": id, "text": text}),
        ToChannel::Progress { progress, .. } => progressed(progress),
        ToChannel::Deliver(outbound) | ToChannel::Resume { outbound, .. } => match &outbound.body {
            OutboundBody::TurnFinished { outcome, .. } => {
                json!({"type": "turn_finished", "reply_to": outbound.reply_to, "outcome": outcome})
            }
            OutboundBody::Notice { text } | OutboundBody::Question { text, .. } => {
                json!({"type": "notice_delivered", "text": text})
            }
        },
        other => json!({"type": "other", "told": format!("{other:?}")}),
    };
    writeln!(written, "{:>3}s {told}", start.elapsed().as_secs()).expect("a string takes everything");
}

/// What a turn tells, without what differs from run to run.
fn progressed(progress: &Progress) -> Value {
    let mut value = serde_json::to_value(progress).expect("progress can be written as JSON");
    if let Some(object) = value.as_object_mut() {
        object.remove("ms");
    }
    value
}

/// A message as JSON, with the time of day left out.
fn timeless(message: &Message) -> Value {
    let mut value = serde_json::to_value(message).expect("messages can be written as JSON");
    let blocks = value["content"].as_array_mut().into_iter().flatten();
    for text in blocks.filter_map(|block| block.get_mut("text")) {
        if text.as_str().is_some_and(|text| text.contains(" (UTC")) {
            *text = "[time]".into();
        }
    }
    value
}
