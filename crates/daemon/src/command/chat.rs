//! `cowhand chat`: one conversation at this terminal, with everything behind it.

use std::sync::Arc;

use ::chat::{ChannelName, ConversationKey, Person, PersonRole};
use ::tools::{Guard, Jobs, Protected, Registry, builtin_with};
use agent::{Agent, Services};
use anyhow::Context;
use channels::terminal::{self, Look, Mode, Output, Streams, Terminal};
use llm::{ChatModel, Choice, Client, LocalServer, Named, Plan, Reason, detect, plan};
use memory::PromptInput;
use store::{Ledger, OpenError, WriterMode};
use tokio::signal::unix::{SignalKind, signal};
use tracing::info;

use super::{ChatStart, doctor, tell};
use crate::cli::ChatArgs;
use crate::control::{self, Answer, Question};
use crate::exit::{Exit, Failure};
use crate::paths::expand_home;

/// The channel's name in keys.
const CHANNEL: &str = "terminal";
/// There is one terminal bot on a machine.
const BOT: &str = "local";

/// Talks until the input or the person ends it.
pub(crate) fn run(args: &ChatArgs, start: ChatStart<'_>) -> Result<Exit, Failure> {
    // One person talks to one model at a time: a second thread would mostly be woken in vain. Tools that block have threads of their own.
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
    let runtime = runtime
        .map_err(|error| Failure::data(format!("the system gives no threads or files to work with: {error}")))?;
    let exit = runtime.block_on(talk(args, start));
    // A read of standard input that nobody waits for any more must not hold up the end.
    runtime.shutdown_background();
    exit
}

async fn talk(args: &ChatArgs, start: ChatStart<'_>) -> Result<Exit, Failure> {
    let (models, choice) = connect(&start).await?;
    let ledger = Ledger::open(start.paths.data(), WriterMode::Thread, &start.settings.store)
        .map_err(|error| Failure::data(why_not(&error, &start)))?;
    info!(%choice, "a chat starts");
    doctor::tell_what_is_missing(start.settings.tools.clone(), start.folder.clone());
    if start.interactive {
        greet(&choice);
    }
    let exit = converse(args, &start, models, &ledger).await;
    ledger.close().await;
    exit.map_err(|error| Failure::data(format!("{error:#}")))
}

/// Why the ledger cannot be had; where a bot of `serve` has it, what can be done instead.
fn why_not(error: &OpenError, start: &ChatStart<'_>) -> String {
    let socket = start.paths.control_socket(start.environment);
    match (error, control::ask(&socket, &Question::Status)) {
        (OpenError::Locked { .. }, Ok(Answer { status: Some(status), .. })) => format!(
            "`cowhand serve` (process {}) works with this data folder: talk to the bot in its chat service, or talk here with \
             another folder, by --data-dir",
            status.pid
        ),
        _ => error.to_string(),
    }
}

/// The models of this run: the one that was chosen, then those that are asked when it does not answer.
pub(super) async fn connect(start: &ChatStart<'_>) -> Result<(Vec<Arc<dyn ChatModel>>, Choice), Failure> {
    let (settings, variables) = (&start.settings.models, start.variables());
    let choice = detect(start.named.as_ref(), settings, &variables, &LocalServer::usual()).await;
    let choice = choice.map_err(|error| Failure::config(error.to_string()))?;
    let client = Client::new(&settings.deadlines).map_err(|error| Failure::config(error.to_string()))?;
    let open = |choice: &Choice| {
        llm::connect(choice, settings, &variables, &client).map_err(|error| Failure::config(error.to_string()))
    };
    let mut models = vec![open(&choice)?];
    for name in &settings.fallback {
        let named = Named { text: name.clone(), by: "models.fallback".to_owned() };
        match plan(Some(&named), settings, &variables) {
            Ok(Plan::Use(fallback)) if fallback.model == choice.model => {}
            Ok(Plan::Use(fallback)) => models.push(open(&fallback)?),
            Ok(Plan::Probe) => {}
            Err(error) => return Err(Failure::config(format!("models.fallback: {error}"))),
        }
    }
    Ok((models, choice))
}

fn greet(choice: &Choice) {
    tell(&format!("Cowhand {}: {choice}", env!("CARGO_PKG_VERSION")));
    if choice.reason == Reason::Nothing {
        tell(
            "This is a small demo without a language model. For a real one, set a key (OPENAI_API_KEY=…) or run `cowhand init`.",
        );
    }
    tell("/help lists commands; Ctrl-C stops what runs, Ctrl-D ends the chat.");
}

