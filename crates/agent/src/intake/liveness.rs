//! How channels fare: when each was heard of last, what is wrong, and who is told when one is deaf.

use std::collections::BTreeMap;

use chat::{ChannelName, ChannelNews};
use tokio::sync::mpsc;
use tokio::time::{Duration, Instant, sleep};
use tracing::{info, warn};

use super::{IntakeMessage, IntakeState};
use crate::wording::access as wording;

/// How often it is looked whether a channel is deaf.
const TICK: Duration = Duration::from_secs(15);

/// What is known of every channel.
#[derive(Default)]
pub(super) struct Liveness {
    channels: BTreeMap<ChannelName, Channel>,
    watcher: Option<mpsc::UnboundedSender<ChannelLine>>,
}

struct Channel {
    bot: Option<(String, String)>,
    attempted: Option<Instant>,
    /// When it last worked; at first when it began.
    worked: Instant,
    trouble: Option<String>,
    told: bool,
}

/// How a channel fares.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChannelStatus {
    /// Which.
    pub channel: ChannelName,
    /// The bot's account there: its id, then its name; `None` before the service told.
    pub bot: Option<(String, String)>,
    /// How many seconds ago a round with the service came to its end.
    pub attempted_s: Option<u64>,
    /// What is wrong, if anything is.
    pub trouble: Option<String>,
}

/// Something that happened to a channel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ChannelLine {
    /// The service knows the bot.
    Connected {
        /// Which channel.
        channel: ChannelName,
        /// The bot's name there.
        bot: String,
    },
    /// Something is wrong, or something else than before.
    Trouble {
        /// Which channel.
        channel: ChannelName,
        /// What.
        what: String,
    },
    /// It works again.
    Works {
        /// Which channel.
        channel: ChannelName,
    },
}

impl Liveness {
    pub(super) fn watch(&mut self, watcher: mpsc::UnboundedSender<ChannelLine>) {
        self.watcher = Some(watcher);
    }

    fn tell(&self, line: ChannelLine) {
        if let Some(watcher) = &self.watcher {
            let _ = watcher.send(line);
        }
    }

    fn channel(&mut self, channel: &ChannelName) -> &mut Channel {
        self.channels.entry(channel.clone()).or_insert_with(|| Channel {
            bot: None,
            attempted: None,
            worked: Instant::now(),
            trouble: None,
            told: false,
        })
    }

    /// Takes news in; whether the channel works again after its owner was told that it does not.
    fn news(&mut self, channel: &ChannelName, news: ChannelNews) -> bool {
        let now = Instant::now();
        let known = self.channel(channel);
        let trouble = match news {
            ChannelNews::Ready { bot } => {
                let name = bot.1.clone();
                known.bot = Some(bot);
                self.tell(ChannelLine::Connected { channel: channel.clone(), bot: name });
                None
            }
            ChannelNews::Attempted { trouble } => trouble,
        };
        let known = self.channel(channel);
        known.attempted = Some(now);
        let line = match (&trouble, &known.trouble) {
            (Some(what), before) if before.as_ref() != Some(what) => {
                info!(%channel, what, "a channel does not work");
                Some(ChannelLine::Trouble { channel: channel.clone(), what: what.clone() })
            }
            (None, Some(_)) => {
                info!(%channel, "a channel works again");
                Some(ChannelLine::Works { channel: channel.clone() })
            }
            _ => None,
        };
        let mut is_back = false;
        if trouble.is_none() {
            known.worked = now;
            is_back = std::mem::take(&mut known.told);
        }
        known.trouble = trouble;
        line.into_iter().for_each(|line| self.tell(line));
        is_back
    }

    /// The channels that have not worked for so long, each once.
    fn newly_deaf(&mut self, limit: Duration) -> Vec<ChannelName> {
        let now = Instant::now();
        let deaf = self.channels.iter_mut().filter(|(_, it)| !it.told && now.duration_since(it.worked) >= limit);
        deaf.map(|(channel, it)| {
            it.told = true;
            channel.clone()
        })
        .collect()
    }

    /// Whether a channel can be spoken on, as far as is known.
    pub(super) fn works(&self, channel: &ChannelName) -> bool {
        self.channels.get(channel).is_none_or(|it| it.trouble.is_none() && !it.told)
    }

    pub(super) fn status(&self) -> Vec<ChannelStatus> {
        let status = self.channels.iter().map(|(channel, it)| ChannelStatus {
            channel: channel.clone(),
            bot: it.bot.clone(),
            attempted_s: it.attempted.map(|at| at.elapsed().as_secs()),
            trouble: it.trouble.clone(),
        });
        status.collect()
    }
}

impl IntakeState {
    pub(super) fn expect(&mut self, channel: ChannelName) {
        let is_first = self.liveness.channels.is_empty();
        self.liveness.channel(&channel);
        if is_first {
            self.tick_later();
        }
    }

    pub(super) fn heard_of(&mut self, channel: ChannelName, news: ChannelNews) {
        if self.liveness.news(&channel, news) {
            self.tell_elsewhere(&channel, |language| wording::works_again(language, &channel));
        }
    }

    pub(super) fn tick(&mut self) {
        let limit = Duration::from_secs(self.settings.deaf_s);
        for channel in self.liveness.newly_deaf(limit) {
            warn!(%channel, "a channel is deaf");
            let minutes = self.settings.deaf_s / 60;
            self.tell_elsewhere(&channel, |language| wording::is_deaf(language, &channel, minutes));
        }
        if !self.closed {
            self.tick_later();
        }
    }

    fn tick_later(&self) {
        let myself = self.myself.clone();
        tokio::spawn(async move {
            sleep(TICK).await;
            let _ = myself.cast(IntakeMessage::Tick);
        });
    }
}
