//! What a person's text asks for, and in which language.

use chat::Language;

use super::lexer::{Kind, Token, is_han, tokens};
use super::wish::{Wish, without_small_talk};
use super::{chinese, english};

/// A text, understood as far as that goes.
pub(super) struct Reading {
    /// The language it is in; `None` where it holds names and marks alone.
    pub(super) language: Option<Language>,
    pub(super) wishes: Vec<Wish>,
}

/// Reads a text. `file` is what an "it" stands for.
pub(super) fn read(text: &str, file: Option<String>) -> Reading {
    let tokens = tokens(text);
    let language = language(&tokens);
    let wishes = match language {
        Some(Language::Chinese) => chinese::wishes(text, &tokens, file),
        _ => english::wishes(text, &tokens, file),
    };
    Reading { language, wishes: without_small_talk(wishes) }
}

/// The language that a text is in, as far as it says.
pub(super) fn language_of(text: &str) -> Option<Language> {
    language(&tokens(text))
}

/// The language of what is said outside of quotes and names.
fn language(tokens: &[Token<'_>]) -> Option<Language> {
    let foreign = |c: char| matches!(c, '\u{3040}'..='\u{30ff}' | '\u{ac00}'..='\u{d7af}');
    let said = || tokens.iter().filter(|token| !token.is_quote());
    let is_chinese = |token: &Token<'_>| {
        let sentence = token.kind == Kind::Mixed && chinese::is_sentence(token.text);
        token.kind == Kind::Han || (sentence && token.text.chars().any(is_han))
    };
    if said().any(|token| token.text.contains(foreign)) {
        return Some(Language::English);
    }
    if said().any(is_chinese) {
        return Some(Language::Chinese);
    }
    said().any(|token| token.kind == Kind::Word).then_some(Language::English)
}
