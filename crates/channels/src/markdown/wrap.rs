//! Rows of a terminal: words are broken at its width, wide characters where their script allows it.

use unicode_width::UnicodeWidthChar;

use super::style::Style;

/// A character and its look.
pub(super) type Glyph = (char, Style);

/// Writes glyphs in rows. A word is held until it is whole, so what is written depends on the glyphs alone, never on when they came.
#[derive(Debug)]
pub(super) struct Wrap {
    width: usize,
    out: String,
    style: Style,
    column: usize,
    hang: Vec<Glyph>,
    spaces: Vec<Style>,
    word: Vec<Glyph>,
    word_width: usize,
    /// A word longer than a row is being written through; the terminal breaks it, so that a link stays one piece.
    is_long_word: bool,
}

impl Wrap {
    pub(super) fn new(width: usize) -> Self {
        Self {
            width,
            out: String::new(),
            style: Style::PLAIN,
            column: 0,
            hang: Vec::new(),
            spaces: Vec::new(),
            word: Vec::new(),
            word_width: 0,
            is_long_word: false,
        }
    }

    pub(super) fn set_width(&mut self, width: usize) {
        self.width = width;
    }

    pub(super) fn take(&mut self) -> String {
        std::mem::take(&mut self.out)
    }

    /// Begins a line of the text: `first` stands in front of it, `hang` in front of the rows that it is broken into.
    pub(super) fn start_line(&mut self, first: &[Glyph], hang: Vec<Glyph>) {
        first.iter().for_each(|glyph| self.write(*glyph));
        self.hang = hang;
    }

    /// Adds a glyph of running text.
    pub(super) fn put(&mut self, glyph: Glyph) {
        let (char, style) = glyph;
        if char == ' ' || char == '\t' {
            self.flush_word();
            self.is_long_word = false;
            self.spaces.push(style);
            return;
        }
        if self.is_long_word {
            return self.write(glyph);
        }
        if self.word.last().is_some_and(|(last, _)| may_break(*last, char)) {
            self.flush_word();
        }
        self.word.push(glyph);
        self.word_width += width_of(char);
        if self.word_width >= self.room() {
            self.flush_word();
            self.is_long_word = true;
        }
    }

    /// Adds a glyph that is never moved to another row.
    pub(super) fn put_fixed(&mut self, glyph: Glyph) {
        self.write(glyph);
    }

    /// Ends the line of the text; the next one begins after [`Wrap::break_row`].
    pub(super) fn end_line(&mut self) {
        self.flush_word();
        self.is_long_word = false;
        self.spaces.clear();
        self.hang.clear();
        self.set_style(Style::PLAIN);
    }

    /// Moves to the next row.
    pub(super) fn break_row(&mut self) {
        self.set_style(Style::PLAIN);
        self.out.push('\n');
        self.column = 0;
    }

    pub(super) fn is_in_row(&self) -> bool {
        self.column > 0
    }

    /// Takes note that something else was written: the cursor is at the start of a row, and what follows looks plain.
    pub(super) fn moved_to_start(&mut self) {
        self.column = 0;
        self.style = Style::PLAIN;
        self.spaces.clear();
    }

    fn room(&self) -> usize {
        let hang: usize = self.hang.iter().map(|(char, _)| width_of(*char)).sum();
        self.width.saturating_sub(hang).max(1)
    }

    fn flush_word(&mut self) {
        if self.word.is_empty() {
            return;
        }
        let starts_row = self.column + self.room() <= self.width;
        if !starts_row && self.column + self.spaces.len() + self.word_width > self.width {
            self.spaces.clear();
            self.break_row();
            let hang = self.hang.clone();
            hang.into_iter().for_each(|glyph| self.write(glyph));
        }
        for style in std::mem::take(&mut self.spaces) {
            self.write((' ', style));
        }
        for glyph in std::mem::take(&mut self.word) {
            self.write(glyph);
        }
        self.word_width = 0;
    }

    fn write(&mut self, (char, style): Glyph) {
        self.set_style(style);
        self.out.push(char);
        let column = self.column + width_of(char);
        // The terminal itself goes on in the next row.
        self.column = if column > self.width { width_of(char) } else { column };
    }

    fn set_style(&mut self, style: Style) {
        if self.style != style {
            self.out.push_str(&style.sequence());
            self.style = style;
        }
    }
}

/// How many columns a character takes.
pub(crate) fn width_of(char: char) -> usize {
    char.width().unwrap_or(0)
}

/// How many columns a text takes.
pub(crate) fn width_of_text(text: &str) -> usize {
    text.chars().map(width_of).sum()
}

/// Whether a row may end between two characters that no space parts: beside wide ones, but not inside an emoji, nor so that a row
/// begins with closing punctuation or ends with opening punctuation.
fn may_break(left: char, right: char) -> bool {
    const CLOSING: &str = "、。，．：；？！）】》」』〉］｝〕”’…—)]}>,.:;?!%°\"'";
    const OPENING: &str = "（【《「『〈［｛〔“‘([{<\"'";
    const JOINER: char = '\u{200d}';
    let is_skin_tone = ('\u{1f3fb}'..='\u{1f3ff}').contains(&right);
    if width_of(right) == 0 || left == JOINER || is_skin_tone || CLOSING.contains(right) || OPENING.contains(left) {
        return false;
    }
    width_of(left) > 1 || width_of(right) > 1
}
