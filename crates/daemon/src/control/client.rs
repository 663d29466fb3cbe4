//! The end of the socket in a command.

use std::io::{BufRead, BufReader, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Duration;

use super::{Answer, Question};
use crate::exit::Failure;

/// No answer takes longer.
const LONGEST_ANSWER: Duration = Duration::from_secs(30);

/// Asks the bot that runs.
pub(crate) fn ask(socket: &Path, question: &Question) -> Result<Answer, Failure> {
    let shown = socket.display();
    let mut stream = UnixStream::connect(socket).map_err(|error| {
        Failure::data(format!(
            "no bot answers at {shown} ({error}): start one with `cowhand serve`, or name its data folder by --data-dir"
        ))
    })?;
    exchange(&mut stream, question)
        .map_err(|error| Failure::data(format!("the bot at {shown} gave no answer: {error}")))
}

fn exchange(stream: &mut UnixStream, question: &Question) -> std::io::Result<Answer> {
    stream.set_read_timeout(Some(LONGEST_ANSWER))?;
    let question = serde_json::to_string(question)?;
    stream.write_all(format!("{question}\n").as_bytes())?;
    let mut line = String::new();
    BufReader::new(stream).read_line(&mut line)?;
    Ok(serde_json::from_str(&line)?)
}
