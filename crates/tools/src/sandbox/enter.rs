//! Puts a plan in force.

use std::path::{Path, PathBuf};
use std::{env, io};

use rustix::process::{Resource, Rlimit, setrlimit};
use rustix::thread::set_no_new_privs;
use serde::{Deserialize, Serialize};

use super::plan::{Confinement, Demand, Plan};
use super::{capabilities, descriptors, mountinfo, mounts, paths, rules, syscalls};

/// Why a command is not confined as it has to be.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The system lacks something without which the command must not run.
    #[error("commands cannot be confined here, so none is run: {0}; `cowhand doctor` tells more")]
    Missing(String),
    /// The working folder cannot be reached from inside.
    #[error("the working folder {folder} cannot be used in the sandbox: {error}")]
    Folder {
        /// The folder.
        folder: String,
        /// What the system says.
        error: io::Error,
    },
}

/// What became of one layer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Layer {
    /// It is in force: how.
    InForce(String),
    /// It is not: why.
    Missing(String),
}

impl Layer {
    /// Whether it is in force.
    #[must_use]
    pub fn is_in_force(&self) -> bool {
        matches!(self, Self::InForce(_))
    }

    fn why(&self) -> Option<&str> {
        match self {
            Self::InForce(_) => None,
            Self::Missing(why) => Some(why),
        }
    }
}

/// What of a plan is in force.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct InForce {
    /// Secrets are covered and the rest is read-only, in a namespace of mounts.
    pub mounts: Layer,
    /// Paths are allowed one by one (Landlock).
    pub paths: Layer,
    /// No signal reaches a process outside, and no abstract socket (Landlock from Linux 6.12 on).
    pub scopes: Layer,
    /// Calls that lead around the rest are refused (seccomp).
    pub calls: Layer,
    /// The powers of root are gone.
    pub capabilities: Layer,
}

impl InForce {
    /// What is missing, in words.
    #[must_use]
    pub fn missing(&self) -> Vec<&str> {
        let layers = [&self.mounts, &self.paths, &self.scopes, &self.calls, &self.capabilities];
        layers.into_iter().filter_map(Layer::why).collect()
    }

    /// What is missing of what has to hold.
    fn unmet(&self, demand: Demand) -> Vec<&str> {
        let layers: &[&Layer] = match demand {
            Demand::Nothing => &[],
            // Each of the first two keeps secrets by itself.
            Demand::Secrets if self.mounts.is_in_force() => &[&self.calls, &self.capabilities],
            Demand::Secrets => &[&self.paths, &self.calls, &self.capabilities],
            Demand::Apart => &[&self.paths, &self.scopes, &self.calls, &self.capabilities],
        };
        layers.iter().filter_map(|layer| layer.why()).collect()
    }
}

impl Plan {
    /// Puts it in force for this process and all that it starts. To be called by a process with one thread that is about to become
    /// the command.
    ///
    /// # Errors
    ///
    /// Where the system does not provide what the plan insists on. The process is then confined in part, and to be ended.
    pub fn enter(&self) -> Result<(), Error> {
        self.enter_and_tell().map(|_| ())
    }

    /// Does the same, and tells what is in force; `None` where the plan confines nothing.
    ///
    /// # Errors
    ///
    /// As [`Plan::enter`].
    pub fn enter_and_tell(&self) -> Result<Option<InForce>, Error> {
        let Some(confinement) = &self.confinement else { return Ok(None) };
        let in_force = confinement.enter()?;
        let unmet = in_force.unmet(confinement.demand);
        if unmet.is_empty() { Ok(Some(in_force)) } else { Err(Error::Missing(unmet.join("; "))) }
    }
}

impl Confinement {
    fn enter(&self) -> Result<InForce, Error> {
        let here = self.as_found();
        descriptors::close_inherited();
        let no_core = Rlimit { current: Some(0), maximum: Some(0) };
        // A limit can always be lowered.
        let _ = setrlimit(Resource::Core, no_core);
        let privileges = set_no_new_privs(true);
        let folder = env::current_dir().ok();
        let mounts = layer("namespaces", mounts::enter(&here));
        if let Some(folder) = &folder {
            go_to(folder)?;
        }
        let capabilities =
            layer("capabilities", privileges.map_err(io::Error::from).and_then(|()| capabilities::drop(here.alone)));
        let (paths, scopes) = rules::restrict(&here, mounts.is_in_force());
        let calls = layer("seccomp", syscalls::restrict(here.alone, here.network));
        Ok(InForce { mounts, paths, scopes, calls, capabilities })
    }

    /// The same with the paths that are there, free of links, so that they can be compared; two that are one count once.
    fn as_found(&self) -> Self {
        let mut hidden = paths::found(&self.hidden);
        if self.alone {
            hidden.extend(paths::not_for_everybody(Path::new("/etc")));
        }
        let mounts = mountinfo::read().unwrap_or_default();
        let elsewhere: Vec<PathBuf> = hidden.iter().flat_map(|path| mountinfo::other_names(path, &mounts)).collect();
        hidden.extend(elsewhere);
        Self {
            hidden: paths::found(&hidden),
            readable: self.readable.as_deref().map(paths::found),
            writable: paths::found(&self.writable),
            scratch: paths::found(&self.scratch),
            ..self.clone()
        }
    }
}

/// The folder is the same by name, and another one by mount.
fn go_to(folder: &Path) -> Result<(), Error> {
    env::set_current_dir(folder).map_err(|error| Error::Folder { folder: folder.display().to_string(), error })
}

pub(super) fn layer(name: &str, done: io::Result<String>) -> Layer {
    match done {
        Ok(how) => Layer::InForce(how),
        Err(error) => Layer::Missing(format!("{name}: {error}")),
    }
}
