//! What of the ledger can be set.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// What of the ledger can be set.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// A ledger up to this size is checked page by page at every start, in MiB.
    pub check_mib: u64,
    /// The same after a run that did not end in order.
    pub check_after_crash_mib: u64,
    /// How long to wait for another program that holds the ledger's file, in milliseconds.
    pub busy_ms: u32,
}

impl Default for Settings {
    fn default() -> Self {
        Self { check_mib: 8, check_after_crash_mib: 32, busy_ms: 5_000 }
    }
}

impl Settings {
    pub(crate) fn busy(&self) -> Duration {
        Duration::from_millis(u64::from(self.busy_ms))
    }

    /// Whether a file of `bytes` is to be checked page by page. A killed process cannot damage it, and a log's own checksums cover a
    /// power cut; what is left (a lying disk, a hand on the file) is worth a moment at the start, not seconds.
    pub(crate) fn checks(&self, bytes: u64, ended_in_order: bool) -> bool {
        let mib = if ended_in_order { self.check_mib } else { self.check_mib.max(self.check_after_crash_mib) };
        bytes <= mib.saturating_mul(1024 * 1024)
    }
}
