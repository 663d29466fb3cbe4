//! The tools that every installation has.

mod bash;
mod ls;
mod read;
mod write;

use std::sync::Arc;

use crate::{Settings, Tool};

/// The tools that every installation has, in the order in which models are offered them.
#[must_use]
pub fn builtin(settings: &Settings) -> Vec<Arc<dyn Tool>> {
    vec![
        Arc::new(ls::Ls::new(settings)),
        Arc::new(read::Read::new(settings)),
        Arc::new(write::Write::new(settings)),
        Arc::new(bash::Bash::new(settings)),
    ]
}

#[cfg(test)]
mod playground;
#[cfg(test)]
mod tests;
