//! The files that no tool touches: keys, the ledger, settings with secrets.
//!
//! This guards the tools that name a path. It cannot guard a command: a shell has the rights of the whole process, and no reading of
//! its text could tell what it will open. That is why [`crate::policy`] gives a shell to the owner alone.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use crate::files::real_path;

/// Files and folders that the tools for files refuse to touch, by whatever name they are reached.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Protected {
    paths: Arc<[PathBuf]>,
}

impl Protected {
    /// Protects these files, and everything below these folders. What does not exist yet is protected once it does.
    #[must_use]
    pub fn new(paths: impl IntoIterator<Item = PathBuf>) -> Self {
        Self { paths: paths.into_iter().collect() }
    }

    /// Whether a path, as [`real_path`] gives it, leads to something protected. The environment and the memory of processes always
    /// are: the keys of this one are in there.
    #[must_use]
    pub(crate) fn covers(&self, real: &Path) -> bool {
        is_inside_of_a_process(real) || self.paths.iter().any(|protected| leads_to(real, protected))
    }
}

/// Compares by components, and by identity, which no other name, hard link or mount hides.
fn leads_to(real: &Path, protected: &Path) -> bool {
    let by_name = real_path(protected).is_ok_and(|protected| real.starts_with(protected));
    let identity = |path: &Path| fs::metadata(path).ok().map(|found| (found.dev(), found.ino()));
    by_name
        || identity(protected)
            .is_some_and(|protected| real.ancestors().any(|ancestor| identity(ancestor) == Some(protected)))
}

fn is_inside_of_a_process(real: &Path) -> bool {
    let is_secret = real.file_name().is_some_and(|name| name == "environ" || name == "mem");
    is_secret && (real.components().nth(1) == Some(Component::Normal("proc".as_ref())) || is_on_procfs(real))
}

/// Whether it lies on a mount of the process filesystem, wherever that is mounted.
fn is_on_procfs(real: &Path) -> bool {
    rustix::fs::statfs(real).is_ok_and(|found| found.f_type == rustix::fs::PROC_SUPER_MAGIC)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    /// A folder with a protected `secrets/` and a protected file `key`, and what must not be taken for them.
    fn playground() -> (tempfile::TempDir, Protected) {
        let folder = tempfile::tempdir().unwrap();
        for made in ["secrets", "secrets-evil", "open"] {
            fs::create_dir(folder.path().join(made)).unwrap();
        }
        for made in ["key", "keys", "secrets/token", "secrets-evil/a"] {
            fs::write(folder.path().join(made), "x").unwrap();
        }
        let protected = Protected::new(["secrets", "key"].map(|name| folder.path().join(name)));
        (folder, protected)
    }

    fn covers(folder: &Path, protected: &Protected, path: &str) -> bool {
        protected.covers(&real_path(&folder.join(path)).unwrap())
    }

    #[test]
    fn a_protected_path_is_found_however_it_is_written() {
        let (folder, protected) = playground();
        for path in
            ["key", "./key", "open/../key", "secrets", "secrets/", "secrets//./token", "secrets/new/file", "a/../key"]
        {
            assert!(covers(folder.path(), &protected, path), "{path}");
        }
        let doubled = format!("/{}//key", folder.path().display());
        assert!(covers(Path::new("/"), &protected, &doubled));
    }

    #[test]
    fn a_name_that_only_begins_the_same_is_open() {
        let (folder, protected) = playground();
        for path in ["keys", "secrets-evil/a", "secrets/../open", "open/key", "."] {
            assert!(!covers(folder.path(), &protected, path), "{path}");
        }
    }

    #[test]
    fn a_link_does_not_open_what_is_protected() {
        let (folder, protected) = playground();
        symlink("../secrets", folder.path().join("open/inner")).unwrap();
        symlink("open/inner/token", folder.path().join("chain")).unwrap();
        symlink(folder.path().join("secrets/not-there-yet"), folder.path().join("dangling")).unwrap();
        fs::hard_link(folder.path().join("key"), folder.path().join("open/hard")).unwrap();
        for path in ["open/inner", "open/inner/token", "chain", "dangling", "open/hard"] {
            assert!(covers(folder.path(), &protected, path), "{path}");
        }
    }

    #[test]
    fn a_protected_path_that_is_itself_a_link_protects_its_target() {
        let (folder, _) = playground();
        symlink("key", folder.path().join("link")).unwrap();
        let protected = Protected::new([folder.path().join("link")]);

        assert!(covers(folder.path(), &protected, "key"));
    }

    #[test]
    fn an_open_file_of_this_process_is_no_way_around() {
        use std::os::fd::AsRawFd;
        let (folder, protected) = playground();
        let open = fs::File::open(folder.path().join("key")).unwrap();

        assert!(covers(Path::new("/"), &protected, &format!("proc/self/fd/{}", open.as_raw_fd())));
    }

    #[test]
    fn environment_and_memory_of_a_process_are_always_protected() {
        let own = std::process::id();
        let nothing = Protected::default();
        let root = Path::new("/");
        for path in ["proc/self/environ", "proc/thread-self/environ", "proc/self/mem", "proc/self/root/proc/1/environ"]
        {
            assert!(covers(root, &nothing, path), "{path}");
        }
        assert!(covers(root, &nothing, &format!("proc/{own}/task/{own}/environ")));
        assert!(!covers(root, &nothing, "proc/self/status"));
        assert!(!covers(root, &nothing, "etc/environ"));
    }
}
