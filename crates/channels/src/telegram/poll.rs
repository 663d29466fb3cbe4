//! Asks for updates, without end: what fails is asked again after a growing pause, and told once.

mod offsets;

use chat::ChannelNews;
use ractor::ActorRef;
use serde_json::{Value, json};
use tokio::sync::{oneshot, watch};
use tokio::time::{Duration, sleep, timeout};
use tracing::{info, warn};

pub(super) use offsets::Offsets;

use super::Tempo;
use super::actor::Message;
use super::client::{Client, Trouble};
use super::decode::Bot;

/// How long messages that wait for their rest keep the next question back.
const SHORT_PAUSE: Duration = Duration::from_millis(200);

/// Where the actor is with what came.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Standing {
    /// All before this update is safe.
    pub(super) next: i64,
    /// Whether that is all that came.
    pub(super) is_settled: bool,
}

/// The loop that asks.
pub(super) struct Poller {
    pub(super) client: Client,
    pub(super) actor: ActorRef<Message>,
    pub(super) standing: watch::Receiver<Standing>,
    pub(super) tempo: Tempo,
    pub(super) wait: u32,
    pub(super) episode: Episode,
}

/// A time in which something is wrong, from the first failure to the first success.
#[derive(Debug, Default)]
pub(super) struct Episode {
    failures: u32,
    kind: Option<std::mem::Discriminant<Trouble>>,
}

impl Poller {
    /// Asks until the actor is gone.
    pub(super) async fn run(mut self) {
        let bot = self.bot().await;
        if self.actor.cast(Message::Known(bot)).is_err() {
            return;
        }
        self.succeeded();
        self.tell_commands().await;
        while self.round().await {}
    }

    /// Asks who the bot is, until it is told.
    async fn bot(&mut self) -> Bot {
        loop {
            match self.client.call::<Bot>("getMe", &json!({})).await {
                Ok(bot) => return bot,
                Err(trouble) => self.failed(trouble).await,
            }
        }
    }

    /// The commands that the service offers while a person types. Without them all else works.
    async fn tell_commands(&self) {
        let commands =
            chat::command::COMMANDS.map(|(command, _, about)| json!({"command": command, "description": about}));
        if let Err(trouble) = self.client.call::<bool>("setMyCommands", &json!({ "commands": commands })).await {
            warn!(%trouble, "the list of commands could not be told to Telegram");
        }
    }

    /// One question; `false` where nobody is left who wants the answer.
    async fn round(&mut self) -> bool {
        let standing = *self.standing.borrow_and_update();
        if !standing.is_settled && timeout(SHORT_PAUSE, self.standing.changed()).await.is_ok_and(|it| it.is_err()) {
            return false;
        }
        let Standing { next, is_settled } = *self.standing.borrow();
        // What is not safe yet comes again with each answer, which then comes at once.
        let wait = if is_settled { self.wait } else { 0 };
        match self.client.updates(next, wait, self.tempo.poll_margin).await {
            Ok(updates) => {
                self.succeeded();
                self.hand_over(updates, next).await
            }
            Err(trouble) => {
                self.failed(trouble).await;
                true
            }
        }
    }

    async fn hand_over(&self, updates: Vec<Value>, asked: i64) -> bool {
        let (tell, taken) = oneshot::channel();
        self.actor.cast(Message::Polled { updates, asked, tell }).is_ok() && taken.await.is_ok()
    }

    fn succeeded(&mut self) {
        if let Some(failures) = self.episode.end() {
            info!(failures, "Telegram answers again");
        }
        self.tell(None);
    }

    async fn failed(&mut self, trouble: Trouble) {
        if self.episode.is_new(&trouble) {
            warn!(%trouble, "no messages from Telegram");
        }
        let pause = self.episode.pause(&trouble, &self.tempo);
        self.tell(Some(trouble.to_string()));
        sleep(pause).await;
    }

    fn tell(&self, trouble: Option<String>) {
        // An actor that is gone ends the loop elsewhere.
        let _ = self.actor.cast(Message::News(ChannelNews::Attempted { trouble }));
    }
}

impl Episode {
    /// Ends it, if there was one, and tells how many failures it had.
    fn end(&mut self) -> Option<u32> {
        let episode = std::mem::take(self);
        episode.kind.map(|_| episode.failures)
    }

    /// Whether this failure is of another kind than the last.
    fn is_new(&mut self, trouble: &Trouble) -> bool {
        let kind = Some(std::mem::discriminant(trouble));
        std::mem::replace(&mut self.kind, kind) != kind
    }

    /// How long to wait now: what the service wants, else a growing time that is not the same everywhere. A token that is not known
    /// today will not be known in a second.
    fn pause(&mut self, trouble: &Trouble, tempo: &Tempo) -> Duration {
        let doubled = tempo.first_pause.saturating_mul(1 << self.failures.min(16)).min(tempo.longest_pause);
        self.failures += 1;
        let pause = match trouble {
            Trouble::Flood(wanted) => doubled.max(*wanted),
            Trouble::Unauthorized => tempo.longest_pause,
            _ => doubled,
        };
        pause.mul_f64(1.0 + fastrand::f64() / 4.0)
    }
}
