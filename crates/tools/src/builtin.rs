//! The tools that every installation has.

mod bash;
mod ls;
mod read;
mod write;

use std::sync::Arc;

use crate::{Jobs, Settings, Tool};

/// The tools that every installation has, in the order in which models are offered them.
#[must_use]
pub fn builtin(settings: &Settings) -> Vec<Arc<dyn Tool>> {
    builtin_with(settings, &Jobs::new(settings))
}

/// The same, with background jobs that others ask about too.
#[must_use]
pub fn builtin_with(settings: &Settings, jobs: &Jobs) -> Vec<Arc<dyn Tool>> {
    vec![
        Arc::new(ls::Ls::new(settings)),
        Arc::new(read::Read::new(settings)),
        Arc::new(write::Write::new(settings)),
        Arc::new(bash::Bash::new(settings, jobs)),
    ]
}

#[cfg(test)]
mod playground;
#[cfg(test)]
mod tests;
