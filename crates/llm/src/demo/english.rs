//! Understands requests in English, by their verbs, nouns and build.

mod clause;
mod look;
mod place;
mod question;
mod run;
mod talk;
mod target;
mod words;
mod write;

use super::lexer::Token;
use super::wish::Wish;
use words::Word;

/// A request that is being understood.
struct Request<'a> {
    /// All of it.
    text: &'a str,
    /// The file that "it" stands for.
    file: Option<String>,
    /// The file that was just asked to be made, which is what a text without a place goes into.
    created: Option<String>,
    /// Whether it is a question by its build: `could you …?`
    is_question: bool,
    /// How far it was looked at.
    seen: usize,
}

/// What a request asks for, in order. `file` is what an "it" at its beginning stands for.
pub(super) fn wishes(text: &str, tokens: &[Token<'_>], file: Option<String>) -> Vec<Wish> {
    let words = words::words(tokens);
    let mut request = Request {
        text,
        file,
        created: None,
        is_question: words::has_any(&words[..words.len().min(30)], "can you|could you|would you|will you"),
        seen: tokens.last().map_or(0, |token| token.end),
    };
    let mut wishes: Vec<Wish> = Vec::new();
    let mut rest = words.as_slice();
    while !rest.is_empty() {
        let (mut first, others) = request.next_clause(rest);
        rest = others;
        if let Some((file, question)) = clause::after_subject(first) {
            (request.file, first) = (Some(file), question);
        }
        if wishes.last().is_some_and(Wish::is_action) && talk::is_about_result(first) {
            continue;
        }
        for wish in request.clause(first) {
            request.file = wish.file().map(str::to_owned).or(request.file);
            request.created = if let Wish::Create(path) = &wish { Some(path.clone()) } else { None };
            wishes.push(wish);
        }
    }
    wishes
}

impl<'a> Request<'a> {
    /// Whether there is more of it than was looked at.
    fn is_cut(&self) -> bool {
        !self.text[self.seen..].trim().is_empty()
    }

    /// What one clause asks for: the readings are tried from the most to the least particular.
    fn clause(&self, words: &[Word<'a>]) -> Vec<Wish> {
        let bare = words::without_tail(words);
        let talk = talk::small_talk(words).or_else(|| talk::small_talk(bare));
        let words = bare;
        if let Some(wish) = talk.or_else(|| run::as_typed(self.text, words)) {
            return vec![wish];
        }
        let core = words::without_lead(words);
        if core.is_empty() {
            return Vec::new();
        }
        let found = self.core(core, talk::asks_for_ability(words));
        if found != [Wish::Unknown] {
            return found;
        }
        // "As I am new here I would be glad if you could list the files."
        clause::after_marker(core).map_or(found, |rest| self.core(rest, false))
    }

    fn core(&self, core: &[Word<'a>], ability: bool) -> Vec<Wish> {
        let core = words::without_lead(core);
        if let Some(named) = clause::with_tool(core) {
            return self.core(&named, ability);
        }
        let core = words::after_any(core, "a|an|another").filter(|rest| clause::is_new(rest)).unwrap_or(core);
        let Some(first) = core.first() else { return vec![Wish::Unknown] };
        if let Some(wish) = run::as_typed(self.text, core).or_else(|| talk::small_talk(core)) {
            return vec![wish];
        }
        if core.len() == 1 && first.is_one_of("ls|dir|list") {
            return vec![Wish::List(".".into())];
        }
        let found = match clause::verb(core) {
            Some(clause::Verb::Run) => vec![run::run(self.text, core, self.file.as_deref())],
            Some(clause::Verb::Write) => match self.write(core) {
                Wish::Unknown | Wish::Unclear(_) if first.lower == "type" => self.read(core, ability),
                wish => vec![wish],
            },
            Some(clause::Verb::Count) => self.count(core),
            Some(clause::Verb::List) => self.list(core),
            Some(clause::Verb::Show) => self.show(core),
            Some(clause::Verb::Read) => self.read(core, ability),
            Some(clause::Verb::Compose) => self.compose(core),
            Some(clause::Verb::Ask) => self.question(core),
            None => self.fragment(core),
        };
        if found.is_empty() { vec![Wish::Unknown] } else { found }
    }

    /// Something that takes a language model; of a file it names, at least the content is shown.
    fn compose(&self, core: &[Word<'a>]) -> Vec<Wish> {
        let quoted =
            |file: &place::File| core[1 + file.start].token.is_quote() && !super::path::looks_like_path(&file.path);
        let files = self.files(&core[1..]).into_iter().filter(|file| !quoted(file));
        let mut wishes: Vec<Wish> = files.map(place::File::read).collect();
        wishes.push(Wish::Compose);
        wishes
    }
}
