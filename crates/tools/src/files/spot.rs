//! What a path leads to, held open, and what can be done there: all of it relative to what is held.

use std::fs::File;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::path::PathBuf;

use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags, Stat, accessat, fstat, mkdirat, openat, statat};
use rustix::io::Errno;

use super::way::{Way, identity};
use super::{failed, nearest};

/// What a path leads to.
#[derive(Debug)]
pub(crate) struct Spot {
    way: Way,
}

impl Spot {
    pub(super) fn new(way: Way) -> Self {
        Self { way }
    }

    /// The path without links, dots and doubled slashes.
    pub(crate) fn real(&self) -> PathBuf {
        self.way.real()
    }

    /// What is there.
    pub(crate) fn found(&self) -> Option<&Stat> {
        self.way.missing.is_empty().then_some(&self.way.last().found)
    }

    pub(crate) fn is_folder(&self) -> bool {
        self.way.missing.is_empty() && self.way.last().is(FileType::Directory)
    }

    /// Says that nothing is there, and what there is in its place.
    pub(crate) fn must_exist(&self, path: &str) -> Result<(), String> {
        if self.way.missing.is_empty() {
            return Ok(());
        }
        Err(format!("`{path}` does not exist; {}", nearest::what_there_is(&self.real())))
    }

    /// Refuses everything but a plain file: anything else could keep a reader waiting.
    pub(crate) fn must_be_plain(&self, path: &str) -> Result<(), String> {
        let Some(found) = self.found() else { return Ok(()) };
        let what = match FileType::from_raw_mode(found.st_mode) {
            FileType::RegularFile => return Ok(()),
            FileType::Directory => return Err(format!("`{path}` is a folder; ls shows what is in it")),
            FileType::Fifo => "a FIFO",
            FileType::Socket => "a socket",
            _ => "a device",
        };
        Err(format!("`{path}` is {what}, not a plain file"))
    }

    /// Opens a plain file for reading.
    pub(crate) fn open(&self, path: &str) -> Result<(File, Stat), String> {
        self.must_exist(path)?;
        self.must_be_plain(path)?;
        let fail = |error: io::Error| failed("read", path, &error);
        let (parent, name) = self.way.parent();
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        let opened = openat(parent, name, flags, Mode::empty()).map_err(|error| fail(error.into()))?;
        let found = fstat(&opened).map_err(|error| fail(error.into()))?;
        // The name may belong to another file by now, which nobody has checked.
        if identity(&found) != identity(&self.way.last().found) {
            return Err(format!("`{path}` was replaced by another file just now; try again"));
        }
        Ok((File::from(opened), found))
    }

    /// Refuses a file that was changed since this was found: what is known of it is old.
    pub(super) fn must_be_unchanged(&self, path: &str) -> Result<(), String> {
        let (parent, name) = self.way.parent();
        let Some(before) = self.found() else { return Ok(()) };
        let look = |found: &Stat| (identity(found), found.st_size, found.st_mtime, found.st_mtime_nsec);
        match statat(parent, name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(now) if look(&now) == look(before) => Ok(()),
            _ => Err(format!("`{path}` was changed by something else just now; nothing was written. Read it again")),
        }
    }

    /// What is in a folder.
    pub(crate) fn entries(&self, path: &str) -> Result<Dir, String> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let opened = openat(self.way.here(), ".", flags, Mode::empty());
        opened.and_then(Dir::new).map_err(|error| failed("list", path, &error.into()))
    }

    /// What is there, held open without being read.
    pub(crate) fn held(&self) -> impl AsFd {
        self.way.here()
    }

    /// The folder that is there, or that the file is in.
    pub(crate) fn hold_folder(&self, path: &str) -> Result<OwnedFd, String> {
        let folder = if self.is_folder() { self.way.here() } else { self.way.parent().0 };
        folder.try_clone_to_owned().map_err(|error| failed("read", path, &error))
    }

    /// Whether the system would let this process write the file that is there.
    pub(super) fn is_writable(&self) -> bool {
        let (parent, name) = self.way.parent();
        accessat(parent, name, rustix::fs::Access::WRITE_OK, AtFlags::empty()).is_ok()
    }

    /// The folder that the file is in or is to be in, with those made that are missing above it, and the file's name there.
    pub(super) fn make_parent(&self) -> io::Result<(OwnedFd, PathBuf)> {
        let Some((name, folders)) = self.way.missing.split_last() else {
            let (parent, name) = self.way.parent();
            return Ok((parent.try_clone_to_owned()?, PathBuf::from(name)));
        };
        let mut parent = self.way.here().try_clone_to_owned()?;
        for folder in folders {
            match mkdirat(&parent, folder, Mode::from_raw_mode(0o777)) {
                Ok(()) | Err(Errno::EXIST) => {}
                Err(error) => return Err(error.into()),
            }
            // A link that was put there meanwhile is not followed: it would lead anywhere.
            let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
            parent = openat(&parent, folder, flags, Mode::empty())?;
        }
        Ok((parent, PathBuf::from(name)))
    }
}
