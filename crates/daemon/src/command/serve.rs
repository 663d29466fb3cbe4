//! `cowhand serve`: the bot in every chat service that is configured.

mod services;

use std::collections::BTreeMap;
use std::time::Duration;

use ::chat::{ChannelName, ConversationKey};
use agent::{Agent, ChannelAccess, ChannelLine, ChannelStatus, Control};
use llm::Choice;
use store::{Ledger, WriterMode};
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::time::Instant;
use tracing::{info, warn};

use super::{ChatStart, chat, print, sources, tell};
use crate::cli::PlaceArgs;
use crate::control::{Answer, Channel, Question, Socket, Status};
use crate::exit::{Exit, Failure};
use crate::settings::AccessSettings;

pub(crate) use services::{Service, configured};

/// Runs until it is told to end.
pub(crate) fn run(start: &ChatStart<'_>, places: &PlaceArgs, services: Vec<Service>) -> Result<Exit, Failure> {
    let runtime = tokio::runtime::Runtime::new()
        .map_err(|error| Failure::data(format!("the system gives no threads or files to work with: {error}")))?;
    let exit = runtime.block_on(serve(start, places, services));
    runtime.shutdown_timeout(Duration::from_secs(1));
    exit
}

async fn serve(start: &ChatStart<'_>, places: &PlaceArgs, services: Vec<Service>) -> Result<Exit, Failure> {
    let (models, choice) = chat::connect(start).await?;
    let ledger = Ledger::open(start.paths.data(), WriterMode::Thread, &start.settings.store)
        .map_err(|error| Failure::data(error.to_string()))?;
    info!(%choice, "the bot starts");
    let agent = Agent::start(chat::services(start, models, &ledger)).await;
    let exit = match agent {
        Ok(agent) => attend(agent, start, places, services, &choice).await,
        Err(error) => Err(Failure::data(crate::exit::with_causes(&error))),
    };
    ledger.close().await;
    exit
}

/// What runs, as long as it does.
struct Running<'a> {
    control: Control,
    start: &'a ChatStart<'a>,
    places: &'a PlaceArgs,
    model: String,
    since: Instant,
}

async fn attend(
    mut agent: Agent,
    start: &ChatStart<'_>,
    places: &PlaceArgs,
    services: Vec<Service>,
    choice: &Choice,
) -> Result<Exit, Failure> {
    let ended = asked_to_end();
    let control = agent.control();
    control.configure(access(&start.settings.access));
    let lines = control.watch_channels();
    let names: Vec<String> = services.iter().map(|service| service.name().to_string()).collect();
    for service in services {
        show_owner_code(&control, &service.name()).await;
        service.keep(&mut agent, start).await.map_err(|error| Failure::data(crate::exit::with_causes(&error)))?;
    }
    let mut socket = open_socket(start).await;
    let running = Running { control, start, places, model: choice.model.to_string(), since: Instant::now() };
    print(&format!("cowhand {} is ready: {}; {choice}\n", env!("CARGO_PKG_VERSION"), names.join(", ")));
    let exit = tokio::select! {
        () = ended => Ok(Exit::Done),
        reason = agent.failed() => {
            Err(Failure::data(format!("a part that all others need has failed ({reason}); the log says more")))
        }
        () = answer_questions(&running, socket.as_mut()) => Ok(Exit::Done),
        () = show_lines(lines) => Ok(Exit::Done),
    };
    agent.shut_down(false).await;
    exit
}

/// Resolves when the system or a person at its terminal asks the process to end. It listens from here on, not from when it is awaited.
fn asked_to_end() -> impl Future<Output = ()> {
    let listen = |kind| signal(kind).map_err(|error| warn!(%error, "a signal cannot be listened for")).ok();
    let signals = [SignalKind::terminate(), SignalKind::interrupt(), SignalKind::hangup()].map(listen);
    async move {
        let [Some(mut terminate), Some(mut interrupt), Some(mut hang_up)] = signals else {
            return std::future::pending().await;
        };
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
            _ = hang_up.recv() => {}
        }
    }
}

