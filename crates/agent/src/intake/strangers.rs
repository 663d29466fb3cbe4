//! Those whom the adapter does not vouch for: let in, given a code, or met with silence.

use chat::{Inbound, PersonRole, Place, RefusalReason, ToChannel};
use jiff::Timestamp;
use store::{AccessChange, Grant, Invitation};

use super::{IntakeState, commands, text};
use crate::access::Admission;
use crate::wording;

impl IntakeState {
    pub(super) fn admit(&mut self, mut inbound: Inbound) {
        match self.access.admit(&inbound, Timestamp::now().as_millisecond()) {
            Admission::In(role) => {
                inbound.person.role = role;
                inbound.text = text::for_model(&inbound);
                if inbound.place != Place::Private {
                    self.overheard.tell(&mut inbound);
                }
                self.accept(inbound);
            }
            Admission::Claimed(grant) => self.claimed(inbound, grant),
            Admission::Invited(invitation) => self.invited(inbound, invitation),
            Admission::Ignored => {
                self.tally(&inbound);
                self.ignore(&inbound);
            }
            Admission::OffAndAsk => {
                self.ask_about_group(&inbound);
                self.ignore(&inbound);
            }
            Admission::OffByOwner => self.owner_in_group_that_is_off(inbound),
            Admission::Overheard => {
                self.overhear(&inbound);
                self.ignore(&inbound);
            }
        }
    }

    /// The code is not kept: it never was a message to the agent.
    fn claimed(&mut self, inbound: Inbound, grant: Grant) {
        let Inbound { key, id, .. } = inbound.clone();
        let text = wording::access::you_are_the_owner(inbound.person.language);
        let then = vec![
            ToChannel::Accepted { key: key.clone(), id: id.clone() },
            ToChannel::CommandAnswered { key, id, text },
        ];
        self.change(AccessChange::Grant(grant), Some(inbound), then);
    }

    fn invited(&mut self, inbound: Inbound, invitation: Invitation) {
        self.tally(&inbound);
        self.ask_about_person(&invitation);
        let text = wording::access::your_code(inbound.person.language, &invitation.code);
        let (key, id) = (inbound.key.clone(), inbound.id.clone());
        let told = ToChannel::Refused { key, id, reason: RefusalReason::NoAccess, text };
        self.change(AccessChange::Invite(invitation), Some(inbound), vec![told]);
    }

    fn owner_in_group_that_is_off(&mut self, mut inbound: Inbound) {
        if commands::read(&inbound.text).is_some() {
            inbound.person.role = PersonRole::Guest;
            return self.accept(inbound);
        }
        let text = wording::access::group_is_off(inbound.person.language);
        let Inbound { key, id, .. } = inbound;
        self.say(ToChannel::Refused { key, id, reason: RefusalReason::NoAccess, text });
    }

    fn overhear(&mut self, inbound: &Inbound) {
        let limit = self.access.settings(&inbound.key.channel).map_or(0, |settings| settings.observe);
        if limit > 0 && self.access.is_on(&inbound.key) {
            self.overheard.keep(inbound, limit);
        }
    }

    fn tally(&mut self, inbound: &Inbound) {
        let (channel, person) = (inbound.key.channel.clone(), inbound.person.id.clone());
        self.change(AccessChange::Tally { channel, person }, None, Vec::new());
    }
}
