//! How fast something may happen.

use tokio::time::{Duration, Instant};

/// How often something may happen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Rate {
    /// How many times at once.
    pub(crate) burst: u32,
    /// How long until one more.
    pub(crate) every: Duration,
    /// How many of the burst are kept for what matters.
    pub(crate) kept: u32,
}

/// What is left of a rate.
#[derive(Clone, Debug)]
pub(crate) struct Bucket {
    rate: Rate,
    left: f64,
    at: Instant,
}

impl Bucket {
    pub(crate) fn new(rate: Rate, now: Instant) -> Self {
        Self { rate, left: f64::from(rate.burst), at: now }
    }

    /// How long until this may happen, where `matters` may use what is kept.
    pub(crate) fn wait(&mut self, matters: bool, now: Instant) -> Duration {
        self.fill(now);
        let needed = 1.0 + if matters { 0.0 } else { f64::from(self.rate.kept) };
        // A thousandth more than the missing, so that rounding does not wake too early over and over.
        let missing = (needed - self.left).max(0.0);
        if missing <= 0.0 { Duration::ZERO } else { self.rate.every.mul_f64(missing) + Duration::from_millis(1) }
    }

    /// Takes note that it happens.
    pub(crate) fn take(&mut self, now: Instant) {
        self.fill(now);
        self.left -= 1.0;
    }

    /// Whether it is as if nothing had ever happened.
    pub(crate) fn is_full(&mut self, now: Instant) -> bool {
        self.fill(now);
        self.left >= f64::from(self.rate.burst)
    }

    fn fill(&mut self, now: Instant) {
        let passed = now.saturating_duration_since(self.at).as_secs_f64();
        self.left = (self.left + passed / self.rate.every.as_secs_f64()).min(f64::from(self.rate.burst));
        self.at = now;
    }
}
