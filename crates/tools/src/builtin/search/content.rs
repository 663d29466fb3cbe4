//! Searching what is in files.

use std::fs::File;
use std::io::{self, Read};

use grep_matcher::Matcher;
use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use grep_searcher::{BinaryDetection, Searcher, SearcherBuilder, Sink, SinkMatch};

use super::below::Below;
use super::outcome::Outcome;
use super::{Arguments, Clock, Output};
use crate::text::{clip, count};

/// The longest line that is searched, in bytes.
const LONGEST_LINE: usize = 8 * 1024 * 1024;

/// Letters of a line that are shown.
const WIDEST: usize = 500;

/// Bytes of a line that are shown before what matches, where that is far in.
const BEFORE: usize = 100;

/// Searches all files, as long as there is room and time.
pub(super) fn search(arguments: &Arguments, below: &Below, clock: &Clock, outcome: &mut Outcome) -> Result<(), String> {
    let mut builder = RegexMatcherBuilder::new();
    builder.case_insensitive(arguments.ignore_case == Some(true)).line_terminator(Some(b'\n'));
    let matcher = builder.build(&arguments.pattern).map_err(|error| {
        format!("`pattern` is no regular expression that search takes: {error}. Put a backslash before ( ) [ ] {{ }} . * + ? ^ $ | to mean them")
    })?;
    let mut searcher = SearcherBuilder::new()
        .binary_detection(BinaryDetection::quit(0))
        .heap_limit(Some(LONGEST_LINE))
        .line_number(true)
        .build();
    let output = arguments.output.unwrap_or_default();
    for entry in below.walk() {
        if !clock.goes_on()? {
            outcome.is_late = true;
            break;
        }
        if !entry.file_type().is_some_and(|kind| kind.is_file()) {
            continue;
        }
        let Some(file) = below.open(entry.path()) else { continue };
        let name = below.called(entry.path());
        let mut found =
            Matches { name: &name, matcher: &matcher, output, outcome, count: 0, is_binary: false, lines: Vec::new() };
        let searched = searcher.search_reader(&matcher, Watched { file, clock }, &mut found);
        let has_room = found.finish();
        if searched.is_err() {
            // Where it was the token or the clock, the next look at them says so.
            outcome.unreadable += 1;
        }
        if !has_room {
            break;
        }
    }
    crate::blocking::go_on(clock.context)
}

/// The matches of a file.
struct Matches<'a> {
    name: &'a str,
    matcher: &'a RegexMatcher,
    output: Output,
    outcome: &'a mut Outcome,
    count: u64,
    is_binary: bool,
    lines: Vec<String>,
}

impl Sink for Matches<'_> {
    type Error = io::Error;

    fn matched(&mut self, _: &Searcher, found: &SinkMatch<'_>) -> io::Result<bool> {
        self.count += 1;
        Ok(match self.output {
            Output::Content => {
                let line = shown(found.bytes(), self.matcher);
                self.lines.push(format!("{}:{}:{line}", self.name, found.line_number().unwrap_or(0)));
                self.lines.len() <= self.outcome.most()
            }
            Output::Files => false,
            Output::Count => true,
        })
    }

    fn binary_data(&mut self, _: &Searcher, _: u64) -> io::Result<bool> {
        self.is_binary = true;
        Ok(false)
    }
}

impl Matches<'_> {
    /// Hands over what was found; `false` where there is no room for more.
    fn finish(self) -> bool {
        // What came before the first NUL is no line of a text either.
        if self.is_binary || self.count == 0 {
            return true;
        }
        match self.output {
            Output::Content => self.lines.into_iter().all(|line| self.outcome.add(line)),
            Output::Files => self.outcome.add(self.name.to_owned()),
            Output::Count => self.outcome.add(format!("{}: {}", self.name, count(self.count, "line", "lines"))),
        }
    }
}

/// A line, or the part of it around what matches.
fn shown(line: &[u8], matcher: &RegexMatcher) -> String {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    let start = matcher.find(line).ok().flatten().map_or(0, |found| found.start());
    let from = if start + BEFORE > WIDEST { start.saturating_sub(BEFORE) } else { 0 };
    let to = line.len().min(from + WIDEST * 4);
    let text = String::from_utf8_lossy(&line[from..to]);
    let mark = if from > 0 { "…" } else { "" };
    format!("{mark}{}", clip(&text, WIDEST))
}

/// A file that ends early when nobody waits for what is in it.
struct Watched<'a> {
    file: File,
    clock: &'a Clock<'a>,
}

impl Read for Watched<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self.clock.goes_on() {
            Ok(true) => self.file.read(buffer),
            _ => Err(io::Error::other("nobody waits any more")),
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio::time::{Duration, Instant};

    use super::*;
    use crate::ToolContext;

    /// What reading gives of a file, block by block, where the call is cancelled after the first one.
    #[test]
    fn a_giant_file_is_left_between_two_blocks() {
        let context = ToolContext::in_folder("/");
        let clock = Clock { deadline: Instant::now() + Duration::from_secs(3_600), context: &context };
        let mut file = Watched { file: File::open("/dev/zero").unwrap(), clock: &clock };

        let first = file.read(&mut [0; 8]);
        context.cancelled.cancel();
        let second = file.read(&mut [0; 8]);

        assert!(first.is_ok_and(|bytes| bytes == 8) && second.is_err());
    }

    #[test]
    fn a_file_is_left_when_the_time_is_up() {
        let context = ToolContext::in_folder("/");
        let clock = Clock { deadline: Instant::now(), context: &context };

        assert!(Watched { file: File::open("/dev/zero").unwrap(), clock: &clock }.read(&mut [0; 8]).is_err());
    }
}
