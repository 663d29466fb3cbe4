//! Writing beside a file and moving that into its place: whoever looks sees the old content or the new, never half of it.

use std::fs::File;
use std::io::{self, Write as _};
use std::os::fd::AsFd;

use rustix::fs::{AtFlags, Gid, Mode, OFlags, Stat, Uid, fchmod, fchown, fstat, openat, renameat, unlinkat};
use rustix::io::Errno;

use super::failed;
use super::spot::Spot;
use crate::ToolContext;
use crate::blocking::go_on;

/// The bits of a mode that are kept. As with any write, a program that runs as somebody else no longer does.
const PERMISSIONS: u32 = 0o777;

impl Spot {
    /// Refuses what cannot be replaced by a file.
    pub(crate) fn must_be_replaceable(&self, path: &str) -> Result<(), String> {
        self.must_be_plain(path)?;
        let Some(found) = self.found() else {
            return if path.ends_with('/') {
                Err(format!("`{path}` names a folder; give the name of a file"))
            } else {
                Ok(())
            };
        };
        // Replacing needs no right to write the old file, only its folder; whoever took that right away meant it.
        if found.st_mode & 0o222 == 0 || !self.is_writable() {
            return Err(format!("`{path}` is read-only"));
        }
        Ok(())
    }

    /// Puts this content there as a whole, with the owner and the permissions of what it replaces, and gives what it is now.
    pub(crate) fn replace(&self, path: &str, content: &[u8], context: &ToolContext) -> Result<Stat, String> {
        go_on(context)?;
        let fail = |error: io::Error| failed("write", path, &error);
        let (parent, name) = self.make_parent().map_err(fail)?;
        let made = Made::in_folder(&parent).map_err(|error| fail(error.into()))?;
        let found = made.fill(content, self.found()).map_err(fail)?;
        go_on(context)?;
        self.must_be_unchanged(path)?;
        renameat(&parent, &made.name, &parent, &name).map_err(|error| fail(error.into()))?;
        made.keep();
        sync_folder(&parent);
        Ok(found)
    }
}

/// A file under a name of its own, which is taken away unless it is kept.
struct Made<F: AsFd> {
    folder: F,
    name: String,
    file: File,
    is_kept: bool,
}

impl<'a, F: AsFd> Made<&'a F> {
    fn in_folder(folder: &'a F) -> Result<Self, Errno> {
        loop {
            let name = format!(".cowhand-{:016x}.tmp", fastrand::u64(..));
            let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
            match openat(folder, &name, flags, Mode::from_raw_mode(0o666)) {
                Ok(file) => return Ok(Self { folder, name, file: File::from(file), is_kept: false }),
                Err(Errno::EXIST) => {}
                Err(error) => return Err(error),
            }
        }
    }

    fn fill(&self, content: &[u8], old: Option<&Stat>) -> io::Result<Stat> {
        (&self.file).write_all(content)?;
        if let Some(old) = old {
            self.inherit(old)?;
        }
        self.file.sync_all()?;
        Ok(fstat(&self.file)?)
    }

    fn inherit(&self, old: &Stat) -> io::Result<()> {
        let made = fstat(&self.file)?;
        if (made.st_uid, made.st_gid) != (old.st_uid, old.st_gid) {
            // Only a privileged process can give a file away; for others it becomes theirs, as with any editor.
            let _ = fchown(&self.file, Some(Uid::from_raw(old.st_uid)), Some(Gid::from_raw(old.st_gid)));
        }
        Ok(fchmod(&self.file, Mode::from_raw_mode(old.st_mode & PERMISSIONS))?)
    }

    fn keep(mut self) {
        self.is_kept = true;
    }
}

impl<F: AsFd> Drop for Made<F> {
    fn drop(&mut self) {
        if !self.is_kept {
            let _ = unlinkat(&self.folder, &self.name, AtFlags::empty());
        }
    }
}

/// Makes the new name durable; where a filesystem does not know how, the file is there all the same.
fn sync_folder(folder: &impl AsFd) {
    let opened = openat(folder, ".", OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty());
    let _ = opened.and_then(rustix::fs::fsync);
}
