//! Wishes to see what is in a folder or a file.

use super::super::lexer::Kind;
use super::super::path::{self, Look};
use super::super::wish::{Gap, Unit, Wish};
use super::Request;
use super::place::{FILE_NOUNS, File};
use super::words::{Word, after_any, has_any};

/// What may be said about a place without asking for anything else.
const ABOUT_PLACES: &str = "what|which|is|are|do|does|we|i|you|have|got|see|find|there|in|inside|here|this|the|my|our|your|current|working|\
     project|repository|workspace|contain|contains|hold|holds|exist|exists|available|stored|lying|around|everything|\
     all|of|stuff|things|thing|at|on|under|from|currently|right|now|can|exactly|content|contents|located|anything|\
     something|any|place|a|an|and|list|full|complete|names|overview|tree|how|many|has|within|to|me|for|every|other|\
     parent|home|root|level|up|again|too|first|ok|okay|also|well|into";

impl<'a> Request<'a> {
    /// `list …`, `ls …`.
    pub(super) fn list(&self, core: &[Word<'a>]) -> Vec<Wish> {
        let rest = &core[1..];
        let files = self.files(rest);
        let nouns = has_file_noun(rest);
        if core[0].is_one_of("ls|dir") {
            return lone_word(rest).map_or_else(|| self.listings(rest, true), |folder| vec![Wish::List(folder)]);
        }
        if !nouns && !files.is_empty() {
            return files.into_iter().map(as_listed).collect();
        }
        if !self.folders(rest, nouns).is_empty() {
            return self.listings(rest, nouns);
        }
        if let Some(name) = lone_word(rest).filter(|name| !nouns && is_like_a_name(name)) {
            return vec![Wish::Find(name)];
        }
        let all = rest.iter().all(|word| word.is_one_of(ABOUT_PLACES) || word.kind == Kind::Mark);
        if nouns || all { vec![Wish::List(".".into())] } else { Vec::new() }
    }

    /// `show …`, `give me …`, `look …`.
    pub(super) fn show(&self, core: &[Word<'a>]) -> Vec<Wish> {
        let rest = &core[1..];
        if has_any(core, "output of|result of") {
            return super::run::output_of(rest).into_iter().collect();
        }
        if has_any(rest, "date|time|what day") && rest.len() <= 5 && self.files(rest).is_empty() {
            return vec![Wish::Run("date".into())];
        }
        let nouns = rest.iter().any(|word| word.is_one_of(FILE_NOUNS) && word.lower != "file");
        let nouns = nouns && (core[0].lower != "tell" || self.is_about_place(rest));
        let mut files = self.files(rest);
        if core[0].is_one_of("print|output|give|tell|present") {
            files.retain(|file| !rest[file.start].token.is_quote() || path::looks_like_path(&file.path));
        }
        if !nouns && !files.is_empty() {
            return files.into_iter().map(File::show).collect();
        }
        if nouns || self.is_about_place(rest) {
            return self.listings(rest, nouns);
        }
        if has_any(rest, "the file|a file|this file|file content|file contents") {
            return vec![Wish::Unclear(Gap::File)];
        }
        Vec::new()
    }

    /// `read …`, `open …`, `cat …`.
    pub(super) fn read(&self, core: &[Word<'a>], ability: bool) -> Vec<Wish> {
        let rest = &core[1..];
        let opens = core[0].is_one_of("open|opening");
        let files = self.files(rest);
        if !files.is_empty() {
            let see = if opens { File::show } else { File::read };
            return files.into_iter().map(see).collect();
        }
        if rest.iter().any(|word| word.is_one_of("folder|directory|dir")) {
            return self.listings(rest, true);
        }
        if let Some(name) = lone_word(rest) {
            return vec![if ability && name.starts_with("file") { Wish::Help } else { Wish::Find(name) }];
        }
        if has_file_noun(rest) {
            return vec![if ability { Wish::Help } else { Wish::Unclear(Gap::File) }];
        }
        if ability && rest.is_empty() { vec![Wish::Help] } else { Vec::new() }
    }

    /// `count the lines of …`.
    pub(super) fn count(&self, words: &[Word<'a>]) -> Vec<Wish> {
        let units =
            [("line", Unit::Lines), ("word", Unit::Words), ("char", Unit::Characters), ("letter", Unit::Characters)];
        let unit = |word: &Word<'a>| units.iter().find(|(noun, _)| word.lower.starts_with(noun)).map(|(_, unit)| *unit);
        let Some(unit) = words.iter().find_map(unit) else {
            return if has_file_noun(words) { self.list(words) } else { Vec::new() };
        };
        let counted = self.files(words).into_iter().map(|file| Wish::Count { path: file.path, unit });
        counted.collect()
    }

    /// A wish without a verb: `contents of a.txt`, `files in src?`, `README.md please`.
    pub(super) fn fragment(&self, core: &[Word<'a>]) -> Vec<Wish> {
        let file = after_any(core, "a|an|the").unwrap_or(core);
        if after_any(file, "file|text file").is_some()
            && has_any(file, "with|containing|that says|that contains|saying")
        {
            return vec![self.write(file)];
        }
        let contents = "contents of|content of|text of|the contents of|the content of|the text of";
        if let Some(rest) = after_any(core, contents) {
            let files = self.files(rest);
            if !files.is_empty() {
                return files.into_iter().map(File::show).collect();
            }
        }
        let counts = "number of|the number of|line count|word count|the line count";
        if after_any(core, counts).is_some() {
            return self.count(core);
        }
        let files = self.files(core);
        let around = "and|file|the|content|contents|text|a|my|of|document|or";
        let named = |at: &usize| files.iter().any(|file| (file.start..file.end).contains(at));
        let only_files =
            (0..core.len()).all(|at| named(&at) || core[at].is_one_of(around) || core[at].kind == Kind::Mark);
        if !files.is_empty() && only_files {
            return files.into_iter().map(File::show).collect();
        }
        if (has_file_noun(core) || !self.folders(core, false).is_empty()) && self.is_about_place(core) {
            return self.listings(core, true);
        }
        Vec::new()
    }

    /// Whether a place is all that is spoken of.
    pub(super) fn is_about_place(&self, words: &[Word<'a>]) -> bool {
        let nouns = has_file_noun(words);
        let folders = self.folders(words, nouns);
        let known = |word: &Word<'a>| {
            word.kind == Kind::Mark
                || word.is_one_of(ABOUT_PLACES)
                || word.is_one_of(FILE_NOUNS)
                || folders.iter().any(|folder| folder == word.token.text)
        };
        let placed = !folders.is_empty() || nouns || has_any(words, "around|everything|inside|contents");
        placed && words.iter().all(known)
    }
}

/// What `list NAME` wants to see.
fn as_listed(file: File) -> Wish {
    match path::look(&file.path) {
        Look::File => file.read(),
        _ => Wish::List(file.path),
    }
}

/// Whether files or folders are spoken of.
pub(super) fn has_file_noun(words: &[Word<'_>]) -> bool {
    words.iter().any(|word| word.is_one_of(FILE_NOUNS))
}

/// Whether a bare word may be the name of a folder; several things of a kind are rather that (`list fruits`).
fn is_like_a_name(word: &str) -> bool {
    word.contains(|c: char| c.is_ascii_digit() || "_-".contains(c)) || !(word.ends_with('s') || word.is_empty())
}

/// The word, if it is the only one.
fn lone_word(words: &[Word<'_>]) -> Option<String> {
    match words {
        [word]
            if word.kind == Kind::Word
                && !word.is_one_of("it|this|that|here|me|up|them|all|everything|these|those|us") =>
        {
            Some(word.token.text.to_owned())
        }
        _ => None,
    }
}
