//! Sources as tokens: no comments, and on demand no tests.

use std::path::{Path, PathBuf};

use proc_macro2::{Delimiter, TokenStream, TokenTree};

/// A source file of the workspace.
pub(super) struct Source {
    /// Its path from the root of the workspace.
    pub(super) path: PathBuf,
    pub(super) text: String,
}

/// A token without its place.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token {
    Word(String),
    /// A literal as written, quotes included.
    Literal(String),
    /// Punctuation, and the brackets around groups.
    Sign(char),
}

/// All Rust files below a folder of the workspace, in order.
pub(super) fn sources(root: &Path, folder: &str) -> Vec<Source> {
    let paths = files(root, folder).into_iter().filter(|path| path.extension().is_some_and(|it| it == "rs"));
    let read = |path: PathBuf| Source { text: read(root, &path), path };
    paths.map(read).collect()
}

/// Every file below a folder of the workspace, by its path from the root, in order.
pub(super) fn files(root: &Path, folder: &str) -> Vec<PathBuf> {
    let mut open = vec![PathBuf::from(folder)];
    let mut files = Vec::new();
    while let Some(path) = open.pop() {
        if !root.join(&path).is_dir() {
            files.push(path);
            continue;
        }
        let entries = std::fs::read_dir(root.join(&path)).expect("a folder of the workspace can be read");
        open.extend(entries.map(|entry| path.join(entry.expect("it is there").file_name())));
    }
    files.sort();
    files
}

/// A text file of the workspace.
pub(super) fn read(root: &Path, path: &Path) -> String {
    std::fs::read_to_string(root.join(path)).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

impl Source {
    /// Whether the file is a test as a whole.
    pub(super) fn is_test(&self) -> bool {
        self.path.components().any(|part| part.as_os_str() == "tests" || part.as_os_str() == "tests.rs")
    }

    /// All tokens but comments.
    pub(super) fn tokens(&self) -> Vec<Token> {
        let mut tokens = Vec::new();
        flatten(self.parse(), &mut |_| false, &mut tokens);
        tokens
    }

    /// The tokens of what is shipped: no comments, no items under `#[cfg(test)]`.
    pub(super) fn shipped(&self) -> Vec<Token> {
        let mut tokens = Vec::new();
        flatten(self.parse(), &mut |attribute| attribute == "cfg (test)", &mut tokens);
        tokens
    }

    fn parse(&self) -> TokenStream {
        self.text.parse().unwrap_or_else(|error| panic!("{}: {error}", self.path.display()))
    }
}

/// Lays token trees out flat, without doc comments and without the items that an attribute marks.
fn flatten(stream: TokenStream, is_left_out: &mut dyn FnMut(&str) -> bool, tokens: &mut Vec<Token>) {
    let mut trees = stream.into_iter().peekable();
    while let Some(tree) = trees.next() {
        match tree {
            TokenTree::Punct(sign) if sign.as_char() == '#' => {
                if matches!(trees.peek(), Some(TokenTree::Punct(sign)) if sign.as_char() == '!') {
                    trees.next();
                }
                let Some(TokenTree::Group(attribute)) = trees.next() else { continue };
                let text = attribute.stream().to_string();
                if is_left_out(&text) {
                    let _ = trees.by_ref().find(ends_item);
                } else if !text.starts_with("doc") {
                    tokens.push(Token::Sign('#'));
                    flatten(attribute.stream(), is_left_out, tokens);
                }
            }
            TokenTree::Punct(sign) => tokens.push(Token::Sign(sign.as_char())),
            TokenTree::Ident(word) => tokens.push(Token::Word(word.to_string())),
            TokenTree::Literal(literal) => tokens.push(Token::Literal(literal.to_string())),
            TokenTree::Group(group) => {
                let (open, close) = brackets(group.delimiter());
                tokens.push(Token::Sign(open));
                flatten(group.stream(), is_left_out, tokens);
                tokens.push(Token::Sign(close));
            }
        }
    }
}

fn ends_item(tree: &TokenTree) -> bool {
    match tree {
        TokenTree::Group(group) => group.delimiter() == Delimiter::Brace,
        TokenTree::Punct(sign) => sign.as_char() == ';',
        _ => false,
    }
}

fn brackets(delimiter: Delimiter) -> (char, char) {
    match delimiter {
        Delimiter::Parenthesis => ('(', ')'),
        Delimiter::Brace => ('{', '}'),
        Delimiter::Bracket => ('[', ']'),
        Delimiter::None => (' ', ' '),
    }
}

/// The names of functions that call themselves.
pub(super) fn recursive_functions(tokens: &[Token]) -> Vec<String> {
    let mut found = Vec::new();
    for (at, pair) in tokens.windows(2).enumerate() {
        let [Token::Word(keyword), Token::Word(name)] = pair else { continue };
        if keyword == "fn" && calls(body(&tokens[at + 2..]), name) {
            found.push(name.clone());
        }
    }
    found
}

/// The tokens of a function's body, given what follows its name.
fn body(tokens: &[Token]) -> &[Token] {
    let is = |sign| move |token: &Token| *token == Token::Sign(sign);
    let start = tokens.iter().position(is('{')).unwrap_or(tokens.len());
    let mut depth = 0;
    let length = tokens[start..].iter().position(|token| {
        depth += i32::from(is('{')(token)) - i32::from(is('}')(token));
        depth == 0
    });
    &tokens[start..start + length.unwrap_or(0)]
}

/// Whether there is a call of this name, bare or on `self` or `Self`; others' functions may have the same name.
fn calls(body: &[Token], name: &str) -> bool {
    let word = |text: &str| Token::Word(text.to_owned());
    let mut places = body.windows(2).enumerate().filter(|(_, pair)| **pair == [word(name), Token::Sign('(')]);
    places.any(|(at, _)| match &body[..at] {
        [.., before, Token::Sign('.')] => *before == word("self"),
        [.., before, Token::Sign(':'), Token::Sign(':')] => *before == word("Self"),
        _ => true,
    })
}

#[test]
fn comments_and_tests_are_no_tokens() {
    let text = "//! Telegram\nfn f() { g(\"x\") /* y */ }\n#[cfg(test)]\nmod tests { fn z() {} }\n#[cfg(test)]\nuse q;\nfn h() {}";
    let source = Source { path: "a.rs".into(), text: text.to_owned() };

    let words = source.shipped().into_iter().filter_map(|token| match token {
        Token::Word(word) | Token::Literal(word) => Some(word),
        Token::Sign(_) => None,
    });

    assert_eq!(words.collect::<Vec<_>>(), ["fn", "f", "g", "\"x\"", "fn", "h"]);
}

#[test]
fn a_function_that_calls_itself_is_found() {
    let text = "fn f() { g() } fn g() { if x { self.g() } } fn h(h: u8) -> [u8; 2] { [h, h] } fn new() { Other::new(self.at.new()) }";
    let source = Source { path: "a.rs".into(), text: text.to_owned() };

    assert_eq!(recursive_functions(&source.tokens()), ["g"]);
}
