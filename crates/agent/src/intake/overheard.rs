//! What was said in a group and not to the bot, for where it is wanted: a few messages, in memory alone.

use std::collections::{HashMap, VecDeque};

use chat::command::Parsed;
use chat::{Command, ConversationKey, Inbound};

use super::commands;

/// Of one message no more is kept.
const LONGEST: usize = 500;

/// Of so many conversations something is kept; more are not listened to.
const MOST: usize = 200;

#[derive(Default)]
pub(super) struct Overheard(HashMap<ConversationKey, VecDeque<String>>);

impl Overheard {
    pub(super) fn keep(&mut self, inbound: &Inbound, limit: usize) {
        if self.0.len() >= MOST && !self.0.contains_key(&inbound.key) {
            return;
        }
        let said = self.0.entry(inbound.key.clone()).or_default();
        let text: String = inbound.text.chars().take(LONGEST).collect();
        said.push_back(format!("{}: {text}", inbound.person.name));
        while said.len() > limit {
            said.pop_front();
        }
    }

    /// Puts what was said before a message in front of it.
    pub(super) fn tell(&mut self, inbound: &mut Inbound) {
        let is_command = Command::parse(&inbound.text) != Parsed::Text || commands::read(&inbound.text).is_some();
        if is_command {
            return;
        }
        let Some(said) = self.0.remove(&inbound.key) else { return };
        let said = said.into_iter().collect::<Vec<_>>().join("\n");
        inbound.text = format!("[Said in the group before, not to you:\n{said}]\n\n{}", inbound.text);
    }
}
