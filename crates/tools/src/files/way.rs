//! The way to a file, one component after the other.
//!
//! Each component is opened without following links, relative to the one before it, and kept open. So what is checked is what is
//! used afterwards: whoever swaps a folder for a link in between changes nothing about the folder that is held.

use std::collections::VecDeque;
use std::ffi::{OsStr, OsString};
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, FileType, Mode, OFlags, Stat, fstat, fstatfs, openat, readlinkat};
use rustix::io::Errno;

use super::real_path::{MOST_LINKS, Part, parts};

/// Device and inode: what a file is, whatever its name.
pub(crate) type Identity = (u64, u64);

/// What the process filesystem tells of a process that may be a secret: its environment and memory, what it has open, and the
/// links that lead through it. The keys of this very process are among that.
const SECRETS_OF_PROCESSES: [&str; 25] = [
    "environ",
    "mem",
    "maps",
    "smaps",
    "smaps_rollup",
    "numa_maps",
    "map_files",
    "pagemap",
    "fd",
    "fdinfo",
    "root",
    "cwd",
    "exe",
    "auxv",
    "stack",
    "syscall",
    "ns",
    "kcore",
    "kmsg",
    "keys",
    "key-users",
    "kpagecount",
    "kpageflags",
    "sysrq-trigger",
    "vmcore",
];

/// The way from the root to a file or folder, all links followed; what does not exist of it comes last.
#[derive(Debug)]
pub(crate) struct Way {
    stops: Vec<Stop>,
    /// The names behind the last stop, which do not exist.
    pub(super) missing: Vec<OsString>,
}

/// A component that exists.
#[derive(Debug)]
pub(super) struct Stop {
    held: OwnedFd,
    name: OsString,
    pub(super) found: Stat,
}

/// Why a way ends early.
#[derive(Debug)]
pub(crate) enum Astray {
    /// It leads to what the process filesystem keeps secret.
    Secret,
    /// The system says no, or the way is none.
    Failed(io::Error),
}

impl Way {
    /// Goes an absolute path from the root. With an error comes how far it led.
    pub(crate) fn go(path: &Path) -> Result<Self, (Option<Self>, Astray)> {
        let root = Stop::open(CWD, OsStr::new("/")).map_err(|error| (None, Astray::Failed(error.into())))?;
        let mut way = Self { stops: vec![root], missing: Vec::new() };
        let (mut left, mut links) = (parts(path), 0);
        while let Some(part) = left.pop_front() {
            match way.step(part) {
                Ok(None) => {}
                Ok(Some(target)) if links < MOST_LINKS => {
                    links += 1;
                    let mut rest: VecDeque<Part> = parts(&target);
                    rest.append(&mut left);
                    left = rest;
                }
                Ok(Some(_)) => {
                    let error = io::Error::new(io::ErrorKind::InvalidInput, "its links go round in a circle");
                    return Err((Some(way), Astray::Failed(error)));
                }
                Err(astray) => return Err((Some(way), astray)),
            }
        }
        Ok(way)
    }

    /// Goes on by one component; gives the target of a link that is to be followed instead.
    fn step(&mut self, part: Part) -> Result<Option<PathBuf>, Astray> {
        match part {
            Part::Root => {
                self.stops.truncate(1);
                self.missing.clear();
            }
            Part::Parent => {
                if self.missing.pop().is_none() && self.stops.len() > 1 {
                    self.stops.pop();
                }
            }
            Part::Name(name) if !self.missing.is_empty() => self.missing.push(name),
            Part::Name(name) => return self.enter(name),
        }
        Ok(None)
    }

    fn enter(&mut self, name: OsString) -> Result<Option<PathBuf>, Astray> {
        let here = self.here();
        if is_secret(&name, here) {
            return Err(Astray::Secret);
        }
        match Stop::open(here, &name) {
            Ok(stop) if stop.is(FileType::Symlink) => {
                Ok(Some(stop.target().map_err(|error| Astray::Failed(error.into()))?))
            }
            Ok(stop) => {
                self.stops.push(stop);
                Ok(None)
            }
            Err(Errno::NOENT | Errno::NOTDIR) => {
                self.missing.push(name);
                Ok(None)
            }
            Err(error) => Err(Astray::Failed(error.into())),
        }
    }

    /// The last component that exists.
    pub(super) fn last(&self) -> &Stop {
        self.stops.last().expect("the root is never left: made with it, and only what is behind it is taken off")
    }

    /// The last component that exists, held open.
    pub(super) fn here(&self) -> BorrowedFd<'_> {
        self.last().held.as_fd()
    }

    /// The folder that the last component is in, and its name there; the root is in itself.
    pub(super) fn parent(&self) -> (BorrowedFd<'_>, &OsStr) {
        match self.stops.as_slice() {
            [.., parent, last] => (parent.held.as_fd(), &last.name),
            _ => (self.here(), OsStr::new(".")),
        }
    }

    /// What all components are, from the root on.
    pub(crate) fn identities(&self) -> impl DoubleEndedIterator<Item = Identity> {
        self.stops.iter().map(Stop::identity)
    }

    /// The path without links, dots and doubled slashes, with what does not exist.
    pub(crate) fn real(&self) -> PathBuf {
        let mut real = PathBuf::from("/");
        real.extend(self.stops.iter().skip(1).map(|stop| &stop.name));
        real.extend(&self.missing);
        real
    }
}

impl Stop {
    fn open(folder: BorrowedFd<'_>, name: &OsStr) -> Result<Self, Errno> {
        // Such a descriptor opens nothing: no device is started and no FIFO waited for.
        let held = openat(folder, name, OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC, Mode::empty())?;
        let found = fstat(&held)?;
        Ok(Self { held, name: name.to_owned(), found })
    }

    fn target(&self) -> Result<PathBuf, Errno> {
        let target = readlinkat(&self.held, "", Vec::new())?;
        Ok(PathBuf::from(OsString::from_vec(target.into_bytes())))
    }

    pub(super) fn is(&self, kind: FileType) -> bool {
        FileType::from_raw_mode(self.found.st_mode) == kind
    }

    pub(super) fn identity(&self) -> Identity {
        identity(&self.found)
    }
}

/// Device and inode.
pub(crate) fn identity(found: &Stat) -> Identity {
    (found.st_dev, found.st_ino)
}

/// Whether a name in a folder is one by which the process filesystem, wherever it is mounted, shows secrets.
fn is_secret(name: &OsStr, folder: BorrowedFd<'_>) -> bool {
    SECRETS_OF_PROCESSES.iter().any(|secret| name == *secret)
        && fstatfs(folder).is_ok_and(|found| found.f_type == rustix::fs::PROC_SUPER_MAGIC)
}