async fn show_owner_code(control: &Control, channel: &ChannelName) {
    if let Some(code) = control.owner_code(channel).await {
        tell(&format!(
            "{channel} has no owner yet. Send this code to the bot in a private chat, and you are: {code}\nWhoever sends it \
             first may do everything on this machine that this user may."
        ));
    }
}

/// Without its socket the bot runs all the same; it can then be told nothing by commands.
async fn open_socket(start: &ChatStart<'_>) -> Option<Socket> {
    let path = start.paths.control_socket(start.environment);
    match Socket::open(&path).await {
        Ok(socket) => Some(socket),
        Err(error) => {
            let path = path.display();
            tell(&format!("cowhand: warning: `status`, `pair`, `stop` and `reload` cannot be used: {path}: {error}"));
            None
        }
    }
}

async fn show_lines(mut lines: UnboundedReceiver<ChannelLine>) {
    while let Some(line) = lines.recv().await {
        match line {
            ChannelLine::Connected { channel, bot } => tell(&format!("{channel}: connected as {bot}")),
            ChannelLine::Trouble { channel, what } => tell(&format!("{channel}: {what}; trying again")),
            ChannelLine::Works { channel } => tell(&format!("{channel}: works again")),
        }
    }
    // The agent is gone, and whoever waits for it is told so in another way.
    std::future::pending().await
}

async fn answer_questions(running: &Running<'_>, socket: Option<&mut Socket>) {
    let Some(socket) = socket else { return std::future::pending().await };
    while let Some((question, tell)) = socket.question().await {
        // Who asked may have gone.
        let _ = tell.send(running.answer(question).await);
    }
    std::future::pending().await
}

impl Running<'_> {
    async fn answer(&self, question: Question) -> Answer {
        match question {
            Question::Status => {
                let status = self.status().await;
                Answer { status: Some(status.clone()), ..Answer::done(status.text()) }
            }
            Question::Pair { code, role } => match self.control.pair(&code, role).await {
                Some((name, id)) => Answer::done(format!("{name} (id {id}) may talk to the bot now")),
                None => Answer::refused(format!("no open code is {code}: it was used, or its hour is over")),
            },
            Question::Stop { conversation } => self.stop(&conversation).await,
            Question::Reload => self.reload(),
        }
    }

    async fn stop(&self, conversation: &str) -> Answer {
        let key: ConversationKey = match conversation.parse() {
            Ok(key) => key,
            Err(error) => return Answer::refused(format!("{error}; `cowhand status` lists them")),
        };
        match self.control.stop(key).await {
            true => Answer::done("stopping"),
            false => Answer::done("nothing runs there"),
        }
    }

    fn reload(&self) -> Answer {
        match sources(self.places, None, self.start.environment).read().usable() {
            Ok(reading) => {
                self.control.configure(access(&reading.settings.access));
                Answer::done("read again: who may talk to the bot; all other settings hold from the next start on")
            }
            Err(failure) => Answer::refused(failure.message),
        }
    }

    async fn status(&self) -> Status {
        Status {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            pid: std::process::id(),
            up_s: self.since.elapsed().as_secs(),
            model: self.model.clone(),
            channels: self.control.channels().await.into_iter().map(channel).collect(),
            conversations: self.control.conversations().await.iter().map(ToString::to_string).collect(),
        }
    }
}

fn channel(status: ChannelStatus) -> Channel {
    let ChannelStatus { channel, bot, attempted_s, trouble } = status;
    let (bot_id, bot_name) = bot.unzip();
    Channel { name: channel.0, bot_id, bot_name, attempted_s, trouble }
}

fn access(settings: &AccessSettings) -> BTreeMap<ChannelName, ChannelAccess> {
    let AccessSettings { telegram } = settings;
    [(ChannelName(services::TELEGRAM.to_owned()), telegram.clone())].into()
}
