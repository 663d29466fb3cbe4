//! What each conversation last saw of a file, so that it can be told when somebody else changed it.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use chat::ConversationKey;
use rustix::fs::Stat;

/// Files that are remembered, over all conversations. A newer one takes the place of an older one; then a change goes unnoticed,
/// which is what it is without a memory.
const SLOTS: usize = 8_192;

/// What each conversation last saw of a file: a word for each, half of which says whose it is and half what it looked like. So no
/// word can be half old and half new, and nobody waits for anybody.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    slots: Arc<[AtomicU64]>,
}

impl Default for Seen {
    fn default() -> Self {
        Self { slots: (0..SLOTS).map(|_| AtomicU64::new(0)).collect() }
    }
}

impl Seen {
    /// Notes that a conversation knows the file as it is now.
    pub(crate) fn note(&self, conversation: &ConversationKey, real: &Path, found: &Stat) {
        let (slot, owner) = self.slot(conversation, real);
        slot.store(owner | look_of(found), Ordering::Relaxed);
    }

    /// Whether a file that the conversation knows looks different now.
    pub(crate) fn has_changed(&self, conversation: &ConversationKey, real: &Path, found: &Stat) -> bool {
        let (slot, owner) = self.slot(conversation, real);
        let seen = slot.load(Ordering::Relaxed);
        seen & WHOSE == owner && seen & !WHOSE != look_of(found)
    }

    fn slot(&self, conversation: &ConversationKey, real: &Path) -> (&AtomicU64, u64) {
        let hash = hash((conversation, real));
        let at = usize::try_from(hash % SLOTS as u64).unwrap_or(0);
        // Never that of an empty slot.
        (&self.slots[at], (hash | 1 << 63) & WHOSE)
    }
}

/// The half of a word that says whose it is.
const WHOSE: u64 = 0xFFFF_FFFF_0000_0000;

/// Size and time of the last change.
fn look_of(found: &Stat) -> u64 {
    hash((found.st_size, found.st_mtime, found.st_mtime_nsec)) & !WHOSE
}

fn hash(value: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}
