//! Understands requests in Chinese, by their verbs, nouns and build.

mod clause;
mod look;
mod pieces;
mod run;
mod talk;
mod vocabulary;
mod write;

use super::lexer::Token;
use super::wish::Wish;
use clause::Clause;

/// A request that is being understood.
struct Request<'a> {
    /// All of it.
    text: &'a str,
    /// The file that "它" stands for.
    file: Option<String>,
    /// The file that was just asked to be made, which is what a text without a place goes into.
    created: Option<String>,
    /// How far it was looked at.
    seen: usize,
}

pub(super) use pieces::is_sentence;

/// What a request asks for, in order. `file` is what an "it" at its beginning stands for.
pub(super) fn wishes(text: &str, tokens: &[Token<'_>], file: Option<String>) -> Vec<Wish> {
    let pieces = pieces::pieces(text, tokens);
    let mut request = Request { text, file, created: None, seen: pieces.last().map_or(0, |piece| piece.token.end) };
    let mut wishes: Vec<Wish> = Vec::new();
    let mut rest = pieces.as_slice();
    while !rest.is_empty() {
        let (first, others) = request.next_clause(rest);
        rest = others;
        if wishes.last().is_some_and(Wish::is_action) && talk::is_about_result(&Clause::new(first)) {
            continue;
        }
        for wish in request.clause(&Clause::new(first)) {
            request.file = wish.file().map(str::to_owned).or(request.file);
            request.created = if let Wish::Create(path) = &wish { Some(path.clone()) } else { None };
            wishes.push(wish);
        }
    }
    wishes
}

impl Request<'_> {
    /// What one clause asks for: the readings are tried from the most to the least particular.
    fn clause(&self, whole: &Clause<'_, '_>) -> Vec<Wish> {
        let clause = whole.without_courtesies();
        if clause.is_empty() {
            return Vec::new();
        }
        if let Some(wish) = talk::small_talk(whole).or_else(|| talk::small_talk(&clause)) {
            return vec![wish];
        }
        if talk::is_negated(&clause) || talk::is_definition(&clause) || talk::is_statement(&clause) {
            return vec![Wish::Unknown];
        }
        let found = self.run(&clause).or_else(|| self.write(&clause)).map(|wish| vec![wish]);
        if found.is_none() && clause.has(vocabulary::OTHER) {
            return vec![Wish::Unknown];
        }
        let found =
            found.or_else(|| self.count(&clause)).or_else(|| self.compose(&clause)).or_else(|| self.look(&clause));
        found.unwrap_or_else(|| vec![Wish::Unknown])
    }

    /// Something that takes a language model; of a file it names, at least the content is shown.
    fn compose(&self, clause: &Clause<'_, '_>) -> Option<Vec<Wish>> {
        let told =
            clause.starts_with_any("讲个|讲一个|讲一讲|编个|编一个|作一首|唱首|唱一首|来一首|来个|来一个|想一个");
        if told && clause.has(vocabulary::COMPOSITIONS) {
            return Some(vec![Wish::Compose]);
        }
        if !clause.starts_with_any(vocabulary::COMPOSING) && !clause.begins_after_object(vocabulary::COMPOSING) {
            return None;
        }
        let mut wishes: Vec<Wish> = self.files(clause).into_iter().map(look::read).collect();
        wishes.push(Wish::Compose);
        Some(wishes)
    }
}
