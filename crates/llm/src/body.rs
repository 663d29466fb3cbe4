//! The body of an answer: bytes in, reply events out.
//!
//! A body is an event stream, or one JSON document (an error, or a whole reply from a server that does not stream). What it is shows
//! in its first bytes; headers are not asked, because gateways get them wrong. The same goes for gzip.

use std::io::Write;

use chat::ModelError;
use flate2::write::MultiGzDecoder;

use crate::draft::{Draft, truncated};
use crate::error::protocol;
use crate::format::Assembly;
use crate::sse::{self, Decoder};
use crate::{Format, ModelName, ReplyEvent};

#[cfg(test)]
mod tests;

/// Makes reply events of a body, however its bytes are cut.
#[derive(Debug)]
pub(crate) struct BodyReader {
    packing: Packing,
    content: Content,
    assembly: Assembly,
    draft: Draft,
}

#[derive(Debug)]
enum Packing {
    /// No more yet than what a gzip body begins with.
    Unknown(Vec<u8>),
    Plain,
    Gzip(Box<MultiGzDecoder<Vec<u8>>>),
}

#[derive(Debug)]
enum Content {
    /// Nothing but white space yet.
    Unknown(Vec<u8>),
    Stream(Decoder),
    Document(Vec<u8>),
}

const BOM: &[u8] = b"\xEF\xBB\xBF";

const GZIP: [u8; 2] = [0x1f, 0x8b];

/// How much is unpacked at once: a small body may unpack to a thousand times its size.
const GZIP_STEP: usize = 4096;

impl BodyReader {
    /// Begins the body of an answer of this model to a request that offered these tools.
    pub(crate) fn new(format: Format, name: ModelName, tools: Vec<String>) -> Self {
        Self {
            packing: Packing::Unknown(Vec::new()),
            content: Content::Unknown(Vec::new()),
            assembly: Assembly::new(format, tools),
            draft: Draft::new(name),
        }
    }

    /// Takes the next bytes.
    pub(crate) fn push(&mut self, bytes: &[u8]) {
        match &mut self.packing {
            Packing::Plain => self.push_plain(bytes),
            Packing::Gzip(_) => self.push_gzip(bytes),
            Packing::Unknown(held) => {
                held.extend_from_slice(bytes);
                if held.len() >= GZIP.len() || !GZIP.starts_with(held) {
                    let held = std::mem::take(held);
                    self.decide_packing(&held);
                }
            }
        }
    }

    /// Takes the next event that is to be told.
    pub(crate) fn next_event(&mut self) -> Option<ReplyEvent> {
        self.draft.next_event()
    }

    /// Whether the last event was made: the rest of the body does not matter.
    pub(crate) fn is_closed(&self) -> bool {
        self.draft.is_closed()
    }

    /// Whether there was a sign that the reply is whole; what may follow are the tokens it cost.
    pub(crate) fn is_whole(&self) -> bool {
        self.draft.is_whole()
    }

    /// Takes the end of the body.
    pub(crate) fn finish(&mut self) {
        if let Packing::Gzip(decoder) = &mut self.packing {
            // A cut archive gives what it holds.
            let _ = decoder.try_finish();
            let rest = std::mem::take(decoder.get_mut());
            self.push_plain(&rest);
        }
        match std::mem::replace(&mut self.content, Content::Unknown(Vec::new())) {
            Content::Unknown(_) => {}
            Content::Stream(decoder) => self.finish_stream(decoder),
            Content::Document(bytes) => self.assembly.read_document(&bytes, &mut self.draft),
        }
        self.draft.close(truncated);
    }

    /// Ends the body where it breaks off. A reply that was whole by then still is.
    pub(crate) fn break_off(&mut self, error: ModelError) {
        self.draft.close(|| error);
    }

    /// Ends the reply with an error, whatever came before.
    pub(crate) fn fail(&mut self, error: ModelError) {
        self.draft.fail(error);
    }

    fn decide_packing(&mut self, begin: &[u8]) {
        if begin.starts_with(&GZIP) {
            self.packing = Packing::Gzip(Box::new(MultiGzDecoder::new(Vec::new())));
        } else {
            self.packing = Packing::Plain;
        }
        self.push(begin);
    }

    fn push_gzip(&mut self, bytes: &[u8]) {
        for step in bytes.chunks(GZIP_STEP) {
            let Packing::Gzip(decoder) = &mut self.packing else { return };
            let written = decoder.write_all(step);
            let plain = std::mem::take(decoder.get_mut());
            self.push_plain(&plain);
            if written.is_err() {
                return self.draft.fail(protocol("the answer is compressed, and damaged"));
            }
        }
    }

    fn push_plain(&mut self, bytes: &[u8]) {
        if self.draft.is_closed() {
            return;
        }
        match &mut self.content {
            Content::Stream(decoder) => {
                let (assembly, draft) = (&mut self.assembly, &mut self.draft);
                let result = decoder.push(bytes, &mut |event| assembly.read_event(&event, draft));
                if result.is_err() {
                    self.draft.fail(protocol("one event of the answer is larger than 8 MiB"));
                }
            }
            Content::Document(document) => {
                document.extend_from_slice(bytes);
                if document.len() > sse::LIMIT {
                    self.draft.fail(protocol("the answer is a document larger than 8 MiB"));
                }
            }
            Content::Unknown(held) => {
                held.extend_from_slice(bytes);
                let begin = held.strip_prefix(BOM).unwrap_or(held).trim_ascii_start();
                let Some(first) = begin.first() else { return held.clear() };
                if BOM.starts_with(held) {
                    return;
                }
                let content = match first {
                    b'{' | b'[' | b'<' => Content::Document(Vec::new()),
                    _ => Content::Stream(Decoder::default()),
                };
                let begin = begin.to_vec();
                self.content = content;
                self.push_plain(&begin);
            }
        }
    }

    fn finish_stream(&mut self, decoder: Decoder) {
        let (assembly, draft) = (&mut self.assembly, &mut self.draft);
        let ending = decoder.finish(&mut |event| assembly.read_last_event(&event, draft));
        if ending == sse::Ending::NotAStream {
            self.draft.fail(protocol("the answer is neither an event stream nor JSON"));
        }
    }
}
