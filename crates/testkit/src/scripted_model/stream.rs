//! A body that is written piece by piece, and knows when nobody reads it any more.

use std::io;
use std::time::Duration;

use bytes::Bytes;
use futures_util::Stream;
use futures_util::stream;

use super::received::Received;
use crate::Gate;
use crate::script::Script;

/// What happens to a body next.
#[derive(Clone, Debug)]
pub(crate) enum Piece {
    Bytes(Vec<u8>),
    Gate(Gate),
    Pause(Duration),
    Cut,
    Stall,
}

/// Notes that the reader went away when it is dropped before [`HangupWatch::done`].
pub(crate) struct HangupWatch {
    script: Script<Received>,
    number: usize,
    is_done: bool,
}

impl HangupWatch {
    pub(crate) fn new(script: &Script<Received>, number: usize) -> Self {
        Self { script: script.clone(), number, is_done: false }
    }

    pub(crate) fn done(&mut self) {
        self.is_done = true;
    }
}

impl Drop for HangupWatch {
    fn drop(&mut self) {
        if !self.is_done {
            self.script.hang_up(self.number);
        }
    }
}

/// Plays the pieces of a body.
pub(crate) fn play(pieces: Vec<Piece>, watch: HangupWatch) -> impl Stream<Item = io::Result<Bytes>> {
    stream::unfold((pieces.into_iter(), watch), async |(mut pieces, mut watch)| {
        loop {
            match pieces.next() {
                Some(Piece::Bytes(bytes)) => {
                    // Lets the piece before this one be written on its own.
                    tokio::task::yield_now().await;
                    return Some((Ok(Bytes::from(bytes)), (pieces, watch)));
                }
                Some(Piece::Gate(gate)) => gate.pass().await,
                Some(Piece::Pause(time)) => tokio::time::sleep(time).await,
                Some(Piece::Stall) => std::future::pending().await,
                Some(Piece::Cut) => {
                    // What came before is on its way when the connection breaks.
                    tokio::task::yield_now().await;
                    watch.done();
                    let broken = io::Error::other("cut by the script");
                    return Some((Err(broken), (Vec::new().into_iter(), watch)));
                }
                None => {
                    watch.done();
                    return None;
                }
            }
        }
    })
}

/// Cuts runs of bytes into writes of at most so many bytes, wherever that cuts an event or a character.
pub(crate) fn cut_into_writes(pieces: Vec<Piece>, bytes_per_write: usize) -> Vec<Piece> {
    let mut cut = Vec::new();
    for piece in pieces {
        match piece {
            Piece::Bytes(bytes) => {
                cut.extend(bytes.chunks(bytes_per_write).map(|part| Piece::Bytes(part.to_vec())));
            }
            other => cut.push(other),
        }
    }
    cut
}

/// Cuts a text into parts of at most so many characters.
pub(crate) fn cut_text(text: &str, chars: usize) -> Vec<&str> {
    let mut rest = text;
    let mut parts = Vec::new();
    while let Some((at, _)) = rest.char_indices().nth(chars) {
        let (part, after) = rest.split_at(at);
        parts.push(part);
        rest = after;
    }
    parts.push(rest);
    parts
}
