//! Who may talk to the bot, and as what: settings, what the ledger knows, and the codes by which strangers come in.
//!
//! Decided by the platform's id of a person, never by a name. All of it is plain state: who asks writes the changes.

mod code;
mod settings;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, HashMap, HashSet};

use chat::{ChannelName, ConversationKey, Inbound, Language, Person, PersonRole, Place};
use store::{AccessChange, ChatAccess, Grant, Invitation, StoredAccess};

pub use self::settings::{ChannelAccess, PersonId};

/// How long a code is good for, in milliseconds.
const CODE_LIFE: i64 = 3_600_000;

/// So many codes may be open at a time.
const MOST_CODES: usize = 20;

/// In one process the owner is asked about so many groups; further ones they switch on themselves.
const MOST_ASKED: usize = 200;

/// Who has access.
#[derive(Default)]
pub(crate) struct Access {
    settings: BTreeMap<ChannelName, ChannelAccess>,
    grants: HashMap<(ChannelName, String), Grant>,
    chats: HashMap<(ChannelName, String), ChatAccess>,
    invitations: HashMap<String, Invitation>,
    /// By channel: what makes whoever sends it its owner.
    owner_codes: HashMap<ChannelName, String>,
    /// Where owners were seen in private in this process, and their language.
    owners_seen: HashMap<(ChannelName, String), (ConversationKey, Language)>,
    /// Groups whose owner was asked in this process.
    asked: HashSet<(ChannelName, String)>,
}

/// What becomes of a message, as far as access goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Admission {
    /// It is worked on, in this role.
    In(PersonRole),
    /// Its person is the channel's owner from now on.
    Claimed(Grant),
    /// Its person is given a code.
    Invited(Invitation),
    /// Nothing: a stranger, or a group that is off.
    Ignored,
    /// The group is off, and its owner can be asked whether it is to be on.
    OffAndAsk,
    /// The group is off; the owner is there and can be told how to change that.
    OffByOwner,
    /// The bot was not meant.
    Overheard,
}

impl Access {
    pub(crate) fn restore(&mut self, stored: StoredAccess) {
        let of_person = |grant: Grant| ((grant.channel.clone(), grant.person.clone()), grant);
        self.grants = stored.grants.into_iter().map(of_person).collect();
        self.chats = stored.chats.into_iter().map(|it| ((it.channel.clone(), it.chat.clone()), it)).collect();
        self.invitations = stored.invitations.into_iter().map(|it| (it.code.clone(), it)).collect();
    }

    pub(crate) fn configure(&mut self, settings: BTreeMap<ChannelName, ChannelAccess>) {
        self.settings = settings;
    }

    pub(crate) fn settings(&self, channel: &ChannelName) -> Option<&ChannelAccess> {
        self.settings.get(channel)
    }

    /// What a person is on a channel, wherever they write.
    pub(crate) fn role_of(&self, channel: &ChannelName, person: &str) -> PersonRole {
        let granted = self.grants.get(&(channel.clone(), person.to_owned())).map(|grant| grant.role);
        let written = self.settings.get(channel).and_then(|settings| settings.role_of(person));
        granted.max(written).unwrap_or(PersonRole::Stranger)
    }

    /// In which role what a person says here is worked on, if it is. Asking changes nothing.
    pub(crate) fn role_here(&self, key: &ConversationKey, person: &str, place: Place) -> Option<PersonRole> {
        let own = self.role_of(&key.channel, person);
        match place {
            Place::Private if own > PersonRole::Stranger => Some(own),
            Place::Private => {
                let open = self.settings.get(&key.channel).is_some_and(|settings| settings.open);
                (open && self.has_owner(&key.channel)).then_some(PersonRole::Guest)
            }
            Place::Group { .. } => {
                let chat = self.chats.get(&(key.channel.clone(), key.chat.clone())).filter(|chat| chat.enabled)?;
                // Whoever is in a group that the owner let in is a guest there.
                Some(own.max(PersonRole::Guest).min(chat.cap))
            }
        }
    }

    /// What becomes of a message.
    pub(crate) fn admit(&mut self, inbound: &Inbound, now: i64) -> Admission {
        let own = self.role_of(&inbound.key.channel, &inbound.person.id);
        match inbound.place {
            Place::Private => self.admit_in_private(inbound, own, now),
            Place::Group { addressed } => self.admit_in_group(inbound, own, addressed),
        }
    }

    fn admit_in_private(&mut self, inbound: &Inbound, own: PersonRole, now: i64) -> Admission {
        let channel = &inbound.key.channel;
        if own == PersonRole::Owner {
            let seen = (inbound.key.clone(), inbound.person.language);
            self.owners_seen.insert((channel.clone(), inbound.person.id.clone()), seen);
        }
        if let Some(role) = self.role_here(&inbound.key, &inbound.person.id, Place::Private) {
            return Admission::In(role);
        }
        if self.has_owner(channel) {
            return self.invite(inbound, now).map_or(Admission::Ignored, Admission::Invited);
        }
        match self.owner_codes.get(channel) {
            Some(code) if code::is(code, without_start(&inbound.text)) => {
                Admission::Claimed(grant(inbound, PersonRole::Owner))
            }
            _ => Admission::Ignored,
        }
    }

