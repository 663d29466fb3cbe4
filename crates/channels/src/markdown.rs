//! Markdown for a terminal, written as it comes.
//!
//! What is written is only ever added to. Where a character may mean one thing or another it is held until that is decided: a mark
//! until its partner comes or the line ends, a word until it is whole, a table until its last row.
//!
//! Layout, in the order in which a character passes: `block` (what a line is), `inline` (emphasis, code, links), `table`, `wrap`
//! (rows of the terminal), `style` (looks).

mod block;
mod inline;
pub(crate) mod style;
mod table;
#[cfg(test)]
mod tests;
mod wrap;

pub(crate) use wrap::{width_of, width_of_text};

use block::{CodeLine, Fence, Start};
use inline::Inline;
use style::Style;
use table::Table;
use wrap::{Glyph, Wrap};

/// A horizontal rule is no wider than this.
const RULE_WIDTH: usize = 40;

/// One text of Markdown on its way to a terminal.
#[derive(Debug)]
pub(crate) struct MarkdownStream {
    wrap: Wrap,
    width: usize,
    state: State,
    /// What has come of the present line and is not decided yet.
    held: String,
    /// Rows to move down before the next visible thing; those at the end of a text are never written.
    breaks: usize,
    has_written: bool,
    quotes: usize,
    fence: Option<Fence>,
    table: Table,
    is_in_list: bool,
    was_blank: bool,
}

/// What becomes of the next character.
#[derive(Debug)]
enum State {
    /// It may decide what the line is.
    LineStart,
    /// It is running text.
    Running(Inline),
    /// It is code.
    Code,
    /// The line is needed whole.
    Row,
}

impl MarkdownStream {
    /// A text that will be shown in so many columns.
    pub(crate) fn new(width: usize) -> Self {
        Self {
            wrap: Wrap::new(width),
            width,
            state: State::LineStart,
            held: String::new(),
            breaks: 0,
            has_written: false,
            quotes: 0,
            fence: None,
            table: Table::default(),
            is_in_list: false,
            was_blank: true,
        }
    }

    /// Renders a whole text.
    #[cfg(test)]
    fn render(text: &str, width: usize) -> String {
        let mut stream = Self::new(width);
        stream.push(text) + &stream.finish()
    }

    /// Adds a piece of the text and gives what can be written by now.
    pub(crate) fn push(&mut self, text: &str) -> String {
        text.chars().for_each(|char| self.feed(char));
        self.wrap.take()
    }

    /// Ends the text and gives the rest of it. The cursor is left behind the last character.
    pub(crate) fn finish(&mut self) -> String {
        self.end_line();
        self.flush_table();
        self.wrap.take()
    }

    /// Whether anything visible was written.
    pub(crate) fn has_written(&self) -> bool {
        self.has_written
    }

    /// Whether the row of the cursor has something of the text in it.
    pub(crate) fn is_in_row(&self) -> bool {
        self.wrap.is_in_row()
    }

    /// Takes note of a new width.
    pub(crate) fn set_width(&mut self, width: usize) {
        self.width = width;
        self.wrap.set_width(width);
    }

    /// Takes note that something else was written: the cursor is at the start of a row, and what follows looks plain.
    pub(crate) fn cursor_moved_to_start(&mut self) {
        self.wrap.moved_to_start();
    }

    fn feed(&mut self, char: char) {
        if char == '\n' {
            self.end_line();
            self.breaks += 1;
            return;
        }
        match &mut self.state {
            State::LineStart => {
                self.held.push(char);
                self.decide(false);
            }
            State::Running(inline) => {
                let mut glyphs = Vec::new();
                inline.push(char, &mut glyphs);
                glyphs.into_iter().for_each(|glyph| self.wrap.put(glyph));
            }
            State::Code => self.wrap.put_fixed((char, Style::CODE)),
            State::Row => self.held.push(char),
        }
    }

    fn end_line(&mut self) {
        if matches!(self.state, State::LineStart) {
            self.decide(true);
        }
        match std::mem::replace(&mut self.state, State::LineStart) {
            State::Running(mut inline) => {
                let mut glyphs = Vec::new();
                inline.finish(&mut glyphs);
                glyphs.into_iter().for_each(|glyph| self.wrap.put(glyph));
            }
            State::Row => self.end_row(),
            State::LineStart | State::Code => {}
        }
        self.wrap.end_line();
        self.held.clear();
        self.quotes = 0;
    }

    /// Decides what the present line is, if what is held of it suffices.
    fn decide(&mut self, is_whole: bool) {
        loop {
            if let Some(fence) = self.fence.as_ref().filter(|fence| fence.quotes == self.quotes) {
                let line = fence.classify(&self.held, is_whole);
                return self.decide_code(line);
            }
            match block::classify(&self.held, is_whole) {
                Start::Undecided => return,
                Start::Quote { skip } => {
                    self.skip(skip);
                    self.quotes += 1;
                }
                start => return self.begin(start),
            }
        }
    }

