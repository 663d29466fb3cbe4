//! What is asked and told from outside any conversation: by the commands of whoever runs the bot.

use std::collections::BTreeMap;

use chat::{ChannelName, ConversationKey, PersonRole};
use ractor::ActorRef;
use store::Grant;
use tokio::sync::{mpsc, oneshot};

use crate::access::ChannelAccess;
use crate::intake::{ChannelLine, ChannelStatus, IntakeMessage};
use crate::supervisor::{SupervisorMessage, Word};

/// A hand on the running actors; cheap to clone. What it asks is answered with nothing once they are gone.
#[derive(Clone)]
pub struct Control {
    pub(crate) intake: ActorRef<IntakeMessage>,
    pub(crate) supervisor: ActorRef<SupervisorMessage>,
}

impl Control {
    /// Sets who may talk by the settings, from now on.
    pub fn configure(&self, access: BTreeMap<ChannelName, ChannelAccess>) {
        let _ = self.intake.cast(IntakeMessage::Configure(access));
    }

    /// The code that makes whoever sends it in private on this channel its owner; `None` where it has one.
    pub async fn owner_code(&self, channel: &ChannelName) -> Option<String> {
        let channel = channel.clone();
        ask(&self.intake, |tell| IntakeMessage::OwnerCode { channel, tell }).await.flatten()
    }

    /// Lets in whoever was given this code, as what they are to be. Their name and id; `None` where no open code is like it.
    pub async fn pair(&self, code: &str, role: PersonRole) -> Option<(String, String)> {
        let code = code.to_owned();
        let grant = ask(&self.intake, |tell| IntakeMessage::Pair { code, role, tell }).await.flatten();
        grant.map(|Grant { name, person, .. }| (name, person))
    }

    /// Ends what runs in a conversation; whether something did.
    pub async fn stop(&self, key: ConversationKey) -> bool {
        let word = |tell| SupervisorMessage::Tell { key, word: Word::Stop(tell) };
        ask(&self.supervisor, word).await.unwrap_or(false)
    }

    /// How the channels fare.
    pub async fn channels(&self) -> Vec<ChannelStatus> {
        ask(&self.intake, IntakeMessage::Channels).await.unwrap_or_default()
    }

    /// The conversations that are in memory, sorted.
    pub async fn conversations(&self) -> Vec<ConversationKey> {
        let mut keys = ask(&self.supervisor, SupervisorMessage::Known).await.unwrap_or_default();
        keys.sort();
        keys
    }

    /// What happens to channels from now on; whoever watched before is told nothing more.
    #[must_use]
    pub fn watch_channels(&self) -> mpsc::UnboundedReceiver<ChannelLine> {
        let (tell, told) = mpsc::unbounded_channel();
        let _ = self.intake.cast(IntakeMessage::Watch(tell));
        told
    }
}

async fn ask<M: ractor::Message, T>(actor: &ActorRef<M>, question: impl FnOnce(oneshot::Sender<T>) -> M) -> Option<T> {
    let (tell, told) = oneshot::channel();
    actor.cast(question(tell)).ok()?;
    told.await.ok()
}
