//! Files that only their owner can read.

use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

/// Links one after the other that are followed; more lead in a circle.
const MOST_LINKS: usize = 40;

/// Writes a whole file, or nothing: who reads meanwhile sees the old one or the new one. A link stays one: what it leads to is
/// written.
pub(crate) fn write_private(path: &Path, text: &str) -> io::Result<()> {
    let path = &target(path)?;
    let folder = folder_of(path);
    DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    let unfinished = with_ending(path, ".new");
    // What an interrupted run left behind may have other rights.
    match std::fs::remove_file(&unfinished) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&unfinished)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()?;
    std::fs::rename(&unfinished, path)?;
    File::open(folder)?.sync_all()
}

/// Keeps a copy of a file beside it, under a name that is free.
pub(crate) fn keep_copy(path: &Path) -> io::Result<PathBuf> {
    let names = std::iter::once(".bak".to_owned()).chain((2..).map(|number| format!(".bak{number}")));
    for ending in names {
        let copy = with_ending(path, &ending);
        match OpenOptions::new().write(true).create_new(true).mode(0o600).open(&copy) {
            Ok(mut file) => {
                io::copy(&mut File::open(path)?, &mut file)?;
                file.sync_all()?;
                return Ok(copy);
            }
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    unreachable!("some number is free")
}

/// What a path leads to, which need not be there.
fn target(path: &Path) -> io::Result<PathBuf> {
    let mut path = path.to_path_buf();
    for _ in 0..MOST_LINKS {
        if !path.is_symlink() {
            return Ok(path);
        }
        path = folder_of(&path).join(std::fs::read_link(&path)?);
    }
    Err(io::Error::other("its links lead in a circle"))
}

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

fn with_ending(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    name.into()
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn a_file_is_for_its_owner_alone_and_so_is_its_new_folder() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("new/file");

        write_private(&path, "text").unwrap();

        let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&path), mode(path.parent().unwrap())), (0o600, 0o700));
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "text");
    }

    #[test]
    fn what_an_interrupted_run_left_is_no_obstacle() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        std::fs::write(folder.path().join("file.new"), "half").unwrap();

        write_private(&path, "text").unwrap();

        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn what_a_link_leads_to_is_written_and_the_link_stays() {
        let folder = tempfile::tempdir().unwrap();
        let link = folder.path().join("link");
        std::os::unix::fs::symlink("between", &link).unwrap();
        std::os::unix::fs::symlink("dotfiles/file", folder.path().join("between")).unwrap();

        for text in ["where nothing was", "over something"] {
            write_private(&link, text).unwrap();

            assert!(link.is_symlink());
            assert_eq!(std::fs::read_to_string(folder.path().join("dotfiles/file")).unwrap(), text);
        }
    }

    #[test]
    fn links_that_lead_in_a_circle_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let link = folder.path().join("link");
        std::os::unix::fs::symlink("link", &link).unwrap();

        assert!(write_private(&link, "text").is_err());
    }

    #[test]
    fn no_copy_replaces_an_earlier_one() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");

        let copies = ["one", "two", "three"].map(|text| {
            std::fs::write(&path, text).unwrap();
            keep_copy(&path).unwrap()
        });

        let read = copies.map(|copy| std::fs::read_to_string(copy).unwrap());
        assert_eq!(read, ["one", "two", "three"]);
        assert!(folder.path().join("file.bak").exists());
    }
}
