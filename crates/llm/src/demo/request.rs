//! What a person's text asks for, and in which language.

use chat::Language;

use super::lexer::{Kind, Token, is_han, tokens};
use super::lists::{begins, ends, is_in};
use super::path;
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
    if let Some(script) = shell_loop(text) {
        return Reading { language, wishes: vec![Wish::Run(script.to_owned())] };
    }
    let wishes = match language {
        Some(Language::Chinese) => chinese::wishes(text, &tokens, file),
        _ => english::wishes(text, &tokens, file),
    };
    Reading { language, wishes: without_small_talk(wishes) }
}

/// A loop or a branch in a shell's words that is to be run: cut into clauses it would be another command.
fn shell_loop(text: &str) -> Option<&str> {
    let forms =
        [("for ", "; do ", "done"), ("while ", "; do ", "done"), ("until ", "; do ", "done"), ("if ", "; then ", "fi")];
    forms.into_iter().find_map(|(begin, middle, end)| {
        let start = text.find(begin)?;
        let stop = text.rfind(end)? + end.len();
        let script = text.get(start..stop).filter(|script| script.contains(middle))?;
        let before = text[..start].trim().to_lowercase();
        let asked = before.is_empty() || ends(&before, "run|execute|运行|执行|跑|跑一下|$|:|：|command|命令");
        asked.then_some(script)
    })
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
    if said().any(is_chinese) && !names_only(tokens) {
        return Some(Language::Chinese);
    }
    said().any(|token| token.kind == Kind::Word).then_some(Language::English)
}

/// What English requests begin with.
const ENGLISH: &str = "read|open|show|list|cat|print|display|view|write|create|make|append|add|run|execute|what|what's|whats|which|please|\
     can|could|would|look|count|save|put|touch|ls|echo|tell|give|how|is|are";

/// What Chinese characters behind an English verb say where they are no name: `ls 一下`.
const CHINESE: &str = "一下|下|一遍|当前|这个|这里|所有|全部|目录|文件夹|文件列表|里";

/// Whether a request is English, and what is Chinese in it are names and texts.
fn names_only(tokens: &[Token<'_>]) -> bool {
    let is_chinese = |token: &&Token<'_>| matches!(token.kind, Kind::Han | Kind::Mixed);
    let is_name = |token: &Token<'_>| path::extension(token.text).is_some() || !begins(token.text, CHINESE);
    let first = tokens.first().filter(|token| token.kind == Kind::Word);
    first.is_some_and(|first| is_in(&first.text.to_lowercase(), ENGLISH))
        && tokens.iter().filter(is_chinese).all(is_name)
        && !tokens.iter().any(|token| is_chinese(&token) && token.text.ends_with("吗"))
}
