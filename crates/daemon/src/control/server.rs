//! The end of the socket in the bot.

use std::fs::{self, Permissions};
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};
use tracing::{debug, warn};

use super::{Answer, Asked, Question};

/// No question is longer.
const LONGEST_QUESTION: u64 = 64 * 1024;

/// So long a connection may be silent.
const LONGEST_SILENCE: Duration = Duration::from_secs(60);

/// A pause where connections cannot be taken, as when the process has too many files open.
const PAUSE: Duration = Duration::from_millis(200);

/// The socket; its file is gone when this is.
pub(crate) struct Socket {
    path: PathBuf,
    questions: mpsc::Receiver<Asked>,
    listening: JoinHandle<()>,
}

impl Socket {
    /// Opens it for owner and group. One that a dead process left is replaced; one that somebody listens on is not.
    pub(crate) async fn open(path: &Path) -> io::Result<Self> {
        if UnixStream::connect(path).await.is_ok() {
            return Err(io::Error::new(io::ErrorKind::AddrInUse, "another process listens on it"));
        }
        // It gets its name when nobody else can open it any more.
        let mut new = path.as_os_str().to_owned();
        new.push(".new");
        let _ = fs::remove_file(&new);
        let listener = UnixListener::bind(&new)?;
        fs::set_permissions(&new, Permissions::from_mode(0o660))?;
        fs::rename(&new, path)?;
        let (ask, questions) = mpsc::channel(16);
        Ok(Self { path: path.to_owned(), questions, listening: tokio::spawn(listen(listener, ask)) })
    }

    /// The next question.
    pub(crate) async fn question(&mut self) -> Option<Asked> {
        self.questions.recv().await
    }
}

impl Drop for Socket {
    fn drop(&mut self) {
        self.listening.abort();
        if let Err(error) = fs::remove_file(&self.path) {
            debug!(%error, "the control socket was gone already");
        }
    }
}

async fn listen(listener: UnixListener, ask: mpsc::Sender<Asked>) {
    loop {
        match listener.accept().await {
            Ok((stream, _)) => drop(tokio::spawn(attend(stream, ask.clone()))),
            Err(error) => {
                warn!(%error, "a connection to the control socket was lost");
                sleep(PAUSE).await;
            }
        }
    }
}

async fn attend(stream: UnixStream, ask: mpsc::Sender<Asked>) {
    let (read, mut write) = stream.into_split();
    let mut lines = BufReader::new(read);
    loop {
        let mut line = String::new();
        let read = timeout(LONGEST_SILENCE, (&mut lines).take(LONGEST_QUESTION).read_line(&mut line)).await;
        match read {
            Ok(Ok(length)) if length > 0 => {}
            _ => return,
        }
        let answer = answer(&line, &ask).await;
        let text = serde_json::to_string(&answer).unwrap_or_default();
        if write.write_all(format!("{text}\n").as_bytes()).await.is_err() || !line.ends_with('\n') {
            return;
        }
    }
}

async fn answer(line: &str, ask: &mpsc::Sender<Asked>) -> Answer {
    let question: Question = match serde_json::from_str(line) {
        Ok(question) => question,
        Err(error) => return Answer::refused(format!("this is no question that is known: {error}")),
    };
    let (tell, told) = oneshot::channel();
    let going_down = || Answer::refused("the bot is going down");
    if ask.send((question, tell)).await.is_err() {
        return going_down();
    }
    told.await.unwrap_or_else(|_| going_down())
}
