//! A Chinese request as a row of characters, with names and quotes in single places.

use super::super::lexer::{Kind, Token, is_han};
use super::super::lists::{beginning, begins, each, is_in};
use super::super::path;
use super::vocabulary::{FILLERS, INTO, VERBS};

/// Stands for a word, a name or a quote, where a request is looked at as characters.
pub(super) const ITEM: char = '\u{fffc}';

/// A character, or a word, name or quote.
#[derive(Clone, Copy, Debug)]
pub(super) struct Piece<'a> {
    /// The character; [`ITEM`] where it is none.
    pub(super) character: char,
    pub(super) token: Token<'a>,
}

impl<'a> Piece<'a> {
    fn item(token: Token<'a>) -> Self {
        Self { character: ITEM, token }
    }

    pub(super) fn is_item(&self) -> bool {
        self.character == ITEM
    }

    /// Whether it is the name of a file or folder, or may be one because it is set apart.
    pub(super) fn is_name(&self) -> bool {
        self.is_item() && (self.token.kind == Kind::Name || self.token.is_quote())
    }
}

/// Requests are understood by their first pieces; what follows can only be content, which is taken from the text itself.
const MOST_PIECES: usize = 1_200;

/// Turns the parts of a request into pieces.
pub(super) fn pieces<'a>(text: &'a str, tokens: &[Token<'a>]) -> Vec<Piece<'a>> {
    let mut pieces = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        if pieces.len() >= MOST_PIECES {
            break;
        }
        if let Some(verb) = english_verb(token, tokens.get(at + 1)) {
            pieces.extend(verb.chars().map(|character| Piece { character, token: *token }));
            continue;
        }
        match token.kind {
            Kind::Han => pieces.extend(token.text.char_indices().map(|(at, c)| character(text, token.start + at, c))),
            Kind::Mixed => push_mixed(&mut pieces, text, token),
            Kind::Mark => pieces.extend(token.text.chars().map(|c| character(text, token.start, c))),
            _ => pieces.push(Piece::item(*token)),
        }
    }
    pieces
}

/// The verb that an English word stands for in a Chinese sentence: `cat 一下 a.txt`.
fn english_verb(token: &Token<'_>, next: Option<&Token<'_>>) -> Option<&'static str> {
    let follows = next.is_some_and(|next| begins(next.text, "一下|下当前|一遍"));
    let verbs =
        [("列", "ls|list|dir"), ("读", "cat|read|open"), ("看", "show|check|see|view"), ("运行", "run|exec|execute")];
    let verb = verbs.into_iter().find(|(_, words)| is_in(&token.text.to_lowercase(), words));
    verb.filter(|_| follows && token.kind == Kind::Word).map(|(verb, _)| verb)
}

fn character(text: &str, start: usize, character: char) -> Piece<'_> {
    let end = start + character.len_utf8();
    // The item's own mark in a request would be taken for one.
    let shown = if character == ITEM { ' ' } else { character };
    Piece { character: shown, token: Token { kind: Kind::Han, text: &text[start..end], start, end } }
}

/// Takes characters and names apart that were written without a space: `读一下会议记录.md`, `看看src里有什么`.
fn push_mixed<'a>(pieces: &mut Vec<Piece<'a>>, text: &'a str, token: &Token<'a>) {
    let mut at = token.start;
    let mut has_verb = false;
    while at < token.end && pieces.len() < MOST_PIECES {
        let rest = &text[at..token.end];
        let lead = lead_length(rest, has_verb);
        // Nothing but an ending would be left of the name: `文件.txt`.
        let lead = if is_stem(rest, lead) { 0 } else { lead };
        has_verb |= lead > 0 && !is_filler(&rest[..lead]);
        let name = if lead == 0 { named_length(rest) } else { 0 };
        let han = rest.chars().next().filter(|c| is_han(*c));
        let length = match (name, han) {
            (0, Some(first)) => lead.max(first.len_utf8()),
            (0, None) => rest.find(is_han).unwrap_or(rest.len()),
            _ => name,
        };
        let part = &rest[..length];
        if name == 0 && han.is_some() {
            pieces.extend(part.char_indices().map(|(offset, c)| character(text, at + offset, c)));
        } else {
            let kind = if name > 0 || path::looks_like_path(part) { Kind::Name } else { Kind::Word };
            pieces.push(Piece::item(Token { kind, text: part, start: at, end: at + length }));
        }
        at += length;
    }
}

/// Whether the word of this length is the stem of a name, though it could lead up to one.
fn is_stem(rest: &str, lead: usize) -> bool {
    let ends = rest[lead..].starts_with('.') && path::extension(&rest[..end_of_name(rest).unwrap_or(0)]).is_some();
    lead > 0 && ends && is_filler(&rest[..lead]) && !path::is_usual_file(&rest[lead..])
}

/// How long the name is that begins here, if it holds Chinese characters; 0 where words of a sentence begin.
fn named_length(rest: &str) -> usize {
    let Some(end) = end_of_name(rest) else { return 0 };
    let name = &rest[..end];
    let Some((last, character)) = name.char_indices().rfind(|(_, c)| is_han(*c)) else { return 0 };
    // Words of a sentence may stand before a name that is whole by itself: `项目README.md`.
    let own = &name[last + character.len_utf8()..];
    let joined = own.starts_with(['.', '/', '_', '-']) || own.starts_with(|c: char| c.is_ascii_digit());
    let rooted = begins(own, "./|../|/etc|/tmp|/home|/usr|/var|/root|/opt");
    let inside = each(INTO).any(|into| name.contains(into));
    if joined && !rooted && !inside { end } else { 0 }
}

/// Where the first extension ends.
fn end_of_name(rest: &str) -> Option<usize> {
    let (dot, _) = rest.match_indices('.').find(|(dot, _)| path::extension(extension_at(rest, *dot)).is_some())?;
    Some(extension_at(rest, dot).len())
}

/// The text up to the end of the letters and digits behind this dot.
fn extension_at(rest: &str, dot: usize) -> &str {
    let letters = rest[dot + 1..].bytes().take_while(u8::is_ascii_alphanumeric).count();
    &rest[..dot + 1 + letters]
}

/// Words of one character that lead up to a name rather than begin it.
const SHORT_LEADS: &str = "请|把|将|在|往|向|给|从|的|和|与|叫";

/// Which words of a sentence lead up to a name.
const LEADS_TO_PLACE: &str = "目录下的|目录下|目录里的|目录里|文件夹里的|文件夹里|文件夹下的|文件夹下|里的";

fn is_filler(word: &str) -> bool {
    is_in(word, FILLERS) || is_in(word, LEADS_TO_PLACE)
}

/// How long the word at the beginning is that belongs to the sentence and not to a name. A name may well begin with a second verb:
/// `打开读书笔记.txt`.
fn lead_length(text: &str, has_verb: bool) -> usize {
    let long = each(FILLERS).filter(|word| word.chars().count() > 1 && text.starts_with(word));
    let verbs = VERBS.into_iter().filter(|_| !has_verb);
    let others = verbs.chain([SHORT_LEADS, LEADS_TO_PLACE, INTO]).filter_map(|words| beginning(text, words));
    long.chain(others).map(str::len).max().unwrap_or(0)
}

/// Whether text without spaces is a sentence rather than a name: it begins with a word of a request, or is no name.
pub(in super::super) fn is_sentence(text: &str) -> bool {
    lead_length(text, false) > 0 || path::extension(text).is_none()
}