    fn admit_in_group(&mut self, inbound: &Inbound, own: PersonRole, addressed: bool) -> Admission {
        if !addressed {
            return Admission::Overheard;
        }
        if let Some(role) = self.role_here(&inbound.key, &inbound.person.id, inbound.place) {
            return Admission::In(role);
        }
        if own == PersonRole::Owner {
            return Admission::OffByOwner;
        }
        let group = (inbound.key.channel.clone(), inbound.key.chat.clone());
        let can_be_asked = !self.chats.contains_key(&group) && !self.owners(&group.0).is_empty();
        let is_news = can_be_asked && self.asked.len() < MOST_ASKED && self.asked.insert(group);
        if is_news { Admission::OffAndAsk } else { Admission::Ignored }
    }

    /// Whether a group is on.
    pub(crate) fn is_on(&self, key: &ConversationKey) -> bool {
        self.chats.get(&(key.channel.clone(), key.chat.clone())).is_some_and(|chat| chat.enabled)
    }

    fn has_owner(&self, channel: &ChannelName) -> bool {
        let written = self.settings.get(channel).is_some_and(|settings| !settings.owners.is_empty());
        written || self.grants.values().any(|grant| grant.channel == *channel && grant.role == PersonRole::Owner)
    }

    /// A code for a stranger; nothing where they have one, or too many have.
    fn invite(&mut self, inbound: &Inbound, now: i64) -> Option<Invitation> {
        self.invitations.retain(|_, invitation| invitation.expires > now);
        let person = &inbound.person;
        let has_one = |it: &Invitation| it.private.channel == inbound.key.channel && it.person == person.id;
        if self.invitations.values().any(has_one) || self.invitations.len() >= MOST_CODES {
            return None;
        }
        let invitation = Invitation {
            code: code::new()?,
            person: person.id.clone(),
            name: shown(&person.name),
            private: inbound.key.clone(),
            expires: now + CODE_LIFE,
        };
        self.invitations.insert(invitation.code.clone(), invitation.clone());
        Some(invitation)
    }

    /// The code that makes whoever sends it in private the channel's owner; nothing where there is one.
    pub(crate) fn owner_code(&mut self, channel: &ChannelName) -> Option<String> {
        if self.has_owner(channel) {
            return None;
        }
        if !self.owner_codes.contains_key(channel) {
            self.owner_codes.insert(channel.clone(), code::new()?);
        }
        self.owner_codes.get(channel).cloned()
    }

    /// Takes an open code; nothing where there is none of that name.
    pub(crate) fn redeem(&mut self, code: &str, now: i64) -> Option<Invitation> {
        self.invitations.retain(|_, invitation| invitation.expires > now);
        self.invitations.remove(&code::normal(code))
    }

    /// Takes over what is on its way to the ledger.
    pub(crate) fn note(&mut self, change: &AccessChange) {
        match change {
            AccessChange::Grant(grant) => {
                let person = (grant.channel.clone(), grant.person.clone());
                if grant.role == PersonRole::Owner {
                    self.owner_codes.remove(&grant.channel);
                }
                self.invitations.retain(|_, it| (&it.private.channel, &it.person) != (&person.0, &person.1));
                self.grants.insert(person, grant.clone());
            }
            AccessChange::Chat(chat) => {
                self.chats.insert((chat.channel.clone(), chat.chat.clone()), chat.clone());
            }
            AccessChange::Invite(_) | AccessChange::Withdraw { .. } | AccessChange::Tally { .. } => {}
        }
    }

    /// A group has another id from now on.
    pub(crate) fn chat_moved(&mut self, from: &ConversationKey, to: &str) {
        if let Some(mut access) = self.chats.remove(&(from.channel.clone(), from.chat.clone())) {
            access.chat = to.to_owned();
            self.chats.insert((from.channel.clone(), to.to_owned()), access);
        }
    }

    /// What is decided on a group, or would be at first.
    pub(crate) fn chat(&self, channel: &ChannelName, chat: &str) -> ChatAccess {
        let known = self.chats.get(&(channel.clone(), chat.to_owned())).cloned();
        known.unwrap_or_else(|| ChatAccess {
            channel: channel.clone(),
            chat: chat.to_owned(),
            enabled: false,
            cap: PersonRole::Guest,
        })
    }

    /// Where owners can be told something, those of `first` at the head; each with their language.
    pub(crate) fn owners(&self, first: &ChannelName) -> Vec<(ConversationKey, Language)> {
        let owners = self.grants.values().filter(|grant| grant.role == PersonRole::Owner);
        let mut doors: BTreeMap<ConversationKey, Language> =
            owners.filter_map(|grant| Some((grant.private.clone()?, Language::default()))).collect();
        let seen =
            self.owners_seen.iter().filter(|((channel, person), _)| self.role_of(channel, person) == PersonRole::Owner);
        doors.extend(seen.map(|(_, (key, language))| (key.clone(), *language)));
        let mut doors: Vec<_> = doors.into_iter().collect();
        doors.sort_by_key(|(key, _)| key.channel != *first);
        doors
    }
}

/// What makes a person something.
pub(crate) fn grant(inbound: &Inbound, role: PersonRole) -> Grant {
    let Person { id, name, .. } = &inbound.person;
    let private = (inbound.place == Place::Private).then(|| inbound.key.clone());
    Grant { channel: inbound.key.channel.clone(), person: id.clone(), role, name: shown(name), private }
}

/// A link to a bot may carry a word; it comes behind the command with which a first contact begins.
fn without_start(text: &str) -> &str {
    text.trim().strip_prefix("/start").unwrap_or(text)
}

/// A name as it may be shown: one line, not long.
fn shown(name: &str) -> String {
    let plain = name.chars().filter(|char| !char.is_control() && !is_direction(*char));
    plain.take(64).collect::<String>().trim().to_owned()
}

/// Marks that change the direction of the text around them.
fn is_direction(char: char) -> bool {
    matches!(char, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}
