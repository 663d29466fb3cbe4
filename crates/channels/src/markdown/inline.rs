//! Emphasis, code and links inside a line, as far as they are known to be what they look like.

use super::style::Style;
use super::wrap::Glyph;

/// Beyond this many bytes an opening mark without its partner is taken for ordinary text.
const HOLD_LIMIT: usize = 2000;

/// The text of one line as it comes, character by character. It is held from a mark that might open something until that is decided.
#[derive(Debug)]
pub(super) struct Inline {
    held: String,
    before: Option<char>,
    base: Style,
    waits_for_partner: bool,
}

impl Inline {
    pub(super) fn new(base: Style) -> Self {
        Self { held: String::new(), before: None, base, waits_for_partner: false }
    }

    /// Adds a character and appends what is decided by it.
    pub(super) fn push(&mut self, char: char, glyphs: &mut Vec<Glyph>) {
        let may_decide = is_mark(char) || self.held.chars().next_back().is_some_and(is_mark);
        self.held.push(char);
        if !self.waits_for_partner || may_decide {
            self.resolve(false, glyphs);
        }
        if self.held.len() > HOLD_LIMIT {
            self.step(true, glyphs);
            self.resolve(false, glyphs);
        }
    }

    /// Appends what is left at the end of the line.
    pub(super) fn finish(&mut self, glyphs: &mut Vec<Glyph>) {
        self.resolve(true, glyphs);
    }

    fn resolve(&mut self, is_end: bool, glyphs: &mut Vec<Glyph>) {
        while !self.held.is_empty() && self.step(is_end, glyphs) {}
        self.waits_for_partner = !self.held.is_empty();
    }

    fn step(&mut self, is_end: bool, glyphs: &mut Vec<Glyph>) -> bool {
        let Some(taken) = step(&self.held, self.before, is_end, self.base, glyphs) else { return false };
        self.before = self.held[..taken].chars().next_back();
        self.held.drain(..taken);
        true
    }
}

/// Appends the glyphs of a whole text.
pub(super) fn render(text: &str, style: Style, glyphs: &mut Vec<Glyph>) {
    let (mut rest, mut before) = (text, None);
    while let Some(taken) = (!rest.is_empty()).then(|| step(rest, before, true, style, glyphs)).flatten() {
        before = rest[..taken].chars().next_back();
        rest = &rest[taken..];
    }
}

fn is_mark(char: char) -> bool {
    matches!(char, '\\' | '`' | '*' | '_' | '~' | '[' | ']' | '(' | ')' | '!')
}

/// Appends the first thing in `text` and tells how many bytes it was; `None` while that cannot be told. At the end it always can.
fn step(text: &str, before: Option<char>, is_end: bool, style: Style, glyphs: &mut Vec<Glyph>) -> Option<usize> {
    let first = text.chars().next()?;
    match first {
        '\\' => escape(text, is_end, style, glyphs),
        '`' => code(text, is_end, style, glyphs),
        '*' | '_' | '~' => emphasis(text, before, is_end, style, glyphs),
        '[' => link(text, is_end, style, glyphs),
        '!' => image(text, is_end, style, glyphs),
        _ => {
            let end = text.find(is_mark).unwrap_or(text.len()).max(first.len_utf8());
            Some(literal(&text[..end], style, glyphs))
        }
    }
}

fn literal(text: &str, style: Style, glyphs: &mut Vec<Glyph>) -> usize {
    glyphs.extend(text.chars().map(|char| (char, style)));
    text.len()
}

fn escape(text: &str, is_end: bool, style: Style, glyphs: &mut Vec<Glyph>) -> Option<usize> {
    match text[1..].chars().next() {
        Some(char) if char.is_ascii_punctuation() => Some(1 + literal(&text[1..2], style, glyphs)),
        None if !is_end => None,
        _ => Some(literal("\\", style, glyphs)),
    }
}

fn code(text: &str, is_end: bool, style: Style, glyphs: &mut Vec<Glyph>) -> Option<usize> {
    let count = run(text, '`');
    match code_end(text, is_end) {
        Some(end) => {
            let body = &text[count..end - count];
            let is_padded = body.len() > 2 && body.starts_with(' ') && body.ends_with(' ');
            literal(if is_padded { &body[1..body.len() - 1] } else { body }, style | Style::CODE, glyphs);
            Some(end)
        }
        None => is_end.then(|| literal(&text[..count], style, glyphs)),
    }
}

/// Where the code span ends that `text` begins with. A run at the end may still grow, unless nothing follows.
fn code_end(text: &str, is_end: bool) -> Option<usize> {
    let count = run(text, '`');
    let mut at = count;
    while let Some(next) = text[at..].find('`') {
        let start = at + next;
        let closing = run(&text[start..], '`');
        at = start + closing;
        if closing == count && (is_end || at < text.len()) {
            return Some(at);
        }
    }
    None
}

