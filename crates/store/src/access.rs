//! Who may talk to the bot, as it is written and read.

use chat::{ChannelName, ConversationKey, PersonRole};

/// A change of who may talk to the bot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AccessChange {
    /// A person has a role from now on; a code that they were given is used up. As a stranger they have none any more.
    Grant(Grant),
    /// A group is let in or not, up to a role.
    Chat(ChatAccess),
    /// A stranger is given a code, in place of an earlier one.
    Invite(Invitation),
    /// A code is good for nothing any more.
    Withdraw {
        /// The code.
        code: String,
    },
    /// A stranger wrote; what, is not kept.
    Tally {
        /// Where.
        channel: ChannelName,
        /// Who.
        person: String,
    },
}

/// What a person may do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grant {
    /// Where.
    pub channel: ChannelName,
    /// The platform's id of the person.
    pub person: String,
    /// The role.
    pub role: PersonRole,
    /// What they are called there; it decides nothing.
    pub name: String,
    /// Their private conversation, where it is known.
    pub private: Option<ConversationKey>,
}

/// What a group may do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChatAccess {
    /// Where.
    pub channel: ChannelName,
    /// The platform's id of the group.
    pub chat: String,
    /// Whether messages there are worked on.
    pub enabled: bool,
    /// The most that a turn there may do.
    pub cap: PersonRole,
}

/// A code that a stranger was given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invitation {
    /// The code.
    pub code: String,
    /// The platform's id of the person.
    pub person: String,
    /// What they are called there.
    pub name: String,
    /// Their private conversation.
    pub private: ConversationKey,
    /// Until when it holds, in Unix milliseconds.
    pub expires: i64,
}

/// Who may talk to the bot.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StoredAccess {
    /// Persons with a role.
    pub grants: Vec<Grant>,
    /// Groups that were decided on.
    pub chats: Vec<ChatAccess>,
    /// Codes, expired ones among them.
    pub invitations: Vec<Invitation>,
}
