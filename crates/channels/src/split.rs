//! Marked text in parts of a limited size, each of which stands on its own: what is open at a cut is closed and opened anew.

#[cfg(test)]
mod tests;

use unicode_segmentation::UnicodeSegmentation;

use crate::markup::{Mark, Piece};

/// How a chat service writes marked text, and counts it.
pub(crate) trait Dialect {
    /// The size of a text in the service's own unit.
    fn units(&self, text: &str) -> usize;
    /// What begins a mark.
    fn open(&self, mark: &Mark) -> String;
    /// What ends it.
    fn close(&self, mark: &Mark) -> String;
    /// Writes visible text so that nothing in it is taken for a mark.
    fn escape(&self, text: &str, out: &mut String);
}

/// A mark or a character may take this part of a limit; marks are of seven kinds, so all of them leave room for text.
const SHARE: usize = 8;

/// Cuts marked text into parts within the limit; none is blank. A cut is between paragraphs, lines or words where one of these
/// ends in the second half of a part, and never inside a character as people see it, unless that alone is very large.
pub(crate) fn split(pieces: &[Piece], dialect: &impl Dialect, limit: usize) -> Vec<String> {
    let mut rest = Cutter { dialect, limit, atoms: atoms(pieces, dialect, limit), at: 0, open: Vec::new() };
    let mut parts = Vec::new();
    while rest.at < rest.atoms.len() {
        let part = rest.next_part();
        if part.has_text {
            parts.push(part.text);
        }
    }
    parts
}

#[derive(Clone, Copy)]
enum Atom<'a> {
    Open(&'a Mark),
    Close,
    Text(&'a str),
}

fn atoms<'a>(pieces: &'a [Piece], dialect: &impl Dialect, limit: usize) -> Vec<Atom<'a>> {
    let largest = (limit / SHARE).max(1);
    let mut atoms = Vec::new();
    let mut shown = Vec::new();
    for piece in pieces {
        match piece {
            Piece::Open(mark) => {
                let size = dialect.units(&dialect.open(mark)) + dialect.units(&dialect.close(mark));
                shown.push(size <= largest);
                if size <= largest {
                    atoms.push(Atom::Open(mark));
                }
            }
            Piece::Close => atoms.extend((shown.pop() == Some(true)).then_some(Atom::Close)),
            Piece::Text(text) => text.graphemes(true).for_each(|grapheme| {
                if dialect.units(grapheme) <= largest {
                    return atoms.push(Atom::Text(grapheme));
                }
                let chars = grapheme.char_indices().map(|(at, char)| &grapheme[at..at + char.len_utf8()]);
                atoms.extend(chars.map(Atom::Text));
            }),
        }
    }
    atoms
}

struct Cutter<'a, D> {
    dialect: &'a D,
    limit: usize,
    atoms: Vec<Atom<'a>>,
    at: usize,
    /// The marks that are open there.
    open: Vec<&'a Mark>,
}

/// A part as it is being written.
#[derive(Default)]
struct Part {
    text: String,
    units: usize,
    /// What it takes to close what is open.
    closing: usize,
    has_text: bool,
}

/// A place at which a part could end.
struct Cut<'a> {
    at: usize,
    bytes: usize,
    units: usize,
    has_text: bool,
    open: Vec<&'a Mark>,
}

impl<'a, D: Dialect> Cutter<'a, D> {
    fn next_part(&mut self) -> Part {
        let start = self.at;
        let mut part = Part::default();
        for mark in self.open.clone() {
            self.add_open(&mut part, mark);
        }
        // The last end of a paragraph, of a line, of a word.
        let mut cuts: [Option<Cut<'a>>; 3] = [None, None, None];
        while let Some(atom) = self.atoms.get(self.at).copied() {
            // What is too large for a part of its own goes out as it is, rather than never.
            let is_first = self.at == start;
            if !self.add(&mut part, atom, is_first) {
                self.cut(&mut part, cuts);
                break;
            }
            self.at += 1;
            if let Some(rank) = self.rank(atom) {
                let (bytes, units, has_text) = (part.text.len(), part.units, part.has_text);
                cuts[rank] = Some(Cut { at: self.at, bytes, units, has_text, open: self.open.clone() });
            }
        }
        for mark in self.open.iter().rev() {
            part.text += &self.dialect.close(mark);
        }
        part
    }

    /// Adds what fits, or has to.
    fn add(&mut self, part: &mut Part, atom: Atom<'a>, force: bool) -> bool {
        match atom {
            Atom::Close => {
                if let Some(mark) = self.open.pop() {
                    let close = self.dialect.close(mark);
                    part.closing -= self.dialect.units(&close);
                    part.units += self.dialect.units(&close);
                    part.text += &close;
                }
                true
            }
            Atom::Open(mark) => {
                let size = self.dialect.units(&self.dialect.open(mark)) + self.dialect.units(&self.dialect.close(mark));
                if part.units + part.closing + size > self.limit && !force {
                    return false;
                }
                self.add_open(part, mark);
                self.open.push(mark);
                true
            }
            Atom::Text(text) => {
                let before = part.text.len();
                self.dialect.escape(text, &mut part.text);
                let units = self.dialect.units(&part.text[before..]);
                if part.units + part.closing + units > self.limit && !force {
                    part.text.truncate(before);
                    return false;
                }
                part.units += units;
                part.has_text |= !text.trim().is_empty();
                true
            }
        }
    }

    fn add_open(&self, part: &mut Part, mark: &Mark) {
        let open = self.dialect.open(mark);
        part.units += self.dialect.units(&open);
        part.closing += self.dialect.units(&self.dialect.close(mark));
        part.text += &open;
    }

    /// How good it is to cut after this; less is better.
    fn rank(&self, atom: Atom<'_>) -> Option<usize> {
        let Atom::Text(text) = atom else { return None };
        let is_in_code = self.open.iter().any(|mark| matches!(mark, Mark::Block { .. }));
        let follows_break = self.at >= 2 && matches!(self.atoms[self.at - 2], Atom::Text("\n"));
        match text {
            "\n" if follows_break && !is_in_code => Some(0),
            "\n" => Some(1),
            " " => Some(2),
            _ => None,
        }
    }

    /// Goes back to the best place that is not too far back.
    fn cut(&mut self, part: &mut Part, cuts: [Option<Cut<'a>>; 3]) {
        let Some(cut) = cuts.into_iter().flatten().find(|cut| cut.units * 2 >= self.limit) else { return };
        part.text.truncate(cut.bytes);
        part.has_text = cut.has_text;
        self.at = cut.at;
        self.open = cut.open;
    }
}
