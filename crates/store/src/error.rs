//! What can go wrong, told apart by what is to be done about it.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use chat::{ConversationKey, InboxId, Seq, TurnId};

/// Why a ledger was not opened. Its file is then as it was.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// Another process has it, or this one already.
    #[error("the data folder {} is in use by {}: end that one, or choose another folder with --data-dir", folder.display(), process(*pid))]
    Locked {
        /// Which process, where it told.
        pid: Option<u32>,
        /// The data folder.
        folder: PathBuf,
    },
    /// Something else stands where the folder should be.
    #[error("{} is not a folder: choose another one with --data-dir", folder.display())]
    NotAFolder {
        /// The path.
        folder: PathBuf,
    },
    /// There is no folder, and none can be made.
    #[error("the data folder {} cannot be created ({source}): create it, or choose another one with --data-dir", folder.display())]
    CannotCreate {
        /// The path.
        folder: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The folder or a file in it cannot be written.
    #[error("{} cannot be written ({source}): make it writable for this user, or choose another data folder with --data-dir", path.display())]
    NotWritable {
        /// What cannot be.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// There is no room.
    #[error("the disk of the data folder {} is full: free some space", folder.display())]
    DiskFull {
        /// The data folder.
        folder: PathBuf,
    },
    /// There is none, and whoever only looks does not make one.
    #[error("there is no ledger at {}: nothing was said there yet", file.display())]
    Missing {
        /// Where it would be.
        file: PathBuf,
    },
    /// A later version of the program made it.
    #[error(
        "{} was written by a newer version of the program (schema {found}, known are schemas up to {known}): install that version again, or choose another data folder with --data-dir",
        file.display()
    )]
    Newer {
        /// The ledger.
        file: PathBuf,
        /// The version of its schema.
        found: i64,
        /// The latest version that this program knows.
        known: i64,
    },
    /// An earlier version of the program made it, and whoever only looks does not change it.
    #[error("{} was written by an older version of the program (schema {found}): a start that writes brings it up to schema {known}", file.display())]
    Older {
        /// The ledger.
        file: PathBuf,
        /// The version of its schema.
        found: i64,
        /// The version that this program reads.
        known: i64,
    },
    /// It is a database of something else.
    #[error("{} belongs to another program (application id {application_id:#010x}): choose another data folder with --data-dir", file.display())]
    Foreign {
        /// The file.
        file: PathBuf,
        /// Who says it is theirs.
        application_id: i64,
    },
    /// It is not, or no longer, a database.
    #[error(
        "{} is damaged ({detail}); it was left as it is: restore a copy of it, move it out of the way to begin anew, or choose another data folder with --data-dir",
        file.display()
    )]
    Damaged {
        /// The file.
        file: PathBuf,
        /// In what way.
        detail: String,
    },
    /// SQLite failed in another way.
    #[error("the ledger {} cannot be opened ({source})", file.display())]
    Storage {
        /// The file.
        file: PathBuf,
        /// How.
        source: rusqlite::Error,
    },
    /// The operating system failed in another way.
    #[error("the ledger in {} cannot be opened ({source})", folder.display())]
    System {
        /// The data folder.
        folder: PathBuf,
        /// How.
        source: io::Error,
    },
}

fn process(pid: Option<u32>) -> String {
    pid.map_or_else(|| "another process".to_owned(), |pid| format!("process {pid}"))
}

/// Why an operation was not done. Nothing of it is on disk, save where [`WriteError::Storage`] says so.
#[derive(Clone, Debug, thiserror::Error)]
pub enum WriteError {
    /// It names something that does not exist.
    #[error("{what} is not in the ledger")]
    Unknown {
        /// What it names.
        what: String,
    },
    /// What it names is already in another state.
    #[error("{what} is already {state}")]
    Conflict {
        /// What it names.
        what: String,
        /// Its state.
        state: String,
    },
    /// Messages would not follow the last one: somebody else has written in between.
    #[error("the messages of {key} go on at {next}, not at {given}")]
    Fenced {
        /// The conversation.
        key: Box<ConversationKey>,
        /// Where its history ends.
        next: Seq,
        /// Where the new messages would begin.
        given: Seq,
    },
    /// A turn would end, and a message that it was opened with would not.
    #[error("turn {turn} leaves message {inbox} of the inbox open")]
    LeftOpen {
        /// The turn.
        turn: TurnId,
        /// The message.
        inbox: InboxId,
    },
    /// The ledger's rules forbid it.
    #[error("the ledger does not take it")]
    Rejected(#[source] Arc<rusqlite::Error>),
    /// It could not be written, twice. A disk that fails may have kept it all the same; the next start tells.
    #[error("{}", if self.is_disk_full() { "the disk of the data folder is full" } else { "the ledger cannot be written" })]
    Storage(#[source] Arc<rusqlite::Error>),
    /// The ledger was closed before.
    #[error("the ledger is closed")]
    Closed,
}

impl WriteError {
    /// Whether there was no room for it.
    #[must_use]
    pub fn is_disk_full(&self) -> bool {
        matches!(self, Self::Storage(error) if error.sqlite_error_code() == Some(rusqlite::ErrorCode::DiskFull))
    }
}

impl From<rusqlite::Error> for WriteError {
    /// Tells what is wrong with an operation from what is wrong with the disk.
    fn from(error: rusqlite::Error) -> Self {
        use rusqlite::ErrorCode::{ConstraintViolation, TooBig, TypeMismatch};
        match error.sqlite_error_code() {
            Some(ConstraintViolation | TooBig | TypeMismatch) => Self::Rejected(Arc::new(error)),
            Some(_) => Self::Storage(Arc::new(error)),
            None => Self::Rejected(Arc::new(error)),
        }
    }
}

/// Why something was not read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The file cannot be read, or a row of it cannot be understood.
    #[error("the ledger cannot be read")]
    Storage(#[from] rusqlite::Error),
    /// A message is missing in the middle of a history.
    #[error("message {seq} of {key} is missing in the ledger")]
    Gap {
        /// The conversation.
        key: Box<ConversationKey>,
        /// The first place without a message.
        seq: Seq,
    },
}
