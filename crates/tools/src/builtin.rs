//! The tools that every installation has.

mod bash;
mod edit;
mod known;
mod ls;
mod read;
mod search;
mod send;
mod write;

use std::sync::Arc;

use self::known::Known;
use crate::files::Places;
use crate::{Jobs, Settings, Tool};

/// The tools that every installation has, in the order in which models are offered them.
#[must_use]
pub fn builtin(settings: &Settings) -> Vec<Arc<dyn Tool>> {
    builtin_with(settings, &Jobs::new(settings))
}

/// The same, with background jobs that others ask about too.
#[must_use]
pub fn builtin_with(settings: &Settings, jobs: &Jobs) -> Vec<Arc<dyn Tool>> {
    let places = Places::new(settings);
    let known = Known::new(places.clone());
    vec![
        Arc::new(ls::Ls::new(places.clone())),
        Arc::new(read::Read::new(known.clone())),
        Arc::new(search::Search::new(places.clone())),
        Arc::new(write::Write::new(known.clone())),
        Arc::new(edit::Edit::new(known)),
        Arc::new(send::Send::new(places, settings)),
        Arc::new(bash::Bash::new(settings, jobs)),
    ]
}

#[cfg(test)]
mod playground;
#[cfg(test)]
mod tests;
