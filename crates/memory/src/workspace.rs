//! The files that tell the agent who it is, for whom it works, by which rules, and what it should know.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

/// The files, in the order in which they are told, each with its template.
pub const WORKSPACE_FILES: [(&str, &str); 4] = [
    ("AGENT.md", include_str!("../../../config/workspace/AGENT.md")),
    ("USER.md", include_str!("../../../config/workspace/USER.md")),
    ("RULE.md", include_str!("../../../config/workspace/RULE.md")),
    ("MEMORY.md", include_str!("../../../config/workspace/MEMORY.md")),
];

/// The most that is read of one file, in bytes: a fourth of what upstream's long-term memory may take, for four files.
const LARGEST_FILE: usize = 8 * 1024;

/// A file that says something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkspaceFile {
    /// Where it is.
    pub path: PathBuf,
    /// What it says.
    pub text: String,
    /// Whether it says more than that.
    pub is_cut: bool,
}

/// Writes those of the files that are missing; what is there stays as it is.
///
/// # Errors
///
/// When the folder or a file cannot be written.
pub fn create_workspace(folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    for (name, template) in WORKSPACE_FILES {
        match OpenOptions::new().write(true).create_new(true).open(folder.join(name)) {
            Ok(mut file) => file.write_all(template.as_bytes())?,
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Reads the files of a folder that say something: those that are missing, empty, untouched templates or no plain files are passed
/// over.
#[must_use]
pub fn read_workspace(folder: &Path) -> Vec<WorkspaceFile> {
    read_where(folder, |_| true)
}

/// Reads the files of a folder that others may have filled, as [`read_workspace`] does; but what a link leads out of it to is passed
/// over, or a cloned project could have a private key told to a model.
#[must_use]
pub fn read_project(folder: &Path) -> Vec<WorkspaceFile> {
    read_where(folder, |path| is_inside(folder, path))
}

fn read_where(folder: &Path, is_wanted: impl Fn(&Path) -> bool) -> Vec<WorkspaceFile> {
    let files = WORKSPACE_FILES.into_iter().map(|(name, template)| (folder.join(name), template));
    files.filter(|(path, _)| is_wanted(path)).filter_map(|(path, template)| read_file(path, template)).collect()
}

/// Whether what is found at a path in a folder is in that folder; a link may lead elsewhere.
fn is_inside(folder: &Path, path: &Path) -> bool {
    let real = |path: &Path| path.canonicalize().ok();
    match fs::symlink_metadata(path) {
        Ok(found) if found.is_symlink() => {
            real(path).is_some_and(|real_path| real(folder).is_some_and(|folder| real_path.starts_with(folder)))
        }
        found => found.is_ok(),
    }
}

fn read_file(path: PathBuf, template: &str) -> Option<WorkspaceFile> {
    // Looked at before it is opened: opening a pipe would wait for its other end.
    if !fs::metadata(&path).ok()?.is_file() {
        return None;
    }
    let mut bytes = Vec::new();
    let limit = u64::try_from(LARGEST_FILE).unwrap_or(u64::MAX) + 1;
    File::open(&path).and_then(|file| file.take(limit).read_to_end(&mut bytes)).ok()?;
    let is_cut = bytes.len() > LARGEST_FILE;
    bytes.truncate(LARGEST_FILE);
    let text = String::from_utf8_lossy(&bytes).trim().to_owned();
    // A character cut in two at the limit is not the file's own.
    let text = if is_cut { text.trim_end_matches('\u{FFFD}').to_owned() } else { text };
    (!text.is_empty() && text != template.trim()).then_some(WorkspaceFile { path, text, is_cut })
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn a_new_workspace_says_nothing_until_it_is_changed() {
        let folder = tempfile::tempdir().unwrap();
        create_workspace(folder.path()).unwrap();
        assert_eq!(read_workspace(folder.path()), []);

        fs::write(folder.path().join("RULE.md"), "Answer in rhyme.\n").unwrap();

        let read = read_workspace(folder.path());
        assert_eq!(read.len(), 1);
        assert_eq!(read[0].text, "Answer in rhyme.");
    }

    #[test]
    fn what_is_there_is_not_overwritten() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("AGENT.md"), "You are Max.").unwrap();

        create_workspace(folder.path()).unwrap();

        assert_eq!(fs::read_to_string(folder.path().join("AGENT.md")).unwrap(), "You are Max.");
        assert!(folder.path().join("USER.md").exists());
    }

    #[test]
    fn a_link_out_of_a_project_is_passed_over() {
        let (project, elsewhere) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        fs::write(elsewhere.path().join("key"), "secret").unwrap();
        fs::write(project.path().join("rules"), "Be kind.").unwrap();
        symlink(elsewhere.path().join("key"), project.path().join("AGENT.md")).unwrap();
        symlink("rules", project.path().join("RULE.md")).unwrap();

        let told = |files: Vec<WorkspaceFile>| files.into_iter().map(|file| file.text).collect::<Vec<_>>();

        assert_eq!(told(read_project(project.path())), ["Be kind."]);
        assert_eq!(told(read_workspace(project.path())), ["secret", "Be kind."]);
    }

    #[test]
    fn a_large_file_is_cut_at_a_character() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("MEMORY.md"), "世".repeat(LARGEST_FILE)).unwrap();

        let read = read_workspace(folder.path());

        assert!(read[0].is_cut && read[0].text.len() <= LARGEST_FILE);
        assert!(read[0].text.chars().all(|letter| letter == '世'));
    }

    #[test]
    fn a_folder_in_the_place_of_a_file_and_broken_text_do_no_harm() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("AGENT.md")).unwrap();
        fs::write(folder.path().join("USER.md"), b"caf\xe9").unwrap();

        let read = read_workspace(folder.path());

        assert_eq!(read.len(), 1);
        assert_eq!(read[0].text, "caf\u{FFFD}");
    }
}