async fn converse(
    args: &ChatArgs,
    start: &ChatStart<'_>,
    models: Vec<Arc<dyn ChatModel>>,
    ledger: &Ledger,
) -> anyhow::Result<Exit> {
    let mut agent = Agent::start(services(start, models, ledger)).await?;
    let mut terminal = open_terminal(args, start, &agent).await?;
    agent.attach(ChannelName(CHANNEL.to_owned()), terminal.to_channel());
    agent.wake(key(&args.conversation));
    terminal.start();
    let exit = tokio::select! {
        exit = terminal.exit() => exit,
        () = asked_to_end() => return leave(agent, terminal, false).await.map(|()| Exit::Interrupted),
        reason = agent.failed() => anyhow::bail!("a part that all others need has failed ({reason}); the log says more"),
    };
    let done = match exit {
        terminal::Exit::Done => Exit::Done,
        terminal::Exit::TurnFailed | terminal::Exit::Broken => Exit::TurnFailed,
        // An answer was lost, and nobody reads what would come next.
        terminal::Exit::OutputClosed => return leave(agent, terminal, true).await.map(|()| Exit::TurnFailed),
        terminal::Exit::Interrupted => return leave(agent, terminal, true).await.map(|()| Exit::Interrupted),
    };
    // What waited since an earlier run is worked on, also where nothing else was asked.
    let (exit, cancel_waiting) = tokio::select! {
        () = agent.drain() => (done, false),
        () = asked_to_end() => (Exit::Interrupted, false),
        _ = tokio::signal::ctrl_c() => (Exit::Interrupted, true),
    };
    leave(agent, terminal, cancel_waiting).await.map(|()| exit)
}

/// Ends what runs, waits until that is on disk and shown, and puts the terminal back as it was.
async fn leave(agent: Agent, terminal: Terminal, cancel_waiting: bool) -> anyhow::Result<()> {
    agent.shut_down(cancel_waiting).await;
    terminal.stop().await;
    Ok(())
}

/// Resolves when the system asks the process to end, or its terminal is closed; what waits is then taken up at the next start.
async fn asked_to_end() {
    let (Ok(mut terminate), Ok(mut hang_up)) = (signal(SignalKind::terminate()), signal(SignalKind::hangup())) else {
        return std::future::pending().await;
    };
    tokio::select! {
        _ = terminate.recv() => {}
        _ = hang_up.recv() => {}
    }
}

async fn open_terminal(args: &ChatArgs, start: &ChatStart<'_>, agent: &Agent) -> anyhow::Result<Terminal> {
    let mode = match &args.message {
        Some(message) => Mode::Once(message.clone()),
        None if start.interactive => Mode::Interactive,
        None => Mode::Pipe,
    };
    let output = match (args.json, start.interactive) {
        (true, _) => Output::Json,
        (false, true) => Output::Rich,
        (false, false) => Output::Plain,
    };
    let environment = |name| start.environment.text(name);
    let look = Look::of(environment("TERM"), environment("NO_COLOR"));
    let streams = Streams::of_process(start.interactive).context("the standard streams cannot be used")?;
    let arguments = terminal::Arguments {
        key: key(&args.conversation),
        person: person(start),
        intake: agent.intake(),
        delivery: agent.delivery(),
        mode,
        output,
        settings: terminal::Settings { history: Some(start.paths.terminal_history()), look },
        streams,
    };
    Ok(terminal::spawn(arguments).await?)
}

pub(super) fn services(start: &ChatStart<'_>, models: Vec<Arc<dyn ChatModel>>, ledger: &Ledger) -> Services {
    let settings = &start.settings;
    let (workspace, folder) = (start.paths.workspace(), start.folder.clone());
    let tools = ::tools::Settings {
        protected: protected(start),
        workspace: Some(workspace.clone()),
        blobs: Some(start.paths.blobs()),
        extra_folders: settings.tools.extra_folders.iter().map(|it| expand_home(it, start.environment)).collect(),
        ..settings.tools.clone()
    };
    let jobs = Jobs::new(&tools);
    let prompt_folder = folder.clone();
    Services {
        ledger: ledger.clone(),
        models,
        guard: Guard { rules: tools.rules.as_slice().into(), secrets: start.secrets.clone() },
        tools: Registry::new(builtin_with(&tools, &jobs)),
        jobs,
        prompt: Arc::new(move |tools| {
            memory::system_prompt(&PromptInput { workspace: &workspace, folder: &prompt_folder, tools })
        }),
        folder,
        limits: settings.limits.clone(),
        settings: settings.conversations.clone(),
        version: env!("CARGO_PKG_VERSION"),
    }
}

/// What no tool for files touches: the data folder but for the agent's own, the files with settings and keys, and what other
/// programs keep to be let in elsewhere.
fn protected(start: &ChatStart<'_>) -> Protected {
    let places = &start.settings.tools.places;
    let own = places.data.iter().chain(&places.secrets).cloned();
    let home = start.environment.path("HOME");
    let others = Protected::credentials(home.as_deref());
    let all = own.chain(others);
    Protected::new(all).except([start.paths.workspace(), start.paths.blobs()])
}

/// The key of the terminal's conversation of this name.
pub(super) fn key(conversation: &str) -> ConversationKey {
    ConversationKey {
        channel: ChannelName(CHANNEL.to_owned()),
        bot: BOT.to_owned(),
        chat: conversation.to_owned(),
        thread: None,
        person: None,
    }
}

/// Whoever can start the program as this user is the owner of what it does.
fn person(start: &ChatStart<'_>) -> Person {
    let name = start.environment.text("USER").unwrap_or("owner").to_owned();
    Person { id: BOT.to_owned(), name, role: PersonRole::Owner, language: start.language }
}
