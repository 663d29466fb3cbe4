//! The output of a running program, read as it comes and made plain text.

use std::io::{self, PipeWriter};

use tokio::io::AsyncReadExt;
use tokio::net::unix::pipe;

use super::plain_text::PlainText;

/// Bytes that are read at once: what a pipe holds.
const BLOCK: usize = 64 * 1024;

/// The output of a running program.
pub(crate) struct Stream {
    /// The end that is read; `None` once all was.
    pipe: Option<pipe::Receiver>,
    block: Vec<u8>,
    text: PlainText,
}

impl Stream {
    /// An output, and where it is to be written.
    pub(crate) fn new() -> io::Result<(Self, PipeWriter)> {
        let (reader, writer) = io::pipe()?;
        let pipe = pipe::Receiver::from_owned_fd(reader.into())?;
        Ok((Self { pipe: Some(pipe), block: vec![0; BLOCK], text: PlainText::default() }, writer))
    }

    /// Waits for more; for ever, where all was read. What is dropped while it waits has read nothing.
    pub(crate) async fn next(&mut self) -> String {
        let Some(pipe) = &mut self.pipe else { return std::future::pending().await };
        match pipe.read(&mut self.block).await {
            Ok(length @ 1..) => self.text.push(&self.block[..length]),
            _ => {
                self.pipe = None;
                self.text.close_line()
            }
        }
    }

    /// Whether nobody is left who could write.
    pub(crate) fn is_at_end(&self) -> bool {
        self.pipe.is_none()
    }

    /// What stands in the line that is not closed yet.
    pub(crate) fn open_line(&self) -> String {
        self.text.open_line()
    }

    /// Gives what stands in the line that is not closed yet.
    pub(crate) fn close_line(&mut self) -> String {
        self.text.close_line()
    }
}
