//! What stands between a model and the machine, beside the tools themselves.

use std::sync::Arc;

use crate::policy::Rule;
use crate::redact::Secrets;

/// What stands between a model and the machine: who may call what, and what nobody is shown.
#[derive(Clone, Debug, Default)]
pub struct Guard {
    /// Who may call which tool; the first that fits decides.
    pub rules: Arc<[Rule]>,
    /// What is taken out of results and of all that is told.
    pub secrets: Secrets,
}