fn emphasis(text: &str, before: Option<char>, is_end: bool, style: Style, glyphs: &mut Vec<Glyph>) -> Option<usize> {
    let mark = text.chars().next()?;
    let count = run(text, mark);
    let body = &text[count..];
    if body.is_empty() && !is_end {
        return None;
    }
    let added = match (mark, count) {
        ('~', 2) => Style::STRIKE,
        ('*' | '_', 1) => Style::ITALIC,
        ('*' | '_', 2) => Style::BOLD,
        ('*' | '_', 3) => Style::BOLD | Style::ITALIC,
        _ => return Some(literal(&text[..count], style, glyphs)),
    };
    if !may_open(mark, before, body.chars().next()) {
        return Some(literal(&text[..count], style, glyphs));
    }
    match closing(body, mark, count, is_end) {
        Some(end) => {
            render(&body[..end], style | added, glyphs);
            Some(count + end + count)
        }
        None => is_end.then(|| literal(&text[..count], style, glyphs)),
    }
}

/// Where in `body` the run begins that closes `count` marks. Runs that open and close something inside are passed over.
fn closing(body: &str, mark: char, count: usize, is_end: bool) -> Option<usize> {
    let mut open: Vec<usize> = Vec::new();
    let (mut at, mut left) = (0, None);
    while let Some(char) = body[at..].chars().next() {
        let rest = &body[at..];
        let mut length = char.len_utf8();
        if char == '\\' {
            length += rest[1..].chars().next().map_or(0, char::len_utf8);
        } else if char == '`' {
            length = code_end(rest, is_end).unwrap_or(run(rest, '`'));
        } else if char == mark {
            length = run(rest, mark);
            let right = rest[length..].chars().next();
            if right.is_none() && !is_end {
                return None;
            }
            let mut free = length;
            if may_close(mark, left, right) {
                if free == count && !open.contains(&free) {
                    return Some(at);
                }
                while open.last().is_some_and(|top| *top <= free) {
                    free -= open.pop().unwrap_or_default();
                }
                if open.is_empty() && free >= count {
                    return Some(at + length - free);
                }
            }
            if free > 0 && may_open(mark, left, right) {
                open.push(free);
            }
        }
        left = rest[..length].chars().next_back();
        at += length;
    }
    None
}

fn may_open(mark: char, left: Option<char>, right: Option<char>) -> bool {
    right.is_some_and(|char| !char.is_whitespace()) && !(mark == '_' && left.is_some_and(char::is_alphanumeric))
}

fn may_close(mark: char, left: Option<char>, right: Option<char>) -> bool {
    left.is_some_and(|char| !char.is_whitespace()) && !(mark == '_' && right.is_some_and(char::is_alphanumeric))
}

fn image(text: &str, is_end: bool, style: Style, glyphs: &mut Vec<Glyph>) -> Option<usize> {
    match text[1..].chars().next() {
        Some('[') => link(&text[1..], is_end, style, glyphs).map(|taken| 1 + taken),
        None if !is_end => None,
        _ => Some(literal("!", style, glyphs)),
    }
}

/// A link is shown as its text and, where that says something else, its address.
fn link(text: &str, is_end: bool, style: Style, glyphs: &mut Vec<Glyph>) -> Option<usize> {
    let give_up = |glyphs: &mut Vec<Glyph>| Some(literal("[", style, glyphs));
    let Some(label_end) = bracket_end(text, '[', ']') else { return if is_end { give_up(glyphs) } else { None } };
    match text[label_end..].chars().next() {
        Some('(') => {}
        None if !is_end => return None,
        _ => return give_up(glyphs),
    }
    let Some(target) = bracket_end(&text[label_end..], '(', ')') else {
        return if is_end { give_up(glyphs) } else { None };
    };
    let end = label_end + target;
    let label = &text[1..label_end - 1];
    let inside = text[label_end + 1..end - 1].trim();
    let address = inside.split_whitespace().next().unwrap_or_default().trim_matches(['<', '>']);
    render(label, style | Style::UNDERLINE, glyphs);
    if address != label {
        let gap = if label.is_empty() { "" } else { " " };
        literal(&format!("{gap}({address})"), style | Style::DIM, glyphs);
    }
    Some(end)
}

/// Where the bracket closes that `text` begins with.
fn bracket_end(text: &str, open: char, close: char) -> Option<usize> {
    let (mut depth, mut is_escaped) = (0_usize, false);
    for (at, char) in text.char_indices() {
        if is_escaped {
            is_escaped = false;
        } else if char == '\\' {
            is_escaped = true;
        } else if char == open {
            depth += 1;
        } else if char == close {
            depth -= 1;
            if depth == 0 {
                return Some(at + 1);
            }
        }
    }
    None
}

fn run(text: &str, mark: char) -> usize {
    text.chars().take_while(|char| *char == mark).count()
}
