//! An answer while it is being written.

use crate::markdown::MarkdownStream;
use crate::markdown::style::Style;
use crate::terminal::neutral::neutral;

/// A text on its way to a terminal: shown as what its marks mean, or, where a terminal has no looks, with its marks.
#[derive(Debug)]
pub(super) enum Body {
    Styled(Box<MarkdownStream>),
    AsWritten { line_ends: usize, has_written: bool, is_in_row: bool },
}

impl Body {
    pub(super) fn new(is_styled: bool, width: usize) -> Self {
        if is_styled {
            Self::Styled(Box::new(MarkdownStream::new(width)))
        } else {
            Self::AsWritten { line_ends: 0, has_written: false, is_in_row: false }
        }
    }

    /// Adds a piece, and writes what can be written of it.
    pub(super) fn push(&mut self, text: &str, width: usize, out: &mut String) {
        let text = neutral(text);
        match self {
            Self::Styled(stream) => {
                stream.set_width(width);
                out.push_str(&stream.push(&text));
            }
            Self::AsWritten { line_ends, has_written, is_in_row } => {
                for char in text.chars() {
                    if char == '\n' {
                        *line_ends += 1;
                        continue;
                    }
                    let line_ends = std::mem::take(line_ends);
                    if std::mem::replace(has_written, true) {
                        out.extend(std::iter::repeat_n('\n', line_ends));
                    }
                    out.push(char);
                    *is_in_row = true;
                }
            }
        }
    }

    /// Writes the rest, and ends the row if there is one.
    pub(super) fn finish(self, out: &mut String) {
        let has_written = match self {
            Self::Styled(mut stream) => {
                out.push_str(&stream.finish());
                stream.has_written()
            }
            Self::AsWritten { has_written, .. } => has_written,
        };
        if has_written {
            out.push('\n');
        }
    }

    /// Ends the row, so that something else can be written before the text goes on.
    pub(super) fn interrupt(&mut self, out: &mut String) {
        let is_in_row = match self {
            Self::Styled(stream) => stream.is_in_row(),
            Self::AsWritten { is_in_row, .. } => *is_in_row,
        };
        if let Self::Styled(_) = self {
            out.push_str(&Style::PLAIN.sequence());
        }
        if is_in_row {
            out.push('\n');
        }
        self.cursor_moved_to_start();
    }

    /// Takes note that the cursor has come to the start of a row by something that was written elsewhere.
    pub(super) fn cursor_moved_to_start(&mut self) {
        match self {
            Self::Styled(stream) => stream.cursor_moved_to_start(),
            Self::AsWritten { is_in_row, .. } => *is_in_row = false,
        }
    }
}
