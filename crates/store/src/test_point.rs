//! Named points at which a test lets the process die. Nothing happens there unless a point was armed.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

/// The point that is armed, and how often it may still be passed.
static ARMED: OnceLock<(String, AtomicU32)> = OnceLock::new();

/// Arms a point, as `name` or `name:n`: the process aborts when it comes there for the n-th time. Only the first call counts.
pub fn arm(point: &str) {
    let (name, times) = point.split_once(':').unwrap_or((point, "1"));
    let times = times.parse().unwrap_or(1);
    // A second call changes nothing.
    let _ = ARMED.set((name.to_owned(), AtomicU32::new(times)));
}

/// Aborts the process if this point is armed and its time has come.
pub fn test_point(name: &str) {
    let Some((armed, left)) = ARMED.get() else { return };
    if armed == name && left.fetch_sub(1, Ordering::Relaxed) == 1 {
        std::process::abort();
    }
}
