//! Decoding of event streams: bytes in, events out.
//!
//! Follows the HTML standard's `text/event-stream` but for two things: what stands at the end without a blank line counts, because
//! gateways leave it out, and there is a limit on what is held.

use std::borrow::Cow;

use memchr::memchr2;

#[cfg(test)]
mod tests;

/// How many bytes one event, or one line of it, may have.
pub(crate) const LIMIT: usize = 8 << 20;

/// One event.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Event<'a> {
    /// What `event:` said; empty where it said nothing.
    pub(crate) name: Cow<'a, str>,
    /// Its data, lines joined by newlines; never empty.
    pub(crate) data: Cow<'a, str>,
}

/// An event that is larger than [`LIMIT`].
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct TooLarge;

/// Makes events of the bytes of a stream, however they are cut.
#[derive(Debug, Default)]
pub(crate) struct Decoder {
    /// The begun line, when its end has not come yet.
    line: Vec<u8>,
    name: Vec<u8>,
    /// The data lines of the begun event, each with a newline behind it.
    data: Vec<u8>,
    /// The last line ended in CR: a LF that follows belongs to it.
    after_cr: bool,
    /// The first line is over, and with it the place where a byte-order mark may stand.
    begun: bool,
    /// What was seen so far that is no line of an event stream.
    strange_lines: bool,
    known_lines: bool,
}

impl Decoder {
    /// Takes the next bytes.
    pub(crate) fn push(&mut self, mut bytes: &[u8], on_event: &mut impl FnMut(Event<'_>)) -> Result<(), TooLarge> {
        if self.after_cr && !bytes.is_empty() {
            self.after_cr = false;
            bytes = bytes.strip_prefix(b"\n").unwrap_or(bytes);
        }
        while let Some(end) = memchr2(b'\n', b'\r', bytes) {
            if self.line.is_empty() {
                self.end_line(&bytes[..end], on_event)?;
            } else {
                let mut line = std::mem::take(&mut self.line);
                line.extend_from_slice(&bytes[..end]);
                self.end_line(&line, on_event)?;
                line.clear();
                self.line = line;
            }
            bytes = self.after_line_end(&bytes[end..]);
        }
        self.line.extend_from_slice(bytes);
        self.check_size(0)
    }

    /// Takes the end of the stream: what was begun is complete now.
    pub(crate) fn finish(mut self, on_event: &mut impl FnMut(Event<'_>)) -> Ending {
        let line = std::mem::take(&mut self.line);
        let cut = !line.is_empty() && FIELDS.iter().any(|field| field.starts_with(&line));
        if !line.is_empty() {
            // It cannot be too large: `push` has refused it then.
            let _ = self.end_line(&line, on_event);
        }
        self.dispatch(on_event);
        if self.strange_lines && !self.known_lines && !cut { Ending::NotAStream } else { Ending::Stream }
    }

    /// Steps over the line end that `bytes` begin with.
    fn after_line_end<'a>(&mut self, bytes: &'a [u8]) -> &'a [u8] {
        match bytes {
            [b'\r', b'\n', rest @ ..] => rest,
            [b'\r'] => {
                self.after_cr = true;
                &[]
            }
            [_, rest @ ..] => rest,
            [] => &[],
        }
    }

    fn end_line(&mut self, mut line: &[u8], on_event: &mut impl FnMut(Event<'_>)) -> Result<(), TooLarge> {
        self.check_size(line.len())?;
        if !self.begun {
            self.begun = true;
            line = line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line);
        }
        if line.is_empty() {
            self.dispatch(on_event);
            return Ok(());
        }
        let (field, value) = split_field(line);
        match field {
            b"data" => {
                self.data.extend_from_slice(value);
                self.data.push(b'\n');
            }
            b"event" => {
                self.name.clear();
                self.name.extend_from_slice(value);
            }
            _ => {}
        }
        if is_known_field(field) {
            self.known_lines = true;
        } else {
            self.strange_lines = true;
        }
        Ok(())
    }

    fn dispatch(&mut self, on_event: &mut impl FnMut(Event<'_>)) {
        let data = self.data.strip_suffix(b"\n").unwrap_or(&self.data);
        if !data.is_empty() {
            on_event(Event { name: text(&self.name), data: text(data) });
        }
        self.name.clear();
        self.data.clear();
    }

    fn check_size(&self, more: usize) -> Result<(), TooLarge> {
        let held = self.line.len() + self.name.len() + self.data.len() + more;
        if held > LIMIT { Err(TooLarge) } else { Ok(()) }
    }
}

/// Decodes UTF-8. The quick check comes first: nearly all there is passes it.
fn text(bytes: &[u8]) -> Cow<'_, str> {
    std::str::from_utf8(bytes).map_or_else(|_| String::from_utf8_lossy(bytes), Cow::Borrowed)
}

/// What a stream turned out to be when it ended.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    /// An event stream, or nothing at all.
    Stream,
    /// Text without a single line of an event stream.
    NotAStream,
}

const FIELDS: [&[u8]; 4] = [b"data", b"event", b"id", b"retry"];

/// The field's name (empty for a comment) and its value without the one space that may lead it.
fn split_field(line: &[u8]) -> (&[u8], &[u8]) {
    let Some(colon) = memchr::memchr(b':', line) else { return (line, b"") };
    let value = &line[colon + 1..];
    (&line[..colon], value.strip_prefix(b" ").unwrap_or(value))
}

/// Whether a field is one of an event stream; a comment's name is empty.
fn is_known_field(field: &[u8]) -> bool {
    field.is_empty() || FIELDS.contains(&field)
}
