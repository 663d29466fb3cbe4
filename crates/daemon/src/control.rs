//! The socket on which commands talk to the bot that runs: one JSON object a line, a question and an answer. Whoever can open it
//! is taken for the owner.

mod client;
mod server;

use serde::{Deserialize, Serialize};
use tokio::sync::oneshot;

pub(crate) use client::ask;
pub(crate) use server::Socket;

/// What is asked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "command", rename_all = "snake_case")]
pub(crate) enum Question {
    /// How is it going?
    Status,
    /// Let somebody in.
    Pair {
        /// The code that they were given.
        code: String,
        /// What they may do.
        role: chat::PersonRole,
    },
    /// End what runs.
    Stop {
        /// In this conversation.
        conversation: String,
    },
    /// Read again who may talk.
    Reload,
}

/// What is answered.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Answer {
    /// Whether it was done.
    pub(crate) ok: bool,
    /// What people are told.
    pub(crate) text: String,
    /// How it is going, where that was asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) status: Option<Status>,
}

/// How it is going.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Status {
    /// The program's version.
    pub(crate) version: String,
    /// The process.
    pub(crate) pid: u32,
    /// How long it has been running, in seconds.
    pub(crate) up_s: u64,
    /// The model that is asked first.
    pub(crate) model: String,
    /// How the chat services fare.
    pub(crate) channels: Vec<Channel>,
    /// The keys of the conversations in memory.
    pub(crate) conversations: Vec<String>,
}

/// How a chat service fares.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Channel {
    /// Its name.
    pub(crate) name: String,
    /// The bot's account there, where it is known: its id.
    pub(crate) bot_id: Option<String>,
    /// Its name.
    pub(crate) bot_name: Option<String>,
    /// How many seconds ago a round with the service came to its end.
    pub(crate) attempted_s: Option<u64>,
    /// What is wrong.
    pub(crate) trouble: Option<String>,
}

/// A question, and where its answer goes.
pub(crate) type Asked = (Question, oneshot::Sender<Answer>);

impl Answer {
    pub(crate) fn done(text: impl Into<String>) -> Self {
        Self { ok: true, text: text.into(), status: None }
    }

    pub(crate) fn refused(text: impl Into<String>) -> Self {
        Self { ok: false, text: text.into(), status: None }
    }
}

impl Status {
    /// For people.
    pub(crate) fn text(&self) -> String {
        let Self { version, pid, up_s, model, channels, conversations } = self;
        let mut lines = vec![format!("cowhand {version}, process {pid}, up {}; model {model}", time(*up_s))];
        lines.extend(channels.iter().map(Channel::text));
        lines.push(format!("conversations in memory: {}", conversations.len()));
        lines.extend(conversations.iter().map(|key| format!("  {key}")));
        lines.join("\n")
    }
}

impl Channel {
    fn text(&self) -> String {
        let bot = match (&self.bot_name, &self.bot_id) {
            (Some(name), Some(id)) => format!("{name} (id {id})"),
            _ => "not connected yet".to_owned(),
        };
        let heard = self.attempted_s.map(|seconds| format!(", heard of {} ago", time(seconds))).unwrap_or_default();
        let trouble = self.trouble.as_ref().map(|what| format!("; trouble: {what}")).unwrap_or_default();
        format!("{}: {bot}{heard}{trouble}", self.name)
    }
}

fn time(seconds: u64) -> String {
    match seconds {
        0..120 => format!("{seconds} s"),
        120..7_200 => format!("{} min", seconds / 60),
        _ => format!("{} h", seconds / 3_600),
    }
}
