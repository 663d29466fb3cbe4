//! What can be set about conversations.

use std::num::NonZeroU64;

use serde::{Deserialize, Deserializer, Serialize};

/// How conversations behave.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// How many messages may wait in one conversation; the next one is refused.
    pub waiting: usize,
    /// How many messages of one person may wait in a conversation of a group.
    pub waiting_per_person: usize,
    /// After how many seconds without anything to do a conversation leaves memory.
    pub idle_s: u64,
    /// How many tokens a request may hold; else it is what the model takes.
    #[serde(deserialize_with = "positive")]
    pub context_tokens: Option<u64>,
    /// How many earlier turns a request may hold.
    pub context_turns: usize,
    /// How many seconds a picture without a word waits for its question; 0: it does not wait.
    pub picture_wait_s: u64,
    /// After how many seconds in which a channel did not work its owner is told on another one.
    pub deaf_s: u64,
    /// How long a turn waits after its program ended for the first time, in milliseconds.
    pub resume_after_ms: u64,
    /// The same after the second time; after the third it is given up.
    pub resume_again_after_ms: u64,
    /// A turn that has to wait for longer than this many seconds leaves memory meanwhile.
    pub suspend_after_s: u64,
    /// After how many seconds a turn that waits is given up.
    pub expire_after_s: u64,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            waiting: 20,
            waiting_per_person: 10,
            idle_s: 600,
            context_tokens: None,
            context_turns: 100,
            picture_wait_s: 300,
            deaf_s: 300,
            resume_after_ms: 1_000,
            resume_again_after_ms: 10_000,
            suspend_after_s: 60,
            expire_after_s: 24 * 60 * 60,
        }
    }
}

fn positive<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u64>, D::Error> {
    Option::<NonZeroU64>::deserialize(deserializer).map(|number| number.map(NonZeroU64::get))
}
