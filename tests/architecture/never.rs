//! What each crate never does, as far as its words tell.

use super::sources::{Source, Token, recursive_functions, sources};
use super::workspace::{packages, root};
use super::{EDGES, assert_none, found, words_in};

/// Packages that a crate without I/O has no use for.
const IO_PACKAGES: [&str; 10] =
    ["tokio", "tokio-util", "futures-util", "ractor", "reqwest", "rusqlite", "rustix", "tempfile", "jiff", "tracing"];

/// Words of I/O, waiting and clocks.
const IO_WORDS: [&str; 14] = [
    "async",
    "await",
    "tokio",
    "fs",
    "net",
    "io",
    "process",
    "env",
    "sleep",
    "File",
    "SystemTime",
    "Instant",
    "println",
    "eprintln",
];

const VENDORS: [&str; 10] =
    ["openai", "anthropic", "claude", "deepseek", "gemini", "ollama", "openrouter", "mistral", "moonshot", "llamacpp"];
const ADAPTERS: [&str; 3] = ["telegram", "discord", "terminal"];
const CHANNELS: [&str; 4] = ["telegram", "discord", "terminal", "stdin"];
const TOOLS: [&str; 4] = ["ls", "read", "write", "bash"];
const ROLES: [&str; 4] = ["PersonRole", "Owner", "Trusted", "Guest"];
const MODEL_WORDS: [&str; 4] = ["ChatModel", "ModelRequest", "ReplyStream", "ReplyEvent"];
const CHANNEL_WORDS: [&str; 4] = ["ToChannel", "Outbound", "OutboundBody", "Receipt"];

#[test]
fn chat_and_turn_do_no_io_and_read_no_clock() {
    let packages = packages();
    let mut wrong = Vec::new();
    for name in ["chat", "turn", "json-repair-rs"] {
        let dependencies = packages[name].dependencies.iter();
        wrong.extend(dependencies.filter(|it| IO_PACKAGES.contains(&it.as_str())).map(|it| format!("{name} -> {it}")));
        wrong.extend(words(name, &IO_WORDS));
    }

    assert_none(&wrong);
}

#[test]
fn json_repair_rs_neither_recurses_nor_panics() {
    let mut wrong =
        words("json-repair-rs", &["unwrap", "expect", "panic", "unreachable", "todo", "assert", "assert_eq"]);
    for source in shipped("json-repair-rs") {
        let found = recursive_functions(&source.shipped());
        wrong.extend(found.into_iter().map(|name| format!("{}: {name} calls itself", source.path.display())));
    }

    assert_none(&wrong);
}

#[test]
fn turn_names_no_vendor_tool_role_or_channel() {
    let tools = TOOLS.map(|tool| format!("\"{tool}\""));
    let tools: Vec<&str> = tools.iter().map(String::as_str).collect();

    let mut wrong = mentions("turn", &VENDORS);
    wrong.extend(mentions("turn", &CHANNELS));
    wrong.extend(words("turn", &tools));
    wrong.extend(words("turn", &ROLES));

    assert_none(&wrong);
}

#[test]
fn llm_remembers_nothing_runs_no_tool_and_knows_no_channel() {
    let memory = ["Cell", "RefCell", "OnceCell", "AtomicBool", "AtomicU32", "AtomicU64", "AtomicUsize", "thread_local"];

    let mut wrong = words("llm", &memory);
    wrong.extend(words("llm", &["process", "ToolContext"]));
    wrong.extend(words("llm", &CHANNEL_WORDS));
    wrong.extend(words("llm", &["ConversationKey", "ChannelName", "Inbound"]));

    assert_none(&wrong);
}

#[test]
fn tools_call_no_model_and_send_to_no_channel() {
    let mut wrong = words("tools", &MODEL_WORDS);
    wrong.extend(words("tools", &CHANNEL_WORDS));

    assert_none(&wrong);
}

/// That a tool's failure is a result is a matter of types.
#[test]
fn a_tool_gives_a_result_and_no_error() {
    type Output = std::pin::Pin<Box<dyn Future<Output = chat::ToolResult> + Send>>;

    let _proof: fn(tools::ToolFuture) -> Output = |future| future;
}

#[test]
fn memory_calls_no_model_and_decides_nothing() {
    let mut wrong = words("memory", &MODEL_WORDS);
    wrong.extend(words("memory", &CHANNEL_WORDS));
    wrong.extend(words("memory", &["Outcome", "Progress"]));

    assert_none(&wrong);
}

/// What it was given goes through its tables alone; there no text is worked on.
#[test]
fn store_edits_nothing() {
    let edits = ["trim", "trim_start", "trim_end", "replace", "truncate", "to_lowercase", "push_str", "push", "retain"];
    let tables = shipped("store").into_iter().filter(|it| it.path.starts_with("crates/store/src/tables"));

    assert_none(&tables.flat_map(|source| words_in(&source, &edits)).collect::<Vec<_>>());
}

#[test]
fn agent_names_no_channel_and_no_vendor() {
    let mut wrong = mentions("agent", &CHANNELS);
    wrong.extend(mentions("agent", &VENDORS));

    assert_none(&wrong);
}

#[test]
fn channels_see_no_history_call_no_model_and_do_not_know_each_other() {
    let mut wrong = words("channels", &["History", "View"]);
    wrong.extend(words("channels", &MODEL_WORDS));
    for adapter in ADAPTERS {
        let others: Vec<&str> = ADAPTERS.into_iter().filter(|it| *it != adapter).collect();
        let sources = shipped("channels").into_iter().filter(|it| {
            let path = it.path.strip_prefix("crates/channels/src").expect("it is a source of the crate");
            path.with_extension("").starts_with(adapter)
        });
        wrong.extend(sources.flat_map(|source| words_in(&source, &others)));
    }

    assert_none(&wrong);
}

#[test]
fn daemon_holds_no_rule_of_a_conversation() {
    let rules = ["History", "Effect", "Input", "ToolUse", "ToolResult", "Outcome", "Receipt"];

    assert_none(&words("daemon", &rules));
}

#[test]
fn daemon_alone_reads_configuration() {
    let mut wrong = Vec::new();
    for (name, _) in EDGES.into_iter().filter(|(name, _)| !["daemon", "testkit", "xtask"].contains(name)) {
        let literals = shipped(name).into_iter().filter(|source| {
            source.shipped().iter().any(|token| matches!(token, Token::Literal(text) if text.contains("COWHAND__")))
        });
        wrong.extend(literals.map(|source| format!("{} names a setting's variable", source.path.display())));
    }

    assert_none(&wrong);
}

/// The sources of a crate without its tests.
fn shipped(name: &str) -> Vec<Source> {
    let all = sources(&root(), &format!("crates/{name}/src"));
    all.into_iter().filter(|source| !source.is_test()).collect()
}

/// Where what a crate ships has one of these words or literals.
fn words(name: &str, words: &[&str]) -> Vec<String> {
    let sources = shipped(name);
    assert!(!sources.is_empty(), "{name} has no sources");
    sources.iter().flat_map(|source| found(source, source.shipped(), words)).collect()
}

/// Where what a crate ships has one of these in any word or literal, in capitals or not.
fn mentions(name: &str, parts: &[&str]) -> Vec<String> {
    let mut found = Vec::new();
    for source in shipped(name) {
        for token in source.shipped() {
            let (Token::Word(text) | Token::Literal(text)) = token else { continue };
            let text = text.to_lowercase();
            let part = parts.iter().find(|part| text.contains(*part));
            found.extend(part.map(|part| format!("{}: {part}", source.path.display())));
        }
    }
    found
}
