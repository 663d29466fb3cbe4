//! A path without links, dots and doubled slashes.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::path::{Component, Path, PathBuf};
use std::{fs, io};

/// Links that are followed before a path counts as a loop; the kernel's own number.
pub(super) const MOST_LINKS: usize = 40;

/// The absolute path that a path leads to, all links followed. What does not exist is kept as it is written, so that a file to be
/// created can be judged before it is.
pub(crate) fn real_path(path: &Path) -> io::Result<PathBuf> {
    let mut left = parts(&std::path::absolute(path)?);
    let mut real = PathBuf::from("/");
    let mut links = 0;
    while let Some(part) = left.pop_front() {
        match part {
            Part::Root => real = PathBuf::from("/"),
            Part::Parent => {
                real.pop();
            }
            Part::Name(name) => {
                let next = real.join(name);
                let Ok(target) = fs::read_link(&next) else {
                    real = next;
                    continue;
                };
                links += 1;
                if links > MOST_LINKS {
                    return Err(io::Error::new(io::ErrorKind::InvalidInput, "its links go round in a circle"));
                }
                let mut rest = parts(&target);
                rest.append(&mut left);
                left = rest;
            }
        }
    }
    Ok(real)
}

pub(super) enum Part {
    Root,
    Parent,
    Name(OsString),
}

pub(super) fn parts(path: &Path) -> VecDeque<Part> {
    let part = |component| match component {
        Component::RootDir => Some(Part::Root),
        Component::ParentDir => Some(Part::Parent),
        Component::Normal(name) => Some(Part::Name(name.to_owned())),
        Component::CurDir | Component::Prefix(_) => None,
    };
    path.components().filter_map(part).collect()
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn an_existing_path_is_what_the_system_says_it_is() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir_all(folder.path().join("a/b")).unwrap();
        symlink("a/b", folder.path().join("link")).unwrap();
        symlink("../../a", folder.path().join("a/b/up")).unwrap();

        for path in ["a", "./a//b", "link", "link/..", "link/up/b", "link/../../link/up", "."] {
            let path = folder.path().join(path);
            assert_eq!(real_path(&path).unwrap(), path.canonicalize().unwrap(), "{}", path.display());
        }
    }

    #[test]
    fn what_does_not_exist_is_kept_as_written() {
        let folder = tempfile::tempdir().unwrap();
        let base = folder.path().canonicalize().unwrap();
        symlink("not/there", folder.path().join("dangling")).unwrap();

        assert_eq!(real_path(&folder.path().join("x/../y/z")).unwrap(), base.join("y/z"));
        assert_eq!(real_path(&folder.path().join("dangling")).unwrap(), base.join("not/there"));
    }

    #[test]
    fn a_circle_of_links_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        symlink("two", folder.path().join("one")).unwrap();
        symlink("one", folder.path().join("two")).unwrap();

        assert!(real_path(&folder.path().join("one")).is_err());
    }
}
