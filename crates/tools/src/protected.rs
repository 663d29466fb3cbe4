//! The files that no tool touches: keys, the ledger, settings with secrets, credentials of other programs.
//!
//! This guards the tools that name a path. It cannot guard a command: no reading of its text could tell what it will open.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use rustix::fs::Stat;

use crate::credentials;
use crate::files::{Identity, OtherNames, identity, real_path};

/// Files and folders that the tools for files refuse to touch, by whatever name they are reached.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Protected {
    paths: Arc<[PathBuf]>,
    exceptions: Arc<[PathBuf]>,
}

impl Protected {
    /// Protects these files, and everything below these folders. What does not exist yet is protected once it does.
    #[must_use]
    pub fn new(paths: impl IntoIterator<Item = PathBuf>) -> Self {
        Self { paths: paths.into_iter().collect(), exceptions: Arc::default() }
    }

    /// Leaves these folders open although they are inside of protected ones; what is protected inside of them stays so.
    #[must_use]
    pub fn except(self, exceptions: impl IntoIterator<Item = PathBuf>) -> Self {
        Self { exceptions: exceptions.into_iter().collect(), ..self }
    }

    /// Where programs keep their credentials on this machine, and in this home folder.
    #[must_use]
    pub fn credentials(home: Option<&Path>) -> Vec<PathBuf> {
        let at_home = home.into_iter().flat_map(|home| credentials::OF_HOME.iter().map(|name| home.join(name)));
        at_home.chain(credentials::OF_SYSTEM.iter().map(PathBuf::from)).collect()
    }

    /// The paths that are protected, as they were given.
    #[must_use]
    pub fn paths(&self) -> &[PathBuf] {
        &self.paths
    }

    /// The folders that are open inside of protected ones.
    #[must_use]
    pub fn exceptions(&self) -> &[PathBuf] {
        &self.exceptions
    }

    /// Finds out where all of it is now.
    pub(crate) fn look(&self) -> Hidden {
        let marked = |is_open| move |path: &PathBuf| Marked::find(path, is_open);
        let protected = self.paths.iter().map(marked(false));
        Hidden { marked: protected.chain(self.exceptions.iter().map(marked(true))).collect(), inside: OnceLock::new() }
    }
}

/// What is protected, and where that is at the moment.
#[derive(Debug)]
pub(crate) struct Hidden {
    marked: Vec<Marked>,
    /// What is in hidden folders, once a file is met that has more names than one.
    inside: OnceLock<OtherNames>,
}

/// A protected path, or one that is open inside of such.
#[derive(Debug)]
struct Marked {
    real: PathBuf,
    identity: Option<Identity>,
    is_folder: bool,
    is_open: bool,
}

impl Marked {
    fn find(path: &Path, is_open: bool) -> Self {
        let found = fs::metadata(path).ok();
        Self {
            real: real_path(path).unwrap_or_else(|_| path.to_path_buf()),
            identity: found.as_ref().map(|found| (found.dev(), found.ino())),
            is_folder: found.is_some_and(|found| found.is_dir()),
            is_open,
        }
    }
}

fn identity_at(path: &Path) -> Option<Identity> {
    fs::symlink_metadata(path).ok().map(|found| (found.dev(), found.ino()))
}

impl Hidden {
    /// Whether the last of these, which lead from the root to it, is hidden: by its name, or by its identity, which no other
    /// name, link or mount hides. The innermost mark decides.
    pub(crate) fn covers(&self, real: &Path, way: impl DoubleEndedIterator<Item = Identity>) -> bool {
        match self.innermost(real) {
            // An open folder that is still to be made has no identity that could tell it from the hidden one it is in.
            Some(Marked { is_open: true, identity: None, .. }) => false,
            Some(Marked { is_open: false, .. }) => true,
            _ => self.by_identity(way),
        }
    }

    fn innermost(&self, real: &Path) -> Option<&Marked> {
        let above = self.marked.iter().filter(|marked| real.starts_with(&marked.real));
        above.max_by_key(|marked| (marked.real.components().count(), !marked.is_open))
    }

    fn by_identity(&self, way: impl DoubleEndedIterator<Item = Identity>) -> bool {
        way.rev().find_map(|identity| self.mark_of(identity)).is_some_and(|is_open| !is_open)
    }

    /// Whether this very file or folder is open or hidden, where it is marked.
    fn mark_of(&self, identity: Identity) -> Option<bool> {
        let mut marks =
            self.marked.iter().filter(|marked| marked.identity == Some(identity)).map(|marked| marked.is_open);
        let first = marks.next()?;
        Some(first && marks.all(|is_open| is_open))
    }

    /// Whether a file is hidden, whatever it is called here: it is one of those that are, or is in a hidden folder by another name.
    pub(crate) fn hides_file(&self, found: &Stat) -> bool {
        let file = identity(found);
        self.mark_of(file) == Some(false)
            || (found.st_nlink > 1 && self.inside.get_or_init(|| self.look_inside()).contain(file))
    }

    /// Whether what is met at this path is hidden as such.
    pub(crate) fn hides_entry(&self, path: &Path, inode: Option<u64>) -> bool {
        self.marked.iter().filter(|marked| !marked.is_open).any(|marked| {
            marked.real.as_os_str() == path.as_os_str()
                || (marked
                    .identity
                    .is_some_and(|identity| Some(identity.1) == inode && identity_at(path) == Some(identity)))
        })
    }

    fn look_inside(&self) -> OtherNames {
        let folders = self.marked.iter().filter(|marked| marked.is_folder && !marked.is_open);
        OtherNames::inside(folders.map(|marked| marked.real.as_path()), |folder| self.mark_of(folder) == Some(true))
    }
}
