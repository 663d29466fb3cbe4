//! How an accepted message ends: closed lists, with the names that the ledger writes.

use chat::{InboxId, TurnId};

/// The one end of an accepted message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InboxEnd {
    /// The person has what there is to have.
    Answered(Answered),
    /// Answered, with a visible mark that it may be a repeat or may not be saved: why.
    Doubtful(String),
    /// It was not worked on.
    Refused(Refused),
    /// It is no longer wanted.
    Cancelled(Cancelled),
}

/// In which way a message was answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answered {
    /// By the reply of its own turn.
    Reply,
    /// Together with an earlier message.
    Joined(InboxId),
    /// Taken into a turn that ran.
    Steered(TurnId),
    /// By a command's own answer.
    Command,
    /// By nothing, where that is allowed.
    Silence,
    /// By being told of an error.
    ErrorTold,
}

/// Why a message was not worked on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refused {
    /// Its person may not talk to the bot.
    NoAccess,
    /// Too many messages waited.
    QueueFull,
    /// It brought down every attempt at it.
    SetAside,
    /// It is of a kind that cannot be read.
    Unsupported,
}

/// Why a message is no longer wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cancelled {
    /// A person stopped it.
    Stop,
    /// Its person deleted it.
    Deleted,
    /// The conversation was started over.
    New,
    /// It waited too long.
    Expired,
}

impl InboxEnd {
    /// The state's stable name.
    #[must_use]
    pub fn state(&self) -> &'static str {
        match self {
            Self::Answered(_) => "answered",
            Self::Doubtful(_) => "doubtful",
            Self::Refused(_) => "refused",
            Self::Cancelled(_) => "cancelled",
        }
    }

    /// The reason's stable name; of a doubtful end, the reason itself.
    #[must_use]
    pub fn reason(&self) -> &str {
        match self {
            Self::Answered(answered) => answered.name(),
            Self::Doubtful(reason) => reason,
            Self::Refused(refused) => refused.name(),
            Self::Cancelled(cancelled) => cancelled.name(),
        }
    }

    /// The earlier message that it was answered with.
    pub(crate) fn joined_to(&self) -> Option<InboxId> {
        match self {
            Self::Answered(Answered::Joined(inbox)) => Some(*inbox),
            _ => None,
        }
    }

    /// The turn that it was taken into.
    pub(crate) fn steered_into(&self) -> Option<TurnId> {
        match self {
            Self::Answered(Answered::Steered(turn)) => Some(*turn),
            _ => None,
        }
    }
}

impl Answered {
    /// Its stable name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Reply => "reply",
            Self::Joined(_) => "joined",
            Self::Steered(_) => "steered",
            Self::Command => "command",
            Self::Silence => "silence",
            Self::ErrorTold => "error_told",
        }
    }
}

impl Refused {
    /// Its stable name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::NoAccess => "no_access",
            Self::QueueFull => "queue_full",
            Self::SetAside => "set_aside",
            Self::Unsupported => "unsupported",
        }
    }
}

impl Cancelled {
    /// Its stable name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Stop => "stop",
            Self::Deleted => "deleted",
            Self::New => "new",
            Self::Expired => "expired",
        }
    }
}
