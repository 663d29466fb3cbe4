//! A message on its way from the inbox to its conversation.

use chat::{Command, Inbound, InboxId, Language};
use jiff::ZonedDateTime;

/// A message that is safe in the inbox.
#[derive(Clone, Debug)]
pub(crate) struct Incoming {
    /// Its row.
    pub(crate) inbox: InboxId,
    /// The message.
    pub(crate) inbound: Inbound,
    /// What it was read as; `None` for ordinary text.
    pub(crate) command: Option<Command>,
    /// When it came, in the machine's time zone.
    pub(crate) at: ZonedDateTime,
    /// Whether it waited since before the conversation was read: it was let in already, and takes nobody's place.
    pub(crate) is_recovered: bool,
}

impl Incoming {
    /// The language in which its person is spoken to.
    pub(crate) fn language(&self) -> Language {
        self.inbound.person.language
    }
}
