//! Paths as they are found on the machine.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// How deep a folder is searched for what not everybody may read.
const DEPTH: usize = 4;

/// Those that are there, free of links, each once.
pub(super) fn found(paths: &[PathBuf]) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = paths.iter().filter_map(|path| path.canonicalize().ok()).collect();
    found.sort();
    found.dedup();
    found
}

/// What in a folder not everybody may read.
pub(super) fn not_for_everybody(folder: &Path) -> Vec<PathBuf> {
    let mut private = Vec::new();
    collect_private(folder, DEPTH, &mut private);
    private
}

fn collect_private(folder: &Path, depth: usize, private: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let Ok(found) = entry.metadata() else { continue };
        let needed = if found.is_dir() { 0o005 } else { 0o004 };
        if found.is_symlink() {
        } else if found.permissions().mode() & needed != needed {
            private.push(entry.path());
        } else if found.is_dir() && depth > 0 {
            collect_private(&entry.path(), depth - 1, private);
        }
    }
}

/// A folder as the largest pieces of it that hold nothing of what is left out. A link is no piece: what it leads to is one elsewhere.
pub(super) fn without(folder: &Path, left_out: &[PathBuf]) -> Vec<PathBuf> {
    let mut pieces = Vec::new();
    collect_without(folder, left_out, &mut pieces);
    pieces
}

fn collect_without(path: &Path, left_out: &[PathBuf], pieces: &mut Vec<PathBuf>) {
    if left_out.iter().any(|out| path.starts_with(out)) {
        return;
    }
    if !left_out.iter().any(|out| out.starts_with(path)) {
        pieces.push(path.to_path_buf());
        return;
    }
    for entry in fs::read_dir(path).into_iter().flatten().flatten() {
        if entry.file_type().is_ok_and(|found| !found.is_symlink()) {
            collect_without(&entry.path(), left_out, pieces);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn a_folder_without_some_of_it_is_all_the_rest() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        for name in ["a/b/secret", "a/c", "d"] {
            fs::create_dir_all(at(name)).unwrap();
        }
        symlink("a/b/secret", at("link")).unwrap();

        let mut pieces = without(folder.path(), &[at("a/b/secret")]);

        pieces.sort();
        assert_eq!(pieces, [at("a/c"), at("d")]);
        assert_eq!(without(folder.path(), &[]), [folder.path()]);
        assert!(without(&at("a/b/secret"), &[at("a/b")]).is_empty());
    }

    #[test]
    fn what_only_some_may_read_is_found() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::create_dir_all(at("open/inner")).unwrap();
        for (name, mode) in [("open/public", 0o644), ("open/inner/secret", 0o640), ("private", 0o600)] {
            fs::write(at(name), "").unwrap();
            fs::set_permissions(at(name), fs::Permissions::from_mode(mode)).unwrap();
        }

        let mut private = not_for_everybody(folder.path());

        private.sort();
        assert_eq!(private, [at("open/inner/secret"), at("private")]);
    }
}
