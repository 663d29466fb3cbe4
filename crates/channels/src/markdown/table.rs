//! Tables, laid out in columns once all their rows are there.

use super::inline;
use super::style::Style;
use super::wrap::{Glyph, width_of};

/// A table of more rows than this is not held any longer.
const MOST_ROWS: usize = 200;

type Cell = Vec<Glyph>;

/// Rows that are held because they are or may become a table.
#[derive(Debug, Default)]
pub(super) struct Table {
    pub(super) rows: Vec<String>,
    /// Rows of the terminal to move down before it.
    pub(super) breaks: usize,
    /// In how many quotes it stands.
    pub(super) quotes: usize,
}

impl Table {
    /// Whether a row may follow those that are held.
    pub(super) fn may_go_on(&self, row: &str) -> bool {
        match self.rows.len() {
            0 => true,
            1 => is_delimiter(row),
            rows => rows < MOST_ROWS,
        }
    }

    /// Its lines, in columns where they fit into `width`, else as they were written.
    pub(super) fn lines(&self, width: usize) -> Vec<Cell> {
        let is_table = self.rows.len() >= 2;
        if let Some(lines) = is_table.then(|| lay_out(&self.rows, width)).flatten() {
            return lines;
        }
        let shown = self.rows.iter().enumerate().filter(|(number, _)| !(is_table && *number == 1));
        shown
            .map(
                |(_, row)| {
                    if is_table {
                        rendered(row, Style::PLAIN).join(&separator()[..])
                    } else {
                        glyphs(row, Style::PLAIN)
                    }
                },
            )
            .collect()
    }
}

#[derive(Clone, Copy)]
enum Side {
    Left,
    Middle,
    Right,
}

/// Whether a line can only be the second row of a table.
fn is_delimiter(line: &str) -> bool {
    let is_delimiter_cell =
        |cell: &str| !cell.is_empty() && cell.contains('-') && cell.chars().all(|char| matches!(char, '-' | ':'));
    let cells = cells(line);
    !cells.is_empty() && cells.iter().all(|cell| is_delimiter_cell(cell.trim()))
}

/// Lays a table out: a header, its delimiter and rows. `None` where it is wider than `width`.
fn lay_out(rows: &[String], width: usize) -> Option<Vec<Cell>> {
    let sides: Vec<Side> = cells(rows.get(1)?).iter().map(|cell| side(cell.trim())).collect();
    let header = rendered(&rows[0], Style::BOLD);
    let body: Vec<Vec<Cell>> = rows[2..].iter().map(|row| rendered(row, Style::PLAIN)).collect();
    let columns = body.iter().map(Vec::len).max().unwrap_or_default().max(header.len());
    let widths: Vec<usize> = (0..columns).map(|column| column_width(&header, &body, column)).collect();
    if widths.iter().sum::<usize>() + 3 * columns.saturating_sub(1) > width {
        return None;
    }
    let mut lines = vec![line(&header, &widths, &sides), rule(&widths)];
    lines.extend(body.iter().map(|row| line(row, &widths, &sides)));
    Some(lines)
}

fn glyphs(text: &str, style: Style) -> Cell {
    let mut glyphs = Vec::new();
    inline::render(text, style, &mut glyphs);
    glyphs
}

fn rendered(row: &str, style: Style) -> Vec<Cell> {
    cells(row).iter().map(|cell| glyphs(cell.trim(), style)).collect()
}

/// Parts a row at its bars; one behind a backslash or in code belongs to a cell.
fn cells(row: &str) -> Vec<String> {
    let row = row.trim();
    let row = row.strip_prefix('|').unwrap_or(row);
    let (mut cells, mut cell, mut is_code, mut is_escaped) = (Vec::new(), String::new(), false, false);
    for char in row.chars() {
        if char == '|' && is_escaped {
            cell.pop();
            cell.push('|');
        } else if char == '|' && !is_code {
            cells.push(std::mem::take(&mut cell));
        } else {
            cell.push(char);
        }
        is_code ^= char == '`' && !is_escaped;
        is_escaped = char == '\\' && !is_escaped;
    }
    if !cell.trim().is_empty() {
        cells.push(cell);
    }
    cells
}

fn side(delimiter: &str) -> Side {
    match (delimiter.starts_with(':'), delimiter.ends_with(':')) {
        (true, true) => Side::Middle,
        (false, true) => Side::Right,
        _ => Side::Left,
    }
}

fn cell_width(cell: &[Glyph]) -> usize {
    cell.iter().map(|(char, _)| width_of(*char)).sum()
}

fn column_width(header: &[Cell], body: &[Vec<Cell>], column: usize) -> usize {
    let widths = body.iter().map(Vec::as_slice).chain([header]).filter_map(|row| row.get(column));
    widths.map(|cell| cell_width(cell)).max().unwrap_or_default()
}

fn line(row: &[Cell], widths: &[usize], sides: &[Side]) -> Cell {
    let mut glyphs = Vec::new();
    for (column, width) in widths.iter().enumerate() {
        if column > 0 {
            glyphs.extend(separator());
        }
        let cell = row.get(column).map(Vec::as_slice).unwrap_or_default();
        let free = width - cell_width(cell);
        let left = match sides.get(column) {
            Some(Side::Right) => free,
            Some(Side::Middle) => free / 2,
            _ => 0,
        };
        glyphs.extend(spaces(left));
        glyphs.extend(cell);
        glyphs.extend(spaces(free - left));
    }
    while glyphs.last().is_some_and(|(char, _)| *char == ' ') {
        glyphs.pop();
    }
    glyphs
}

fn rule(widths: &[usize]) -> Cell {
    let columns: Vec<String> = widths.iter().map(|width| "─".repeat(*width)).collect();
    columns.join("─┼─").chars().map(|char| (char, Style::DIM)).collect()
}

fn separator() -> [Glyph; 3] {
    [(' ', Style::PLAIN), ('│', Style::DIM), (' ', Style::PLAIN)]
}

fn spaces(count: usize) -> impl Iterator<Item = Glyph> {
    std::iter::repeat_n((' ', Style::PLAIN), count)
}
