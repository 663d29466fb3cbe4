//! A picture without a word waits for its question.

use std::collections::HashMap;

use chat::{AttachmentContent, ConversationKey, Inbound, InboxId, MessageId, ToChannel};
use store::{Cancelled, InboxEnd, Operation};
use tokio::time::{Duration, sleep};
use tracing::{debug, warn};

use super::text::is_picture;
use super::{IntakeMessage, IntakeState, commands};
use crate::incoming::Incoming;

/// Pictures that wait, by conversation and person. They are safe in the inbox; a restart takes each as a message of its own.
#[derive(Default)]
pub(super) struct Held(HashMap<(ConversationKey, String), Vec<Incoming>>);

impl IntakeState {
    /// Lets a picture wait, or a message go on with the pictures that waited for it.
    pub(super) fn with_pictures(&mut self, incoming: Incoming) {
        let owner = (incoming.inbound.key.clone(), incoming.inbound.person.id.clone());
        if is_picture_alone(&incoming.inbound) && self.settings.picture_wait_s > 0 {
            let (key, id) = (incoming.inbound.key.clone(), incoming.inbound.id.clone());
            self.say(ToChannel::Noticed { key, id });
            self.tell_when_waited(incoming.inbox);
            return self.held.0.entry(owner).or_default().push(incoming);
        }
        let text = &incoming.inbound.text;
        let is_word = incoming.inbound.edit.is_none()
            && chat::Command::parse(text) == chat::command::Parsed::Text
            && commands::read(text).is_none();
        match if is_word { self.held.0.remove(&owner) } else { None } {
            Some(pictures) => self.join(incoming, pictures),
            None => self.forward(incoming),
        }
    }

    fn join(&mut self, mut incoming: Incoming, pictures: Vec<Incoming>) {
        if pictures.is_empty() {
            return self.forward(incoming);
        }
        let joined = pictures.iter().map(|picture| picture.inbox).collect();
        for picture in pictures {
            incoming.inbound.text = format!("{}\n\n{}", incoming.inbound.text, picture.inbound.text);
            incoming.inbound.attachments.extend(picture.inbound.attachments);
        }
        let replace = Operation::Replace { inbox: incoming.inbox, inbound: incoming.inbound.clone(), joined };
        self.ledger.write(replace, |written| {
            if let Err(error) = written {
                warn!(%error, "that a picture got its question is not on disk");
            }
        });
        self.forward(incoming);
    }

    fn tell_when_waited(&self, inbox: InboxId) {
        let (myself, pause) = (self.myself.clone(), Duration::from_secs(self.settings.picture_wait_s));
        tokio::spawn(async move {
            sleep(pause).await;
            let _ = myself.cast(IntakeMessage::PictureWaited(inbox));
        });
    }

    pub(super) fn picture_waited(&mut self, inbox: InboxId) {
        let Some(mut pictures) = self.held.take_all(inbox) else { return };
        let first = pictures.remove(0);
        self.join(first, pictures);
    }

    /// Forgets a picture that was taken back; false where none of that id waits.
    pub(super) fn forget_picture(&mut self, key: &ConversationKey, id: &MessageId) -> bool {
        let Some(gone) = self.held.take(|it| it.inbound.key == *key && it.inbound.id == *id) else { return false };
        let end = InboxEnd::Cancelled(Cancelled::Deleted);
        self.ledger.write(Operation::EndInbox { inbox: gone.inbox, end }, |written| {
            if let Err(error) = written {
                debug!(%error, "a picture that was taken back has another end already");
            }
        });
        true
    }
}

impl Held {
    /// The pictures of the person whose picture this is; never empty.
    fn take_all(&mut self, inbox: InboxId) -> Option<Vec<Incoming>> {
        let is_it = |(_, held): &(&(ConversationKey, String), &Vec<Incoming>)| held.iter().any(|it| it.inbox == inbox);
        let owner = self.0.iter().find(is_it).map(|(owner, _)| owner.clone())?;
        self.0.remove(&owner)
    }

    fn take(&mut self, is_it: impl Fn(&Incoming) -> bool) -> Option<Incoming> {
        let owner = self.0.iter().find(|(_, held)| held.iter().any(&is_it)).map(|(owner, _)| owner.clone())?;
        let held = self.0.get_mut(&owner)?;
        let taken = held.iter().position(is_it).map(|at| held.remove(at));
        if held.is_empty() {
            self.0.remove(&owner);
        }
        taken
    }
}

/// A picture has no word of its person with it; its text is what names it to the model.
fn is_picture_alone(inbound: &Inbound) -> bool {
    let stored = |content: &AttachmentContent| matches!(content, AttachmentContent::Stored(_));
    let lines = inbound.text.lines().filter(|line| !line.is_empty());
    !inbound.attachments.is_empty()
        && inbound.edit.is_none()
        && inbound.attachments.iter().all(|it| is_picture(it) && stored(&it.content))
        && lines.into_iter().all(|line| line.starts_with("[image: "))
}
