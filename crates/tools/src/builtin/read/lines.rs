//! The lines of a file that may be larger than memory, as may a single one of them.

use std::fs::File;
use std::io::{BufRead, BufReader, Seek};

use memchr::{memchr, memchr_iter};

use crate::ToolContext;
use crate::blocking::go_on;
use crate::files::failed;

/// Bytes that are read at once; between two such reads cancellation is looked at.
const BLOCK: usize = 128 * 1024;

/// The lines of a file, never more than a block of it in memory.
pub(super) struct Lines<'a> {
    reader: BufReader<File>,
    path: &'a str,
    context: &'a ToolContext,
}

/// A line, as far as it was wanted.
#[derive(Default)]
pub(super) struct Line {
    /// Its beginning, without the line break.
    pub(super) kept: Vec<u8>,
    /// How long all of it is, without the line break.
    pub(super) bytes: u64,
    /// Whether it ends with CRLF.
    pub(super) crlf: bool,
}

impl<'a> Lines<'a> {
    pub(super) fn new(file: File, path: &'a str, context: &'a ToolContext) -> Self {
        Self { reader: BufReader::with_capacity(BLOCK, file), path, context }
    }

    /// What is read next, up to a block; nothing at the end of the file.
    pub(super) fn peek(&mut self) -> Result<&[u8], String> {
        go_on(self.context)?;
        self.reader.fill_buf().map_err(|error| failed("read", self.path, &error))
    }

    /// The file itself, at its beginning.
    pub(super) fn into_file(mut self) -> Result<File, String> {
        self.rewind()?;
        Ok(self.reader.into_inner())
    }

    /// Starts over.
    pub(super) fn rewind(&mut self) -> Result<(), String> {
        self.reader.rewind().map_err(|error| failed("read", self.path, &error))
    }

    /// Skips this many lines, or as many as there are, and tells how many that were. A last line needs no line break to be one.
    pub(super) fn skip_up_to(&mut self, most: u64) -> Result<u64, String> {
        let mut skipped = 0;
        let mut is_within_a_line = false;
        while skipped < most {
            let block = self.peek()?;
            if block.is_empty() {
                return Ok(skipped + u64::from(is_within_a_line));
            }
            let wanted = most - skipped;
            let breaks = (memchr_iter(b'\n', block).count() as u64).min(wanted);
            let used = if breaks == wanted { end_of_line(block, wanted) } else { block.len() };
            is_within_a_line = block[used - 1] != b'\n';
            skipped += breaks;
            self.reader.consume(used);
        }
        Ok(skipped)
    }

    /// The next line, of which at most `keep` bytes are kept; `None` at the end of the file.
    pub(super) fn next(&mut self, keep: usize) -> Result<Option<Line>, String> {
        let mut line = Line::default();
        let mut last = None;
        loop {
            let block = self.peek()?;
            if block.is_empty() {
                return Ok((line.bytes > 0).then_some(line));
            }
            let end = memchr(b'\n', block);
            let piece = &block[..end.unwrap_or(block.len())];
            let wanted = piece.len().min(keep - line.kept.len());
            line.kept.extend_from_slice(&piece[..wanted]);
            line.bytes += piece.len() as u64;
            last = piece.last().copied().or(last);
            let used = piece.len() + usize::from(end.is_some());
            self.reader.consume(used);
            if end.is_some() {
                line.close(last);
                return Ok(Some(line));
            }
        }
    }
}

impl Line {
    /// Takes the CR of a CRLF for a part of the line break.
    fn close(&mut self, last: Option<u8>) {
        self.crlf = last == Some(b'\r');
        self.bytes -= u64::from(self.crlf);
        self.kept.truncate(usize::try_from(self.bytes).unwrap_or(usize::MAX));
    }
}

/// Where the line after this many line breaks begins.
fn end_of_line(block: &[u8], breaks: u64) -> usize {
    let nth = usize::try_from(breaks).unwrap_or(usize::MAX).saturating_sub(1);
    memchr_iter(b'\n', block).nth(nth).map_or(block.len(), |at| at + 1)
}
