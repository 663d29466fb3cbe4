//! Commands that run in the background of a conversation.
//!
//! One actor knows which there are. Each is held by a task of its own, which reads what it writes, answers questions about it, and
//! sees to it that nothing is left when it ends. A job ends by itself, when it is told to, when its time is up, with its conversation,
//! and with Cowhand.

mod job;
mod registry;
mod ring;

use std::sync::{Arc, OnceLock};

use chat::ConversationKey;
use ractor::{ActorRef, ActorRuntime};
use tokio::sync::oneshot;

pub(crate) use self::job::Look;
pub(crate) use self::registry::Listed;
use self::registry::{Jobless, JobsMessage, Registry};
use crate::Settings;
use crate::process::Order;

/// A job that runs, for people and models.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunningJob {
    /// What it is known by.
    pub id: String,
    /// Its command.
    pub command: String,
}

/// The background jobs of all conversations. Clones speak of the same ones.
#[derive(Clone)]
pub struct Jobs {
    /// Begins with the first job.
    actor: Arc<OnceLock<ActorRef<JobsMessage>>>,
    limits: Limits,
}

/// How many jobs there may be.
#[derive(Clone, Copy)]
pub(crate) struct Limits {
    /// Of one conversation at once.
    running: usize,
    /// Of one conversation, with those that have ended and can still be looked at.
    kept: usize,
    /// Bytes of new output of each.
    output: usize,
}

impl Jobs {
    /// No job yet.
    #[must_use]
    pub fn new(settings: &Settings) -> Self {
        let number = |number: std::num::NonZeroU64| usize::try_from(number.get()).unwrap_or(usize::MAX);
        let running = number(settings.jobs_running);
        let (kept, output) =
            (number(settings.jobs_kept).max(running), number(settings.job_output_kib).saturating_mul(1024));
        Self { actor: Arc::default(), limits: Limits { running, kept, output } }
    }

    /// The jobs of a conversation that run, the oldest first.
    pub async fn running(&self, conversation: &ConversationKey) -> Vec<RunningJob> {
        let listed = self.list(conversation).await.into_iter().filter(|job| job.is_running);
        listed.map(|Listed { id, command, .. }| RunningJob { id, command }).collect()
    }

    /// Ends all jobs of a conversation that starts anew or is forgotten. Comes back when nothing of them runs any more.
    pub async fn end_conversation(&self, conversation: &ConversationKey) {
        let Some(actor) = self.actor.get() else { return };
        let _ = ask(actor, |answer| JobsMessage::EndConversation { conversation: conversation.clone(), answer }).await;
    }

    /// Starts one, and gives its id.
    pub(crate) async fn start(&self, start: Start) -> Result<String, String> {
        let actor = self.actor.get_or_init(|| {
            let spawned = ActorRuntime::spawn_instant(None, Registry, self.limits);
            spawned.expect("an actor without a name has no name that is taken").0
        });
        ask(actor, |answer| JobsMessage::Start { start, answer }).await.unwrap_or_else(|Gone| Err(GONE.to_owned()))
    }

    /// What is new of one; where it is to be ended, once nothing of it runs any more.
    pub(crate) async fn look(&self, conversation: &ConversationKey, id: &str, end: bool) -> Result<Look, String> {
        let Some(actor) = self.actor.get() else { return Err(Jobless::default().unknown(id)) };
        let (conversation, id) = (conversation.clone(), id.to_owned());
        let asked = ask(actor, |answer| JobsMessage::Look { conversation, id, end, answer }).await;
        asked.unwrap_or_else(|Gone| Err(GONE.to_owned()))
    }

    /// All that are kept, the oldest first.
    pub(crate) async fn list(&self, conversation: &ConversationKey) -> Vec<Listed> {
        let Some(actor) = self.actor.get() else { return Vec::new() };
        let asked = ask(actor, |answer| JobsMessage::List { conversation: conversation.clone(), answer }).await;
        asked.unwrap_or_default()
    }
}

/// A job to be started.
pub(crate) struct Start {
    pub(crate) conversation: ConversationKey,
    /// The turn that starts it: with a number it makes an id that no job of this conversation had, not even before a restart.
    pub(crate) turn: chat::TurnId,
    pub(crate) command: String,
    pub(crate) order: Order,
}

const GONE: &str = "background jobs are out of order until Cowhand is started again; the log says why";

/// Nobody answers.
struct Gone;

async fn ask<T>(
    actor: &ActorRef<JobsMessage>,
    message: impl FnOnce(oneshot::Sender<T>) -> JobsMessage,
) -> Result<T, Gone> {
    let (answer, answered) = oneshot::channel();
    actor.cast(message(answer)).map_err(|_| Gone)?;
    answered.await.map_err(|_| Gone)
}

#[cfg(test)]
mod tests;
