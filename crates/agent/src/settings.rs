//! What can be set about conversations.

use std::num::NonZeroU64;

use serde::{Deserialize, Deserializer, Serialize};

/// How conversations behave.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// How many messages may wait in one conversation; the next one is refused.
    pub waiting: usize,
    /// After how many seconds without anything to do a conversation leaves memory.
    pub idle_s: u64,
    /// How many tokens a request may hold; else it is what the model takes.
    #[serde(deserialize_with = "positive")]
    pub context_tokens: Option<u64>,
    /// How many earlier turns a request may hold.
    pub context_turns: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self { waiting: 20, idle_s: 600, context_tokens: None, context_turns: 100 }
    }
}

fn positive<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u64>, D::Error> {
    Option::<NonZeroU64>::deserialize(deserializer).map(|number| number.map(NonZeroU64::get))
}
