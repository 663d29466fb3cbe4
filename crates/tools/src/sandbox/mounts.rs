//! A view of the files in which secrets are covered and only working folders can be changed: a namespace of mounts.

use std::fs::{self, File};
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::path::{Path, PathBuf};

use nix::mount::{MsFlags, mount};
use nix::sched::{CloneFlags, unshare};
use rustix::fs::{Mode, OFlags, open};
use rustix::process::{getgid, getuid};

use super::mountinfo::{self, Mount};
use super::plan::Confinement;

/// What a cover may hold: the folders that lead to what is shown again.
const COVER: &str = "size=1m,mode=0755";

/// What a command's own temporary folder may hold.
const SCRATCH: &str = "size=512m,mode=1777";

const NOTHING: Option<&str> = None;

/// Enters a namespace of its own and rebuilds the view of the files in it.
pub(super) fn enter(plan: &Confinement) -> io::Result<String> {
    let how = separate(plan)?;
    mount(NOTHING, "/", NOTHING, MsFlags::MS_REC | MsFlags::MS_PRIVATE, NOTHING)?;
    let changes = changes(plan)?;
    for (path, change) in &changes {
        change.make(path).map_err(|error| at(path, &error))?;
    }
    for mounted in mountinfo::read()? {
        if !can_be_changed(&mounted.at, &changes, plan) {
            make_read_only(&mounted)?;
        }
    }
    Ok(how)
}

/// Root needs no namespace of users, and without one keeps its rights to files.
fn separate(plan: &Confinement) -> io::Result<String> {
    let mut wanted = CloneFlags::CLONE_NEWNS;
    if plan.alone {
        wanted |= CloneFlags::CLONE_NEWIPC;
        wanted.set(CloneFlags::CLONE_NEWNET, !plan.network);
    }
    if unshare(wanted).is_ok() {
        return Ok("own mounts".to_owned());
    }
    let (user, group) = (getuid().as_raw(), getgid().as_raw());
    unshare(wanted | CloneFlags::CLONE_NEWUSER)?;
    // Groups could otherwise be left, and with them what they are forbidden.
    fs::write("/proc/self/setgroups", "deny")?;
    fs::write("/proc/self/uid_map", format!("{user} {user} 1"))?;
    fs::write("/proc/self/gid_map", format!("{group} {group} 1"))?;
    Ok("own users and mounts".to_owned())
}

/// What becomes of a path.
enum Change {
    /// It is covered by something empty.
    Hide,
    /// It is covered by an empty folder that can be written in.
    Scratch,
    /// It is there, as it was, for changing or for reading only.
    Show { original: OwnedFd, writable: bool },
}

/// All changes, from the outside in, so that what lies deeper holds against what is around it. Of the same path, hiding it holds.
fn changes(plan: &Confinement) -> io::Result<Vec<(PathBuf, Change)>> {
    let covered = |path: &Path| plan.hidden.iter().chain(&plan.scratch).any(|cover| path.starts_with(cover));
    let mut changes = Vec::new();
    for path in &plan.scratch {
        changes.push((path.clone(), 0, Change::Scratch));
    }
    for path in plan.readable.iter().flatten().filter(|path| covered(path)) {
        changes.push((path.clone(), 1, show(path, false)?));
    }
    for path in &plan.writable {
        changes.push((path.clone(), 2, show(path, true)?));
    }
    for path in &plan.hidden {
        changes.push((path.clone(), 3, Change::Hide));
    }
    changes.sort_by_key(|(path, rank, _)| (path.components().count(), *rank));
    Ok(changes.into_iter().map(|(path, _, change)| (path, change)).collect())
}

/// Holds on to what a path is before something covers it.
fn show(path: &Path, writable: bool) -> io::Result<Change> {
    let original =
        open(path, OFlags::PATH | OFlags::CLOEXEC, Mode::empty()).map_err(|error| at(path, &error.into()))?;
    Ok(Change::Show { original, writable })
}

impl Change {
    fn make(&self, path: &Path) -> io::Result<()> {
        match self {
            Self::Hide => hide(path),
            Self::Scratch => cover(path, SCRATCH),
            Self::Show { original, .. } => {
                let source = format!("/proc/self/fd/{}", original.as_raw_fd());
                make_room(path, fs::metadata(&source)?.is_dir())?;
                Ok(mount(Some(source.as_str()), path, NOTHING, MsFlags::MS_BIND | MsFlags::MS_REC, NOTHING)?)
            }
        }
    }
}

fn hide(path: &Path) -> io::Result<()> {
    match fs::metadata(path) {
        // What is around it is covered, or it was never there by this name.
        Err(_) => Ok(()),
        Ok(found) if found.is_dir() => cover(path, COVER),
        Ok(_) => Ok(mount(Some("/dev/null"), path, NOTHING, MsFlags::MS_BIND, NOTHING)?),
    }
}

fn cover(path: &Path, options: &str) -> io::Result<()> {
    let flags = MsFlags::MS_NOSUID | MsFlags::MS_NODEV;
    Ok(mount(Some("tmpfs"), path, Some("tmpfs"), flags, Some(options))?)
}

/// Something to mount on, where a cover took it away.
fn make_room(path: &Path, is_folder: bool) -> io::Result<()> {
    match (path.exists(), is_folder) {
        (true, _) => Ok(()),
        (false, true) => fs::create_dir_all(path),
        (false, false) => {
            path.parent().map_or(Ok(()), fs::create_dir_all)?;
            File::create(path).map(|_| ())
        }
    }
}

/// Whether a mount is part of what may be changed: the innermost change around it says so.
fn can_be_changed(at: &Path, changes: &[(PathBuf, Change)], plan: &Confinement) -> bool {
    // Terminals are opened for writing; devices are no files.
    if at.starts_with("/dev/pts") || at == Path::new("/dev/mqueue") {
        return !plan.alone;
    }
    let around = changes.iter().rev().find(|(path, _)| at.starts_with(path));
    around.is_some_and(|(_, change)| matches!(change, Change::Scratch | Change::Show { writable: true, .. }))
}

/// A mount that something else covers cannot be reached, and needs no care.
fn make_read_only(mounted: &Mount) -> io::Result<()> {
    let flags = mounted.flags | MsFlags::MS_BIND | MsFlags::MS_REMOUNT | MsFlags::MS_RDONLY;
    match mount(NOTHING, &mounted.at, NOTHING, flags, NOTHING) {
        Err(error) if mounted.at == Path::new("/") => Err(at(&mounted.at, &error.into())),
        _ => Ok(()),
    }
}

fn at(path: &Path, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{}: {error}", path.display()))
}
