//! Cuts a request into words, names of files, quotes and marks.

/// A piece of a request.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Token<'a> {
    pub(super) kind: Kind,
    /// What it stands for: of a quote, what is inside.
    pub(super) text: &'a str,
    /// Where it begins in the request, its quotation mark included.
    pub(super) start: usize,
    /// Where it ends there.
    pub(super) end: usize,
}

/// What a piece of a request is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A word of letters and digits, none of them Chinese.
    Word,
    /// Something that looks like the name of a file or folder.
    Name,
    /// Chinese characters.
    Han,
    /// Chinese characters and others without a space in between: a name, or a sentence around one.
    Mixed,
    /// Text in quotation marks.
    Quoted,
    /// Text in backticks.
    Code,
    /// Text between fences of three backticks and more.
    Fence,
    /// A single other character; of white space only line breaks.
    Mark,
}

impl Token<'_> {
    /// Whether it was set apart by quotation marks, backticks or fences.
    pub(super) fn is_quote(&self) -> bool {
        matches!(self.kind, Kind::Quoted | Kind::Code | Kind::Fence)
    }
}

/// Requests are understood by their first pieces; what follows can only be content, which is taken from the text itself.
const MOST_TOKENS: usize = 600;

/// A word or name is not longer.
const LONGEST: usize = 4_096;

/// Cuts a text into its pieces.
pub(super) fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut tokens = Vec::new();
    let mut at = 0;
    while at < text.len() && tokens.len() < MOST_TOKENS {
        let rest = &text[at..];
        let Some(first) = rest.chars().next() else { break };
        let length = if let Some((kind, inner, length)) = quote(text, at) {
            tokens.push(Token { kind, text: inner, start: at, end: at + length });
            length
        } else if is_mark(first) || first == ':' {
            if !first.is_whitespace() || first == '\n' {
                tokens.push(token(Kind::Mark, text, at, first.len_utf8()));
            }
            first.len_utf8()
        } else {
            let run = run_length(rest);
            push_run(&mut tokens, text, at, run);
            run
        };
        at += length;
    }
    tokens
}

fn token(kind: Kind, text: &str, start: usize, length: usize) -> Token<'_> {
    Token { kind, text: &text[start..start + length], start, end: start + length }
}

const QUOTES: [(char, char); 9] = [
    ('"', '"'),
    ('\'', '\''),
    ('“', '”'),
    ('”', '”'),
    ('‘', '’'),
    ('「', '」'),
    ('『', '』'),
    ('《', '》'),
    ('«', '»'),
];

/// The quote that begins here: its kind, what is in it, and its length.
fn quote(text: &str, at: usize) -> Option<(Kind, &str, usize)> {
    let rest = &text[at..];
    let ticks = rest.len() - rest.trim_start_matches('`').len();
    if ticks > 0 {
        return backticks(rest, ticks);
    }
    let first = rest.chars().next()?;
    let (open, close) = QUOTES.into_iter().find(|(open, _)| *open == first)?;
    if open == '\'' && text[..at].chars().next_back().is_some_and(char::is_alphanumeric) {
        return None;
    }
    let inner = &rest[open.len_utf8()..];
    let end = closing(inner, close)?;
    let length = open.len_utf8() + end + close.len_utf8();
    (end > 0).then_some((Kind::Quoted, &inner[..end], length))
}

/// Where the quote closes. A plain mark closes only where a word ends, so that an apostrophe or an inch does not.
fn closing(inner: &str, close: char) -> Option<usize> {
    let plain = matches!(close, '\'' | '"');
    let closes = |at: usize| {
        let next = inner[at + close.len_utf8()..].chars().next();
        !plain || next.is_none_or(|next| !next.is_alphanumeric() || is_han(next))
    };
    inner.match_indices(close).map(|(at, _)| at).find(|at| closes(*at))
}

fn backticks(rest: &str, ticks: usize) -> Option<(Kind, &str, usize)> {
    let mark = &rest[..ticks];
    let inner = &rest[ticks..];
    let end = inner.find(mark)?;
    let length = ticks + end + ticks;
    if ticks < 3 {
        return (end > 0).then_some((Kind::Code, &inner[..end], length));
    }
    // The first line of a fence names a language.
    let body = inner[..end].split_once('\n').map_or(&inner[..end], |(_, body)| body);
    Some((Kind::Fence, body.strip_suffix('\n').unwrap_or(body), length))
}

fn is_mark(c: char) -> bool {
    c.is_whitespace() || ",;!?()[]{}<>|\"`&$…".contains(c) || "，。；：！？、（）【】“”‘’「」『』《》«»·".contains(c)
}

/// How long the run of characters without a mark is that begins here. An apostrophe does not end it, a colon after the name of
/// a file does.
fn run_length(rest: &str) -> usize {
    let rest = &rest[..rest.floor_char_boundary(LONGEST)];
    let mut end = 0;
    loop {
        end += rest[end..].find(is_mark).unwrap_or(rest.len() - end);
        let after = rest[end..].strip_prefix('’').unwrap_or_default();
        if end == 0 || !after.starts_with(|c: char| c.is_alphabetic() && !is_han(c)) {
            break;
        }
        end = rest.len() - after.len();
    }
    let colon = rest[..end].find(':').filter(|at| !rest[*at..].starts_with("://"));
    colon.filter(|at| super::path::extension(&rest[..*at]).is_some()).unwrap_or(end)
}

/// Adds a run, without the marks at its end that belong to the sentence.
fn push_run<'a>(tokens: &mut Vec<Token<'a>>, text: &'a str, start: usize, length: usize) {
    let run = &text[start..start + length];
    let bare = if is_dots(run, text, start) { run } else { run.trim_end_matches(['.', ':', '\'']) };
    if !bare.is_empty() {
        tokens.push(token(kind_of(bare), text, start, bare.len()));
    }
    for (at, mark) in run[bare.len()..].char_indices() {
        tokens.push(token(Kind::Mark, text, start + bare.len() + at, mark.len_utf8()));
    }
}

/// Whether a run of dots is a folder: `.` and `..` that stand alone, or end a path.
fn is_dots(run: &str, text: &str, start: usize) -> bool {
    let last = run.rsplit('/').next().unwrap_or(run);
    let alone = last.len() < run.len() || text[..start].ends_with(|c: char| c.is_whitespace() || is_han(c));
    matches!(last, "." | "..") && alone
}

fn kind_of(run: &str) -> Kind {
    let han = run.chars().any(is_han);
    match (han, run.chars().all(is_han)) {
        (true, true) => Kind::Han,
        (true, false) => Kind::Mixed,
        _ if super::path::looks_like_path(run) => Kind::Name,
        _ => Kind::Word,
    }
}

/// Whether it is a Chinese character.
pub(super) fn is_han(c: char) -> bool {
    matches!(c, '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{323af}' | '〇')
}