    fn begin(&mut self, start: Start) {
        // A quote that ends takes the code in it along.
        self.fence = None;
        if start != Start::Row {
            self.flush_table();
        }
        let is_blank = start == Start::Blank;
        match start {
            Start::Blank if self.quotes > 0 => self.open(0, ""),
            Start::Blank | Start::Undecided | Start::Quote { .. } => {}
            Start::Row => self.state = State::Row,
            Start::Rule => self.write_rule(),
            Start::Fence(fence) => self.open_fence(fence),
            Start::Heading { level, skip } => {
                let style = if level == 1 { Style::BOLD | Style::UNDERLINE } else { Style::BOLD };
                self.is_in_list = false;
                self.skip(skip);
                self.run(0, "", style);
            }
            Start::Item { indent, marker, skip } => {
                self.is_in_list = true;
                self.skip(skip);
                self.run(indent, &marker, Style::PLAIN);
            }
            Start::Text { indent, skip } => self.begin_text(indent, skip),
        }
        self.was_blank = is_blank;
    }

    fn write_rule(&mut self) {
        self.open(0, "");
        let rule = "─".repeat(self.width.min(RULE_WIDTH));
        rule.chars().for_each(|char| self.wrap.put_fixed((char, Style::DIM)));
        self.state = State::Code;
        self.held.clear();
        self.is_in_list = false;
    }

    fn begin_text(&mut self, indent: usize, skip: usize) {
        if indent == 0 && self.was_blank {
            self.is_in_list = false;
        }
        if indent >= 4 && self.was_blank && !self.is_in_list {
            self.open(indent, "");
            self.skip(skip);
            return self.write_code();
        }
        self.skip(skip);
        self.run(indent, "", Style::PLAIN);
    }

    fn decide_code(&mut self, line: CodeLine) {
        match line {
            CodeLine::Undecided => {}
            CodeLine::Closing => {
                self.fence = None;
                self.breaks = self.breaks.saturating_sub(1);
                self.held.clear();
                self.was_blank = false;
                self.state = State::Code;
            }
            CodeLine::Code { skip } if self.held.len() > skip => {
                let indent = self.fence.as_ref().map_or(0, |fence| fence.indent);
                self.skip(skip);
                self.open(indent + 2, "");
                self.write_code();
            }
            CodeLine::Code { .. } => {}
        }
    }

    fn open_fence(&mut self, fence: Fence) {
        self.held.clear();
        self.state = State::Code;
        if fence.language.is_empty() {
            // The line is not shown, so its end does not count.
            self.breaks = self.breaks.saturating_sub(usize::from(self.has_written));
        } else {
            self.open(fence.indent + 2, "");
            fence.language.chars().for_each(|char| self.wrap.put_fixed((char, Style::DIM)));
        }
        self.fence = Some(Fence { quotes: self.quotes, ..fence });
    }

    /// Writes what is held as code; the rest of the line follows it.
    fn write_code(&mut self) {
        for char in std::mem::take(&mut self.held).chars() {
            self.wrap.put_fixed((char, Style::CODE));
        }
        self.state = State::Code;
    }

    /// Begins running text with what is held.
    fn run(&mut self, indent: usize, marker: &str, style: Style) {
        self.open(indent, marker);
        self.state = State::Running(Inline::new(style));
        for char in std::mem::take(&mut self.held).chars() {
            self.feed(char);
        }
    }

    /// Moves to where the line begins and writes what stands in front of it.
    fn open(&mut self, indent: usize, marker: &str) {
        if self.has_written {
            let most = if self.fence.is_some() { self.breaks } else { 2 };
            (0..self.breaks.min(most)).for_each(|_| self.wrap.break_row());
        }
        self.breaks = 0;
        self.has_written = true;
        let indent = indent.min(self.width / 2);
        let quotes = "│ ".repeat(self.quotes);
        let mut first: Vec<Glyph> = quotes.chars().map(|char| (char, Style::DIM)).collect();
        let mut hang = first.clone();
        first.extend(" ".repeat(indent).chars().chain(marker.chars()).map(|char| (char, Style::PLAIN)));
        hang.extend(" ".repeat(indent + width_of_text(marker)).chars().map(|char| (char, Style::PLAIN)));
        self.wrap.start_line(&first, hang);
    }

    fn skip(&mut self, bytes: usize) {
        self.held.drain(..bytes.min(self.held.len()));
    }

    fn end_row(&mut self) {
        let row = std::mem::take(&mut self.held);
        if !self.table.may_go_on(&row) {
            self.flush_table();
        }
        if self.table.rows.is_empty() {
            self.table.breaks = self.breaks;
            self.table.quotes = self.quotes;
        }
        self.table.rows.push(row);
        self.breaks = 0;
    }

    fn flush_table(&mut self) {
        let table = std::mem::take(&mut self.table);
        if table.rows.is_empty() {
            return;
        }
        let breaks = std::mem::replace(&mut self.breaks, table.breaks);
        let quotes = std::mem::replace(&mut self.quotes, table.quotes);
        for line in table.lines(self.width.saturating_sub(2 * table.quotes)) {
            self.open(0, "");
            line.into_iter().for_each(|glyph| self.wrap.put(glyph));
            self.wrap.end_line();
            self.breaks = 1;
        }
        self.breaks = breaks;
        self.quotes = quotes;
    }
}
