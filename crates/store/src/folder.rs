//! The data folder and its lock.

use std::ffi::OsString;
use std::fs::{self, DirBuilder, File, OpenOptions, TryLockError};
use std::io::{self, ErrorKind, Read, Seek, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use crate::OpenError;

/// How often a lock is tried whose process is gone, and how long between: two seconds together.
const STALE_TRIES: u32 = 100;
const STALE_PAUSE: Duration = Duration::from_millis(20);

/// The names of the files of a ledger: the database, what SQLite keeps beside it, the lock.
pub const FILES: [&str; 4] = ["ledger.db", "ledger.db-wal", "ledger.db-shm", "lock"];

/// The data folder, with the names of what is in it.
#[derive(Clone, Debug)]
pub(crate) struct Folder {
    path: PathBuf,
    /// The name of the database in it.
    database: OsString,
}

impl Folder {
    /// Makes the folder, for its owner alone, where there is none.
    pub(crate) fn create(path: &Path) -> Result<Self, OpenError> {
        let folder = || path.to_owned();
        match fs::metadata(path) {
            Ok(metadata) if metadata.is_dir() => {}
            Ok(_) => return Err(OpenError::NotAFolder { folder: folder() }),
            Err(_) => {
                DirBuilder::new().recursive(true).mode(0o700).create(path).map_err(|source| match source.kind() {
                    ErrorKind::NotADirectory => OpenError::NotAFolder { folder: folder() },
                    ErrorKind::StorageFull => OpenError::DiskFull { folder: folder() },
                    _ => OpenError::CannotCreate { folder: folder(), source },
                })?
            }
        }
        Self::existing(path)
    }

    /// Takes a folder as it is. Its path is made absolute, so that a later change of the working folder does not matter.
    pub(crate) fn existing(path: &Path) -> Result<Self, OpenError> {
        match fs::canonicalize(path) {
            Ok(path) => Ok(Self { path, database: FILES[0].into() }),
            Err(error) if error.kind() == ErrorKind::NotFound => Err(OpenError::Missing { file: path.join(FILES[0]) }),
            Err(error) if error.kind() == ErrorKind::NotADirectory => {
                Err(OpenError::NotAFolder { folder: path.to_owned() })
            }
            Err(source) => Err(OpenError::System { folder: path.to_owned(), source }),
        }
    }

    /// Takes the folder of a ledger's file that has a name of its own.
    pub(crate) fn of_file(file: &Path) -> Result<Self, OpenError> {
        let (Some(name), Ok(absolute)) = (file.file_name(), std::path::absolute(file)) else {
            return Err(OpenError::Missing { file: file.to_owned() });
        };
        let folder = Self::existing(absolute.parent().unwrap_or(&absolute))?;
        Ok(Self { database: name.to_owned(), ..folder })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn database(&self) -> PathBuf {
        self.path.join(&self.database)
    }

    /// SQLite's write-ahead log; there is one while a ledger is open, and after a crash.
    pub(crate) fn log(&self) -> PathBuf {
        let mut name = self.database.clone();
        name.push("-wal");
        self.path.join(name)
    }

    /// Where a ledger is made before it gets its name.
    pub(crate) fn unfinished(&self) -> PathBuf {
        self.path.join("ledger.db.new")
    }

    /// The copy of a ledger of this version that was kept before it was brought up to date.
    pub(crate) fn backup(&self, version: i64) -> PathBuf {
        self.path.join(format!("ledger.v{version}.db"))
    }

    /// Creates an empty file that only its owner can read.
    pub(crate) fn create_private(path: &Path) -> io::Result<File> {
        OpenOptions::new().read(true).write(true).create(true).truncate(true).mode(0o600).open(path)
    }

    /// Waits until names in the folder are on disk.
    pub(crate) fn sync(&self) -> io::Result<()> {
        File::open(&self.path)?.sync_all()
    }

    /// Takes the lock, or tells who has it.
    pub(crate) fn lock(&self) -> Result<Lock, OpenError> {
        let path = self.path.join(FILES[3]);
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false).mode(0o600);
        let mut file = options.open(&path).map_err(|source| self.not_writable(source))?;
        match try_lock(&mut file) {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(OpenError::Locked { pid: holder(&mut file), folder: self.path.clone() });
            }
            Err(TryLockError::Error(source)) => return Err(OpenError::System { folder: self.path.clone(), source }),
        }
        // The number is a courtesy to whoever comes next: on a full disk the lock holds without it.
        let _ = file.rewind().and_then(|()| file.set_len(0)).and_then(|()| write!(file, "{}", std::process::id()));
        Ok(Lock(file))
    }

    fn not_writable(&self, source: io::Error) -> OpenError {
        match source.kind() {
            ErrorKind::StorageFull => OpenError::DiskFull { folder: self.path.clone() },
            _ => OpenError::NotWritable { path: self.path.clone(), source },
        }
    }
}

/// Tries to lock a file. A killed process may have left a child that was forked and has not yet become its program: it holds the
/// same lock for a moment, so where the process that is named is gone this is tried again.
fn try_lock(file: &mut File) -> Result<(), TryLockError> {
    for _ in 0..STALE_TRIES {
        match file.try_lock() {
            Err(TryLockError::WouldBlock) if holder(file).is_some_and(is_gone) => thread::sleep(STALE_PAUSE),
            tried => return tried,
        }
    }
    file.try_lock()
}

fn is_gone(pid: u32) -> bool {
    Path::new("/proc/self").exists() && !Path::new(&format!("/proc/{pid}")).exists()
}

fn holder(file: &mut File) -> Option<u32> {
    let mut pid = String::new();
    file.rewind().ok()?;
    file.take(16).read_to_string(&mut pid).ok()?;
    pid.trim().parse().ok()
}

/// The right to write in a data folder, for as long as it lives.
pub(crate) struct Lock(File);

impl Drop for Lock {
    fn drop(&mut self) {
        // The next holder must not be taken for this one.
        let _ = self.0.set_len(0);
        // Closing alone would not do: a child that was forked and has not yet become its program holds the same open file.
        let _ = self.0.unlock();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_child_that_has_not_yet_become_its_program_does_not_keep_the_lock() {
        let path = tempfile::tempdir().expect("there is room");
        let folder = Folder::create(path.path()).expect("it is there");
        let lock = folder.lock().expect("nobody has it");
        let inherited = lock.0.try_clone().expect("there are descriptors");

        drop(lock);

        assert!(folder.lock().is_ok());
        drop(inherited);
    }
}
