//! Other names of files that are hidden because of the folder they are in.

use std::collections::HashSet;
use std::fs;
use std::os::unix::fs::{DirEntryExt, MetadataExt};
use std::path::{Path, PathBuf};

use super::way::Identity;

/// Entries of hidden folders that are looked at. Where there are more, every file with several names counts as hidden: such are rare.
const MOST_LOOKED_AT: usize = 100_000;

/// What is in hidden folders.
#[derive(Debug)]
pub(crate) struct OtherNames {
    files: HashSet<Identity>,
    is_whole: bool,
}

impl OtherNames {
    /// Looks into these folders and all below them that are not open.
    pub(crate) fn inside<'a>(folders: impl Iterator<Item = &'a Path>, is_open: impl Fn(Identity) -> bool) -> Self {
        let mut names = Self { files: HashSet::new(), is_whole: true };
        let mut left: Vec<PathBuf> = folders.map(Path::to_path_buf).collect();
        while let Some(folder) = left.pop() {
            let Ok(found) = fs::symlink_metadata(&folder) else { continue };
            if is_open((found.dev(), found.ino())) {
                continue;
            }
            for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
                if names.files.len() == MOST_LOOKED_AT {
                    names.is_whole = false;
                    return names;
                }
                names.files.insert((found.dev(), entry.ino()));
                if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                    left.push(entry.path());
                }
            }
        }
        names
    }

    pub(crate) fn contain(&self, file: Identity) -> bool {
        !self.is_whole || self.files.contains(&file)
    }
}
