//! What of the files may be reached, path by path: Landlock.
//!
//! It knows no "all but this folder", so where nothing covers the secrets, what is around them is named piece by piece. What comes
//! into being beside a secret while the command runs is then out of its reach, and the names of what is hidden can be listed.

use std::path::{Path, PathBuf};

use landlock::{
    ABI, Access, AccessFs, AccessNet, BitFlags, LandlockStatus, RestrictionStatus, Ruleset, RulesetAttr,
    RulesetCreatedAttr, RulesetError, RulesetStatus, Scope, make_bitflags, path_beneath_rules,
};

use super::enter::Layer;
use super::paths;
use super::plan::Confinement;
use crate::credentials::{DEVICES, TERMINALS};

/// What the rules are made for; an older kernel leaves out what it does not know.
const WRITTEN_FOR: ABI = ABI::V7;

/// Puts the rules in force: those on paths, and the scopes.
pub(super) fn restrict(plan: &Confinement, secrets_are_covered: bool) -> (Layer, Layer) {
    match restrict_by(plan, secrets_are_covered) {
        Ok(status) => told(&status),
        Err(error) => {
            let missing = Layer::Missing(format!("Landlock: {error}"));
            (missing.clone(), missing)
        }
    }
}

fn told(status: &RestrictionStatus) -> (Layer, Layer) {
    let (abi, why) = match &status.landlock {
        LandlockStatus::Available { effective_abi, .. } => (*effective_abi as i32, ""),
        LandlockStatus::NotEnabled => (0, "it is switched off at boot"),
        LandlockStatus::NotImplemented => (0, "the kernel does not have it"),
    };
    if abi == 0 || status.ruleset == RulesetStatus::NotEnforced {
        let missing = |what: &str| Layer::Missing(format!("{what}: no Landlock, {why}"));
        return (missing("paths"), missing("signals"));
    }
    // Before the third version a file could be emptied that must not be written.
    let paths = match abi {
        3.. => Layer::InForce(format!("Landlock {abi}")),
        _ => Layer::Missing(format!("paths: Landlock {abi} is older than version 3 (Linux 6.2)")),
    };
    let scopes = match abi {
        6.. => Layer::InForce(format!("Landlock {abi}")),
        _ => Layer::Missing(format!("signals: Landlock {abi} is older than version 6 (Linux 6.12)")),
    };
    (paths, scopes)
}

fn restrict_by(plan: &Confinement, secrets_are_covered: bool) -> Result<RestrictionStatus, RulesetError> {
    let mut rules =
        Ruleset::default().handle_access(AccessFs::from_all(WRITTEN_FOR))?.scope(Scope::AbstractUnixSocket)?;
    if plan.alone {
        rules = rules.scope(Scope::Signal)?;
    }
    if plan.alone && !plan.network {
        rules = rules.handle_access(AccessNet::from_all(WRITTEN_FOR))?;
    }
    let read = AccessFs::from_read(WRITTEN_FOR);
    let devices = make_bitflags!(AccessFs::{ReadFile | WriteFile | Truncate | ReadDir | IoctlDev});
    let secrets: &[PathBuf] = if secrets_are_covered { &[] } else { &plan.hidden };
    // Without a cover the temporary folders are those of everybody.
    let scratch = if secrets_are_covered { plan.scratch.as_slice() } else { &[] };
    let terminals = TERMINALS.iter().filter(|_| !plan.alone);
    let created = rules.create()?;
    let created = created
        .add_rules(path_beneath_rules(readable(plan, secrets), read))?
        .add_rules(path_beneath_rules(listable(plan), AccessFs::ReadDir))?
        .add_rules(path_beneath_rules(writable(plan, secrets), work()))?
        .add_rules(path_beneath_rules(scratch, work()))?
        .add_rules(path_beneath_rules(DEVICES, devices))?
        .add_rules(path_beneath_rules(terminals, devices))?;
    created.restrict_self()
}

/// All that can be done with files, but no devices made.
fn work() -> BitFlags<AccessFs> {
    AccessFs::from_all(WRITTEN_FOR) & !make_bitflags!(AccessFs::{MakeChar | MakeBlock | IoctlDev})
}

/// What the owner may read is everything but secrets and devices, for root reads a disk as it reads a file.
fn readable(plan: &Confinement, secrets: &[PathBuf]) -> Vec<PathBuf> {
    match &plan.readable {
        None => paths::without(Path::new("/"), &[secrets, &[PathBuf::from("/dev")]].concat()),
        // Covers are no barrier to Landlock: here it has to know itself what is private in a folder that is not.
        Some(folders) => {
            folders.iter().flat_map(|folder| paths::without(folder, &plan.hidden)).chain(shown(plan)).collect()
        }
    }
}

/// What is named itself stays readable inside what is hidden.
fn shown(plan: &Confinement) -> impl Iterator<Item = PathBuf> + '_ {
    let is_inside = |path: &Path| plan.hidden.iter().any(|hidden| path.starts_with(hidden) && path != hidden);
    plan.readable.iter().flatten().filter(move |path| is_inside(path)).cloned()
}

/// Names are no secret to the owner.
fn listable(plan: &Confinement) -> Option<&'static str> {
    plan.readable.is_none().then_some("/")
}

fn writable(plan: &Confinement, secrets: &[PathBuf]) -> Vec<PathBuf> {
    let inside =
        |folder: &PathBuf| secrets.iter().filter(|secret| secret.starts_with(folder)).cloned().collect::<Vec<_>>();
    plan.writable.iter().flat_map(|folder| paths::without(folder, &inside(folder))).collect()
}
