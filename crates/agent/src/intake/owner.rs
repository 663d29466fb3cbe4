//! What the owner is asked and told.

use chat::{Button, ChannelName, ConversationKey, Inbound, Outbound, OutboundBody, PersonRole};
use jiff::Timestamp;
use store::{AccessChange, Grant, Invitation, Operation};
use tracing::{info, warn};

use super::IntakeState;
use crate::delivery::DeliveryMessage;
use crate::wording::access as wording;

impl IntakeState {
    /// Whether a stranger is let in.
    pub(super) fn ask_about_person(&self, invitation: &Invitation) {
        let channel = &invitation.private.channel;
        let Some((key, language)) = self.access.owners(channel).into_iter().next() else {
            return info!(%channel, code = invitation.code, "a stranger was given a code; the owner wrote nothing yet");
        };
        let button = |label, what: &str| Button { label, data: format!("pair:{}:{what}", invitation.code) };
        let buttons = vec![
            vec![button(wording::as_guest(language), "guest"), button(wording::as_trusted(language), "trusted")],
            vec![button(wording::no(language), "no")],
        ];
        let text = wording::let_in(language, &invitation.name, &invitation.person, channel, &invitation.code);
        self.post(key, OutboundBody::Question { text, buttons });
    }

    /// Whether a group is let in.
    pub(super) fn ask_about_group(&self, inbound: &Inbound) {
        let ConversationKey { channel, chat, .. } = &inbound.key;
        let Some((key, language)) = self.access.owners(channel).into_iter().next() else { return };
        let button = |label, what: &str| Button { label, data: format!("allow:{channel}:{chat}:{what}") };
        let buttons = vec![vec![button(wording::yes(language), "yes"), button(wording::no(language), "no")]];
        let text = wording::let_group_in(language, &inbound.person.name, &inbound.person.id, chat, channel);
        self.post(key, OutboundBody::Question { text, buttons });
    }

    /// Tells the owner something on another channel than this one.
    pub(super) fn tell_elsewhere(&self, than: &ChannelName, text: impl Fn(chat::Language) -> String) {
        let doors = self.access.owners(than).into_iter();
        let works = |key: &ConversationKey| key.channel != *than && self.liveness.works(&key.channel);
        match doors.into_iter().find(|(key, _)| works(key)) {
            Some((key, language)) => self.post(key, OutboundBody::Notice { text: text(language) }),
            None => warn!(channel = %than, "there is no other channel on which the owner could be told"),
        }
    }

    /// Lets in whoever was given a code.
    pub(super) fn pair(&mut self, code: &str, role: PersonRole) -> Option<Grant> {
        let invitation = self.access.redeem(code, Timestamp::now().as_millisecond())?;
        let Invitation { person, name, private, .. } = invitation;
        let grant = Grant { channel: private.channel.clone(), person, role, name, private: Some(private.clone()) };
        self.change(AccessChange::Grant(grant.clone()), None, Vec::new());
        self.post(private, OutboundBody::Notice { text: wording::you_are_in(chat::Language::default()) });
        Some(grant)
    }

    /// A stranger is not let in.
    pub(super) fn turn_away(&mut self, code: &str) -> bool {
        let Some(invitation) = self.access.redeem(code, Timestamp::now().as_millisecond()) else { return false };
        self.change(AccessChange::Withdraw { code: invitation.code }, None, Vec::new());
        true
    }

    /// Delivers something that is of no turn, once it is on disk.
    pub(super) fn post(&self, key: ConversationKey, body: OutboundBody) {
        let outbound = Outbound { id: self.ledger.next_delivery_id(), key, reply_to: None, body };
        let delivery = self.delivery.clone();
        self.ledger.write(Operation::Plan(outbound.clone()), move |written| match written {
            Ok(_) => _ = delivery.cast(DeliveryMessage::Deliver(outbound)),
            Err(error) => warn!(%error, "what was to be said could not be stored"),
        });
    }
}
