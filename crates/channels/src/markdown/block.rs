//! What a line is, told from how it begins.

/// What a line of Markdown is. `skip` is how many bytes of it were the sign of that.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Start {
    /// More of the line is needed.
    Undecided,
    Blank,
    Heading {
        level: usize,
        skip: usize,
    },
    Fence(Fence),
    Rule,
    /// A point of a list, `marker` in front of it.
    Item {
        indent: usize,
        marker: String,
        skip: usize,
    },
    Quote {
        skip: usize,
    },
    /// It may be the row of a table: it is needed whole.
    Row,
    Text {
        indent: usize,
        skip: usize,
    },
}

/// The opening of a block of code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Fence {
    pub(super) mark: char,
    pub(super) count: usize,
    pub(super) indent: usize,
    pub(super) language: String,
    /// In how many quotes it stands.
    pub(super) quotes: usize,
}

/// What a line inside a block of code is.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum CodeLine {
    Undecided,
    Closing,
    /// Code, after so many bytes of the block's own indentation.
    Code {
        skip: usize,
    },
}

/// Tells what a line is; `is_whole` says that no more of it comes.
pub(super) fn classify(line: &str, is_whole: bool) -> Start {
    let skip = line.len() - line.trim_start_matches([' ', '\t']).len();
    let indent = line[..skip].chars().map(|char| if char == '\t' { 4 } else { 1 }).sum();
    let rest = &line[skip..];
    let Some(first) = rest.chars().next() else {
        return if is_whole { Start::Blank } else { Start::Undecided };
    };
    let text = Start::Text { indent, skip };
    match first {
        '#' => heading(rest, skip, is_whole, text),
        '`' | '~' => fence(rest, first, indent, is_whole, text),
        '-' | '*' | '_' | '+' => rule_or_item(rest, first, indent, skip, is_whole, text),
        '0'..='9' => numbered(rest, indent, skip, is_whole, text),
        '>' => quote(rest, skip, is_whole),
        '|' => Start::Row,
        _ => text,
    }
}

impl Fence {
    /// Tells what a line inside this block is.
    pub(super) fn classify(&self, line: &str, is_whole: bool) -> CodeLine {
        let spaces = line.len() - line.trim_start_matches(' ').len();
        let rest = &line[spaces..];
        let count = rest.chars().take_while(|char| *char == self.mark).count();
        let is_closing_so_far = rest[count..].trim().is_empty() && spaces <= self.indent + 3;
        if is_closing_so_far && !is_whole {
            return CodeLine::Undecided;
        }
        if is_closing_so_far && count >= self.count {
            return CodeLine::Closing;
        }
        CodeLine::Code { skip: spaces.min(self.indent) }
    }
}

fn quote(rest: &str, skip: usize, is_whole: bool) -> Start {
    match rest[1..].chars().next() {
        Some(' ') => Start::Quote { skip: skip + 2 },
        None if !is_whole => Start::Undecided,
        _ => Start::Quote { skip: skip + 1 },
    }
}

fn heading(rest: &str, skip: usize, is_whole: bool, text: Start) -> Start {
    let level = rest.chars().take_while(|char| *char == '#').count();
    match rest[level..].chars().next() {
        _ if level > 6 => text,
        Some(' ' | '\t') => Start::Heading { level, skip: skip + level + 1 },
        None if !is_whole => Start::Undecided,
        None => Start::Heading { level, skip: skip + level },
        Some(_) => text,
    }
}

fn fence(rest: &str, mark: char, indent: usize, is_whole: bool, text: Start) -> Start {
    let count = rest.chars().take_while(|char| *char == mark).count();
    let info = rest[count..].trim();
    if (count < 3 && !info.is_empty()) || (mark == '`' && info.contains('`')) {
        return text;
    }
    if !is_whole {
        return Start::Undecided;
    }
    if count < 3 {
        return text;
    }
    let language = info.split_whitespace().next().unwrap_or_default().to_owned();
    Start::Fence(Fence { mark, count, indent, language, quotes: 0 })
}

fn rule_or_item(rest: &str, mark: char, indent: usize, skip: usize, is_whole: bool, text: Start) -> Start {
    let is_rule_so_far = mark != '+' && rest.chars().all(|char| char == mark || char == ' ');
    let marks = rest.chars().filter(|char| *char == mark).count();
    if is_rule_so_far && is_whole && marks >= 3 {
        return Start::Rule;
    }
    let is_item = mark != '_' && matches!(rest[1..].chars().next(), Some(' ' | '\t'));
    let is_lone = rest.len() == 1;
    if !is_whole && (is_rule_so_far || is_lone) {
        return Start::Undecided;
    }
    if is_item || (is_lone && mark != '_') {
        let skip = skip + rest.len().min(2);
        return Start::Item { indent, marker: "• ".to_owned(), skip };
    }
    text
}

fn numbered(rest: &str, indent: usize, skip: usize, is_whole: bool, text: Start) -> Start {
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let mut after = rest[digits..].chars();
    match (after.next(), after.next()) {
        _ if digits > 9 => text,
        (Some('.' | ')'), Some(' ' | '\t')) => {
            let marker = format!("{} ", &rest[..=digits]);
            Start::Item { indent, marker, skip: skip + digits + 2 }
        }
        (None, _) | (Some('.' | ')'), None) if !is_whole => Start::Undecided,
        _ => text,
    }
}
