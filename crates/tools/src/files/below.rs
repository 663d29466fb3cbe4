//! Opening what is below a folder that is held open.

use std::fs::File;
use std::os::fd::{AsFd, OwnedFd};
use std::path::Path;

use rustix::fs::{FileType, Mode, OFlags, ResolveFlags, Stat, fstat, fstatfs, openat, openat2};
use rustix::io::Errno;

/// Opens a plain file below a folder, by a path without links: one that was put on it meanwhile is not followed.
pub(crate) fn open_below(folder: &OwnedFd, path: &Path) -> Option<(File, Stat)> {
    let opened = match at_once(folder, path) {
        // Older kernels do not know the call, and some sandboxes do not let it through.
        Err(Errno::NOSYS | Errno::PERM | Errno::INVAL) => step_by_step(folder, path).ok()?,
        opened => opened.ok()?,
    };
    let found = fstat(&opened).ok()?;
    let is_plain = FileType::from_raw_mode(found.st_mode) == FileType::RegularFile;
    (is_plain && !is_of_a_process(&opened)).then(|| (File::from(opened), found))
}

/// Nothing that is opened here waits for anybody.
fn flags() -> OFlags {
    OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC
}

fn at_once(folder: &OwnedFd, path: &Path) -> Result<OwnedFd, Errno> {
    let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
    openat2(folder, path, flags(), Mode::empty(), resolve)
}

fn step_by_step(folder: &OwnedFd, path: &Path) -> Result<OwnedFd, Errno> {
    let mut held: Option<OwnedFd> = None;
    let mut names = path.iter().peekable();
    while let Some(name) = names.next() {
        let here = held.as_ref().unwrap_or(folder).as_fd();
        if name == ".." || Path::new(name).is_absolute() {
            return Err(Errno::INVAL);
        }
        let way = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let wanted = if names.peek().is_some() { way } else { flags() };
        held = Some(openat(here, name, wanted, Mode::empty())?);
    }
    held.ok_or(Errno::INVAL)
}

/// The process filesystem has secrets under many names, and nothing to search for.
fn is_of_a_process(opened: &OwnedFd) -> bool {
    fstatfs(opened).is_ok_and(|found| found.f_type == rustix::fs::PROC_SUPER_MAGIC)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    /// What a way of opening finds at each of these paths.
    fn found(open: impl Fn(&OwnedFd, &Path) -> Result<OwnedFd, Errno>) -> Vec<bool> {
        let place = tempfile::tempdir().unwrap();
        fs::create_dir_all(place.path().join("in/deep")).unwrap();
        fs::write(place.path().join("secret"), "x").unwrap();
        fs::write(place.path().join("in/deep/file"), "x").unwrap();
        symlink("../secret", place.path().join("in/link")).unwrap();
        symlink("deep", place.path().join("in/folder")).unwrap();
        let folder: OwnedFd = fs::File::open(place.path().join("in")).unwrap().into();
        let paths = ["deep/file", "link", "folder/file", "../secret", "/etc/passwd", "deep/../../secret", "none"];
        paths.map(|path| open(&folder, Path::new(path)).is_ok()).to_vec()
    }

    #[test]
    fn only_what_is_below_is_opened_by_either_way() {
        assert_eq!(found(at_once), [true, false, false, false, false, false, false]);
        assert_eq!(found(step_by_step), [true, false, false, false, false, false, false]);
    }
}
