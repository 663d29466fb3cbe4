//! What the owner decides on in a group, with a slash in front; and the first contact.

use chat::{Inbound, PersonRole, Place};
use store::{AccessChange, ChatAccess};

use super::IntakeState;
use crate::wording::access as wording;

/// What intake does itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ChatCommand {
    /// The first contact: services have a button that sends this.
    Start,
    Enable,
    Disable,
    /// The most that a turn there may do; nothing where it was not said in a way that is known.
    Cap(Option<PersonRole>),
}

/// Reads a message's text.
pub(super) fn read(text: &str) -> Option<ChatCommand> {
    let body = text.trim().strip_prefix('/')?;
    let (name, rest) = body.split_once(char::is_whitespace).unwrap_or((body, ""));
    match name.to_ascii_lowercase().as_str() {
        "start" => Some(ChatCommand::Start),
        "enable" => Some(ChatCommand::Enable),
        "disable" => Some(ChatCommand::Disable),
        "cap" => Some(ChatCommand::Cap(role(rest.trim()))),
        _ => None,
    }
}

/// Reads the name of a role that can be given.
pub(super) fn role(name: &str) -> Option<PersonRole> {
    match name.to_ascii_lowercase().as_str() {
        "guest" => Some(PersonRole::Guest),
        "trusted" => Some(PersonRole::Trusted),
        "owner" => Some(PersonRole::Owner),
        _ => None,
    }
}

impl IntakeState {
    /// Does what a command says; the answer to it.
    pub(super) fn decide_on_chat(&mut self, inbound: &Inbound, command: ChatCommand) -> String {
        let language = inbound.person.language;
        if command == ChatCommand::Start {
            return crate::wording::help(language);
        }
        if inbound.place == Place::Private {
            return wording::only_in_groups(language);
        }
        if self.access.role_of(&inbound.key.channel, &inbound.person.id) != PersonRole::Owner {
            return wording::only_the_owner(language);
        }
        let known = self.access.chat(&inbound.key.channel, &inbound.key.chat);
        let (access, text) = match command {
            ChatCommand::Enable => (ChatAccess { enabled: true, ..known }, wording::enabled(language)),
            ChatCommand::Disable => (ChatAccess { enabled: false, ..known }, wording::disabled(language)),
            ChatCommand::Cap(Some(cap)) => (ChatAccess { cap, ..known }, wording::capped(language, cap)),
            ChatCommand::Cap(None) | ChatCommand::Start => return wording::cap_usage(language),
        };
        self.change(AccessChange::Chat(access), None, Vec::new());
        text
    }
}
