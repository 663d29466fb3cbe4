//! Reads lines, no further ahead than it is allowed to.

use std::io::{self, Read};
use std::ops::Range;
use std::sync::mpsc::Receiver;

use crate::terminal::decode::{Line, LineDecoder};

/// What comes from the input.
#[derive(Debug)]
pub(in crate::terminal) enum Reading {
    /// A line.
    Line(Line),
    /// It ended.
    Ended,
    /// It broke.
    Failed(io::Error),
    /// Ctrl-C was typed at an empty prompt.
    Interrupted {
        /// Whether nothing was typed since the last one.
        is_second: bool,
    },
}

/// Reads lines to the end of the input. For each it takes a permit first: where none is left it does not even read.
pub(in crate::terminal) fn read_lines(input: Box<dyn Read + Send>, permits: &Receiver<()>, tell: impl Fn(Reading)) {
    let mut lines = Lines::new(input);
    while permits.recv().is_ok() {
        match lines.next_line() {
            Ok(Some(line)) => tell(Reading::Line(line)),
            Ok(None) => return tell(Reading::Ended),
            Err(error) => return tell(Reading::Failed(error)),
        }
    }
}

struct Lines {
    input: Box<dyn Read + Send>,
    decoder: LineDecoder,
    buffer: Vec<u8>,
    unread: Range<usize>,
}

impl Lines {
    fn new(input: Box<dyn Read + Send>) -> Self {
        Self { input, decoder: LineDecoder::new(), buffer: vec![0; 16 * 1024], unread: 0..0 }
    }

    fn next_line(&mut self) -> io::Result<Option<Line>> {
        loop {
            let (taken, line) = self.decoder.take(&self.buffer[self.unread.clone()]);
            self.unread.start += taken;
            if line.is_some() {
                return Ok(line);
            }
            match self.input.read(&mut self.buffer) {
                Ok(0) => return Ok(self.decoder.finish()),
                Ok(count) => self.unread = 0..count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{channel, sync_channel};

    use super::*;

    fn text(reading: Reading) -> Option<String> {
        match reading {
            Reading::Line(Line::Text { text, .. }) => Some(text),
            _ => None,
        }
    }

    #[test]
    fn it_reads_no_line_without_a_permit() {
        let (allow, permits) = channel();
        let (tell, told) = channel();
        allow.send(()).unwrap();
        allow.send(()).unwrap();
        drop(allow);

        read_lines(Box::new(&b"a\nb\nc\n"[..]), &permits, |reading| tell.send(reading).unwrap());

        drop(tell);
        assert_eq!(told.iter().filter_map(text).collect::<Vec<_>>(), ["a", "b"]);
    }

    #[test]
    fn it_does_not_touch_the_input_while_it_has_a_line() {
        struct Counted(std::sync::mpsc::SyncSender<()>, &'static [u8]);
        impl Read for Counted {
            fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
                self.0.send(()).unwrap();
                self.1.read(buffer)
            }
        }
        let (count, reads) = sync_channel(10);
        let (allow, permits) = channel();
        allow.send(()).unwrap();
        allow.send(()).unwrap();
        drop(allow);

        read_lines(Box::new(Counted(count, b"a\nb\nc")), &permits, |_| {});

        assert_eq!(reads.iter().count(), 1);
    }

    #[test]
    fn the_end_and_a_broken_input_are_told() {
        struct Broken;
        impl Read for Broken {
            fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
                Err(io::Error::other("gone"))
            }
        }
        let (allow, permits) = channel();
        let (tell, told) = channel();
        (0..9).for_each(|_| allow.send(()).unwrap());

        read_lines(Box::new(&b"a"[..]), &permits, |reading| tell.send(reading).unwrap());
        read_lines(Box::new(Broken), &permits, |reading| tell.send(reading).unwrap());

        assert_eq!(text(told.recv().unwrap()).as_deref(), Some("a"));
        assert!(matches!(told.recv().unwrap(), Reading::Ended));
        assert!(matches!(told.recv().unwrap(), Reading::Failed(_)));
    }
}
