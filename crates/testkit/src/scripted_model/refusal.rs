//! A request that breaks a rule.

use serde_json::Value;

/// What the service answers to a request that breaks one of its rules.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Refusal {
    pub(crate) status: u16,
    pub(crate) body: Value,
    /// The rule in the service's own words, for who reads the test's failure.
    pub(crate) message: String,
}
