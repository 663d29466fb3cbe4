//! A file for output that is too long to be shown.

use std::fs::{self, DirEntry};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use tokio::fs::File;
use tokio::io::AsyncWriteExt;
use tokio::task::spawn_blocking;

use crate::text::size;

const PREFIX: &str = "cowhand-output-";

/// Bytes that one such file holds at most.
const MOST_BYTES: u64 = 16 * 1024 * 1024;

/// How many such files are kept; the oldest goes when one more is made.
const MOST_FILES: usize = 20;

/// A file for output that is too long to be shown. It stays, for a model may come back to it.
pub(super) struct Spool {
    place: io::Result<(File, PathBuf)>,
    room: u64,
    is_cut: bool,
}

impl Spool {
    /// Makes one in the folder for temporary files. That it cannot be made is told at the end.
    pub(super) async fn new() -> Self {
        let made = spawn_blocking(|| make(&std::env::temp_dir())).await;
        let place = made.map_err(io::Error::other).flatten().map(|(file, path)| (File::from_std(file), path));
        Self { place, room: MOST_BYTES, is_cut: false }
    }

    /// Adds output, as long as there is room.
    pub(super) async fn write(&mut self, piece: &[u8]) {
        let Ok((file, _)) = &mut self.place else { return };
        let fitting = &piece[..piece.len().min(usize::try_from(self.room).unwrap_or(usize::MAX))];
        self.is_cut |= fitting.len() < piece.len();
        self.room -= fitting.len() as u64;
        if let Err(error) = file.write_all(fitting).await {
            self.place = Err(error);
        }
    }

    /// Closes it, and says where it is.
    pub(super) async fn finish(mut self) -> String {
        if let Ok((file, _)) = &mut self.place
            && let Err(error) = file.flush().await
        {
            self.place = Err(error);
        }
        match &self.place {
            Ok((_, path)) if self.is_cut => format!("its first {} are in {}", size(MOST_BYTES), path.display()),
            Ok((_, path)) => format!("the whole of it is in {}", path.display()),
            Err(error) => format!("the whole of it could not be kept: {error}"),
        }
    }
}

fn make(folder: &Path) -> io::Result<(fs::File, PathBuf)> {
    make_room(folder);
    let file = tempfile::Builder::new().prefix(PREFIX).suffix(".txt").tempfile_in(folder)?;
    Ok(file.keep()?)
}

/// Removes the oldest of our own.
fn make_room(folder: &Path) {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut ours: Vec<(SystemTime, PathBuf)> =
        entries.filter_map(|entry| Some((age_if_ours(&entry)?, entry.path()))).collect();
    ours.sort();
    let excess = (ours.len() + 1).saturating_sub(MOST_FILES);
    for (_, path) in ours.drain(..excess) {
        let _ = fs::remove_file(path);
    }
}

fn age_if_ours(entry: &DirEntry) -> Option<SystemTime> {
    let found = entry.file_name().to_str()?.starts_with(PREFIX).then(|| entry.metadata())?.ok()?;
    let is_ours = found.is_file() && found.uid() == rustix::process::geteuid().as_raw();
    is_ours.then(|| found.modified())?.ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_files_go_and_nothing_else_does() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("somebody's"), "x").unwrap();
        let mut made: Vec<PathBuf> = (0..MOST_FILES).map(|_| make(folder.path()).unwrap().1).collect();
        let oldest = made.remove(7);
        let past = SystemTime::UNIX_EPOCH;
        fs::File::options().write(true).open(&oldest).unwrap().set_modified(past).unwrap();

        let (_, new) = make(folder.path()).unwrap();

        assert!(!oldest.exists());
        assert!(new.exists() && made.iter().all(|path| path.exists()));
        assert!(folder.path().join("somebody's").exists());
    }

    #[tokio::test]
    async fn it_holds_no_more_than_its_bound_and_says_so() {
        let mut spool = Spool::new().await;
        let megabyte = vec![b'x'; 1024 * 1024];
        for _ in 0..17 {
            spool.write(&megabyte).await;
        }

        let told = spool.finish().await;

        let path = told.strip_prefix("its first 16.0 MB are in ").unwrap();
        assert_eq!(fs::metadata(path).unwrap().len(), MOST_BYTES);
        fs::remove_file(path).unwrap();
    }
}
