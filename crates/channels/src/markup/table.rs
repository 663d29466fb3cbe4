//! Tables as aligned text.

use pulldown_cmark::Alignment;
use unicode_width::UnicodeWidthStr;

/// A column is padded to no more than this; one very long cell must not blow up all others.
const WIDEST_PADDING: usize = 40;

/// A table as it is read.
#[derive(Debug, Default)]
pub(super) struct Table {
    alignments: Vec<Alignment>,
    rows: Vec<Vec<String>>,
}

impl Table {
    pub(super) fn new(alignments: Vec<Alignment>) -> Self {
        Self { alignments, rows: Vec::new() }
    }

    pub(super) fn begin_row(&mut self) {
        self.rows.push(Vec::new());
    }

    pub(super) fn begin_cell(&mut self) {
        if let Some(row) = self.rows.last_mut() {
            row.push(String::new());
        }
    }

    /// Adds to the cell that was begun last. A cell is one line.
    pub(super) fn add(&mut self, text: &str) {
        if let Some(cell) = self.rows.last_mut().and_then(|row| row.last_mut()) {
            cell.extend(text.chars().map(|char| if char == '\n' { ' ' } else { char }));
        }
    }

    /// The rows below each other, the head apart from the body.
    pub(super) fn text(&self) -> String {
        let widths = self.widths();
        let mut lines: Vec<String> = self.rows.iter().map(|row| self.line(row, &widths)).collect();
        if lines.len() > 1 {
            let rule: Vec<String> = widths.iter().map(|width| "─".repeat(*width)).collect();
            lines.insert(1, rule.join("─┼─"));
        }
        lines.join("\n")
    }

    fn widths(&self) -> Vec<usize> {
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or_default();
        let width = |column: usize| {
            let cells = self.rows.iter().filter_map(|row| row.get(column));
            cells.map(|cell| cell.width()).max().unwrap_or_default().min(WIDEST_PADDING)
        };
        (0..columns).map(width).collect()
    }

    fn line(&self, row: &[String], widths: &[usize]) -> String {
        let cells = widths.iter().enumerate().map(|(column, width)| {
            let cell = row.get(column).map_or("", String::as_str);
            let room = width.saturating_sub(cell.width());
            let left = match self.alignments.get(column) {
                Some(Alignment::Right) => room,
                Some(Alignment::Center) => room / 2,
                _ => 0,
            };
            format!("{}{cell}{}", " ".repeat(left), " ".repeat(room - left))
        });
        cells.collect::<Vec<_>>().join(" │ ").trim_end().to_owned()
    }
}
