//! A terminal that knows as much as the renderer uses.

/// Rows of characters and a cursor. Looks are passed over.
#[derive(Default)]
struct Screen {
    rows: Vec<Vec<char>>,
    row: usize,
    column: usize,
    saved: (usize, usize),
}

/// What a person sees of this text on a terminal of 40 columns: its rows, without the empty ones at the end.
pub(super) fn seen(written: &str) -> Vec<String> {
    let mut screen = Screen::default();
    let mut chars = written.chars();
    while let Some(char) = chars.next() {
        match char {
            '\n' => (screen.row, screen.column) = (screen.row + 1, 0),
            '\r' => screen.column = 0,
            '\x1b' => screen.escape(&mut chars),
            char => screen.put(char),
        }
    }
    let mut rows: Vec<String> =
        screen.rows.iter().map(|row| row.iter().collect::<String>().trim_end().into()).collect();
    while rows.last().is_some_and(String::is_empty) {
        rows.pop();
    }
    rows
}

impl Screen {
    fn put(&mut self, char: char) {
        let (row, column) = (self.row, self.column);
        self.rows.resize_with(self.rows.len().max(row + 1), Vec::new);
        let row = &mut self.rows[row];
        row.resize(row.len().max(column + 1), ' ');
        row[column] = char;
        self.column += 1;
        assert!(self.column <= 40, "a row is wider than the terminal");
    }

    fn escape(&mut self, chars: &mut std::str::Chars<'_>) {
        match chars.next() {
            Some('7') => return self.saved = (self.row, self.column),
            Some('8') => return (self.row, self.column) = self.saved,
            Some('[') => {}
            other => panic!("not known: {other:?}"),
        }
        let mut count = String::new();
        let control = chars.by_ref().find(|char| {
            count.push(*char);
            char.is_ascii_alphabetic()
        });
        count.pop();
        let count: usize = count.parse().unwrap_or(1);
        match control {
            Some('A') => self.row = self.row.checked_sub(count).expect("the cursor stays on the screen"),
            Some('B') => self.row += count,
            Some('J') => {
                self.clear_row();
                self.rows.truncate(self.row + 1);
            }
            Some('K') => self.clear_row(),
            Some('m') => {}
            other => panic!("not known: {other:?}"),
        }
    }

    fn clear_row(&mut self) {
        if let Some(row) = self.rows.get_mut(self.row) {
            row.truncate(self.column);
        }
    }
}
