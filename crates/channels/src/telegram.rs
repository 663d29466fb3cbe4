//! Telegram, by its Bot API.
//!
//! Layout, in the order in which a message passes: `poll` (asks for updates), `decode` (updates to words), `intake` (what waits to
//! be handed in, in order), `actor` (what is told whom when), `render` (words to HTML), `client` (calls).

mod actor;
mod client;
mod decode;
mod intake;
mod poll;
mod render;
#[cfg(test)]
mod tests;

use std::path::PathBuf;

use chat::{Arrival, ChannelName, Language, Receipt, ToChannel};
use ractor::{ActorCell, ActorRef, DerivedActorRef};
use serde::{Deserialize, Serialize};
use tokio::time::Duration;

use actor::Message;

/// Where a bot's token is: `env:NAME`, `file:/path` or `cred:NAME`, never the token itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct TokenReference(String);

impl TryFrom<String> for TokenReference {
    type Error = &'static str;

    fn try_from(written: String) -> Result<Self, Self::Error> {
        let is_reference = ["env:", "file:", "cred:"].iter().any(|kind| written.starts_with(kind));
        // What was written is not repeated: it may be the token.
        let wrong = "a token is not written into settings: write `env:NAME`, `file:/path` or `cred:NAME`, where it is";
        if is_reference { Ok(Self(written)) } else { Err(wrong) }
    }
}

impl From<TokenReference> for String {
    fn from(reference: TokenReference) -> Self {
        reference.0
    }
}

/// What a person may choose.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// Where the bot's token is; else the usual variable is looked at. Who starts the adapter resolves it.
    pub token: Option<TokenReference>,
    /// The service: up to where `/bot` follows.
    pub api_url: String,
    /// A proxy for this channel alone (`http://` or `https://`); else `HTTPS_PROXY` holds.
    pub proxy: Option<String>,
    /// How long one question for messages stays open, in seconds.
    pub poll_s: u32,
    /// Whether the people of a group share one conversation.
    pub shared_groups: bool,
    /// Whether a command without the bot's name is for it, in a group.
    pub bare_commands: bool,
    /// Groups (by number) in which admins may be anonymous.
    pub anonymous_admins: Vec<i64>,
    /// The largest file that is fetched, in MiB. The Bot API gives no larger ones than 20.
    pub max_file_mib: u64,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            token: None,
            api_url: "https://api.telegram.org".into(),
            proxy: None,
            poll_s: 50,
            shared_groups: true,
            bare_commands: true,
            anonymous_admins: Vec::new(),
            max_file_mib: 20,
        }
    }
}

/// How long it waits for what. Only tests change it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tempo {
    /// The pause after a first failure; each further one is twice as long.
    pub first_pause: Duration,
    /// The longest.
    pub longest_pause: Duration,
    /// How much longer than it was asked to the service may be silent.
    pub poll_margin: Duration,
    /// How long after a piece of an album or of a long text another may follow.
    pub join: Duration,
    /// How long a turn may be silent before it is shown.
    pub silence: Duration,
    /// The least time between two versions of a live message, in private.
    pub private_edits: Duration,
    /// The same in a group.
    pub group_edits: Duration,
    /// The most, while a tool runs.
    pub longest_silence: Duration,
    /// The answer of a longer turn is a new message, so that a phone tells of it.
    pub long_turn: Duration,
}

impl Default for Tempo {
    fn default() -> Self {
        Self {
            first_pause: Duration::from_secs(1),
            longest_pause: Duration::from_secs(60),
            poll_margin: Duration::from_secs(15),
            join: Duration::from_millis(600),
            silence: Duration::from_millis(1500),
            private_edits: Duration::from_millis(1500),
            group_edits: Duration::from_secs(4),
            longest_silence: Duration::from_secs(15),
            long_turn: Duration::from_secs(20),
        }
    }
}

/// What the adapter is started with.
pub struct Arguments {
    /// What it is called.
    pub channel: ChannelName,
    /// The bot's token.
    pub token: String,
    /// What a person chose.
    pub settings: Settings,
    /// How long it waits for what.
    pub tempo: Tempo,
    /// The language of the bot's own texts, where it does not go by the person.
    pub language: Option<Language>,
    /// Where files that come are put.
    pub files: PathBuf,
    /// Where messages go.
    pub intake: DerivedActorRef<Arrival>,
    /// Who is told what became of deliveries.
    pub delivery: DerivedActorRef<Receipt>,
}

/// An adapter that cannot be started.
#[derive(Debug, thiserror::Error)]
pub enum TelegramError {
    /// Its actor did not start.
    #[error("the adapter's actor cannot be started")]
    Actor(#[from] ractor::SpawnErr),
    /// The proxy's address, or what the machine offers for encryption, cannot be used.
    #[error("the connection to the service cannot be set up: {0}")]
    Connection(#[source] reqwest::Error),
}

/// An adapter that runs. It is ended by stopping its actor.
#[derive(Clone, Debug)]
pub struct Telegram {
    actor: ActorRef<Message>,
}

impl Telegram {
    /// Where it is spoken to.
    #[must_use]
    pub fn to_channel(&self) -> DerivedActorRef<ToChannel> {
        self.actor.get_derived()
    }

    /// Its actor, for who watches and ends it.
    #[must_use]
    pub fn cell(&self) -> ActorCell {
        self.actor.get_cell()
    }

    /// Begins to ask for messages, once everybody knows where it is spoken to.
    pub fn start(&self) {
        // An actor that is gone has told its parent so.
        let _ = self.actor.cast(Message::Start);
    }
}

/// Starts an adapter as a child of this actor. It asks for no messages before [`Telegram::start`].
///
/// # Errors
///
/// When the proxy's address cannot be used or the actor does not start.
pub async fn spawn(arguments: Arguments, parent: ActorCell) -> Result<Telegram, TelegramError> {
    let http = http_client(&arguments.settings).map_err(TelegramError::Connection)?;
    let actor = actor::spawn(arguments, http, parent).await?;
    Ok(Telegram { actor })
}

/// A client without a limit on whole calls: each has its own.
fn http_client(settings: &Settings) -> Result<reqwest::Client, reqwest::Error> {
    let builder = reqwest::Client::builder().connect_timeout(Duration::from_secs(10)).tcp_nodelay(true);
    match &settings.proxy {
        Some(proxy) => builder.proxy(reqwest::Proxy::all(proxy)?).build(),
        None => builder.build(),
    }
}
