//! Which file or folder a clause is about.

use super::super::lexer::Kind;
use super::super::path::{self, Look};
use super::super::wish::Wish;
use super::Request;
use super::words::{Word, after_any};

/// A file that a clause names.
#[derive(Debug)]
pub(super) struct File {
    pub(super) path: String,
    /// Whether it was named in passing, so that its exact name is to be found out.
    pub(super) is_loose: bool,
    /// Where its name begins in the clause.
    pub(super) start: usize,
    /// Where its name ends in the clause.
    pub(super) end: usize,
}

impl File {
    /// The wish to see what is in it, if it is to be a file.
    pub(super) fn read(self) -> Wish {
        match (self.is_loose, path::look(&self.path)) {
            (true, _) => Wish::Find(self.path),
            (_, Look::Folder) => Wish::List(self.path),
            _ => Wish::Read(self.path),
        }
    }

    /// The wish to see what is in it, whatever it is.
    pub(super) fn show(self) -> Wish {
        match path::look(&self.path) {
            Look::Either if !self.is_loose => Wish::Look(self.path),
            _ => self.read(),
        }
    }
}

pub(super) const FILE_NOUNS: &str = "file|files|folder|folders|directory|directories|dir|dirs|subfolder|subfolders|subdirectories|listing|filenames|\
     repo";

const FOLDER_NOUNS: &str = "folder|directory|dir|subfolder|subdirectory|folders";

/// Words that stand before a noun and name nothing.
const NO_NAMES: &str = "the|a|an|this|that|my|our|your|which|what|any|each|every|all|text|new|first|last|source|hidden|other|whole|\
     entire|empty|one|some|no|me|and|or|of|in|to|is|plain|blank|another|these|those|single|current|working|parent|\
     home|root|same|us|python|big|small";

/// Words that follow a noun and name nothing.
const NO_NAME_AFTER: &str = "in|here|please|is|are|and|for|with|to|of|on|at|from|that|which|there|inside|under|or|do|does|has|have|exist|\
     exists|contains|containing|listing|now|we|i|you|it|called|contents|content|list|structure|tree|look";

impl<'a> Request<'a> {
    /// The files and folders that are named, in order.
    pub(super) fn files(&self, words: &[Word<'a>]) -> Vec<File> {
        let mut files: Vec<File> = Vec::new();
        let mut at = 0;
        while at < words.len() {
            let Some(file) = self.file_at(words, at) else {
                at += 1;
                continue;
            };
            at = file.end;
            let inside = words[..file.start].last().is_some_and(|word| word.is_one_of("in|inside|from|under"));
            match files.last_mut() {
                Some(last) if inside && path::look(&file.path) != Look::File && !last.path.contains('/') => {
                    last.path = join(&file.path, &last.path);
                }
                _ => files.push(file),
            }
        }
        files
    }

    fn file_at(&self, words: &[Word<'a>], at: usize) -> Option<File> {
        let word = &words[at];
        let before = at.checked_sub(1).map(|before| &words[before]);
        let next = words.get(at + 1);
        let file = |path: &str, is_loose| Some(File { path: path.to_owned(), is_loose, start: at, end: at + 1 });
        if word.kind == Kind::Name || word.token.is_quote() {
            return file(word.token.text, false);
        }
        if word.kind != Kind::Word {
            return None;
        }
        if path::is_usual_file(&word.lower) {
            return file(word.token.text, true);
        }
        let called = before.is_some_and(|before| before.is_one_of("called|named"));
        let is_file = before.is_some_and(|before| before.is_one_of("file|document"));
        if called || (is_file && !word.is_one_of(NO_NAME_AFTER)) {
            return file(word.token.text, true);
        }
        if next.is_some_and(|next| next.lower == "file") && !word.is_one_of(NO_NAMES) && at > 0 {
            return file(word.token.text, true);
        }
        let pronoun = word.lower == "it" || (word.lower == "that" && next.is_none());
        let its = word.lower == "its" && next.is_some_and(|next| next.is_one_of("content|contents|text"));
        let known = self.file.as_deref().filter(|_| its || (pronoun && words.len() <= 4))?;
        file(known, false)
    }

    /// The folders that a clause is about; `.` where it says so. `bare` is whether any word may be the name of one.
    pub(super) fn folders(&self, words: &[Word<'a>], bare: bool) -> Vec<String> {
        let named: Vec<String> = (0..words.len()).filter_map(|at| named_folder(words, at, bare)).collect();
        let special = || (0..words.len()).find_map(|at| special_folder(&words[at..]));
        if named.is_empty() { special().into_iter().collect() } else { named }
    }

    /// The wishes to see what is in the folders that a clause is about, which is the working folder where it names none.
    pub(super) fn listings(&self, words: &[Word<'a>], bare: bool) -> Vec<Wish> {
        let folders = self.folders(words, bare);
        let folders = if folders.is_empty() { vec![".".into()] } else { folders };
        folders.into_iter().map(Wish::List).collect()
    }
}

fn special_folder(words: &[Word<'_>]) -> Option<String> {
    let here = "here|this folder|this directory|this dir|this place|this project|this repo|this repository|this workspace|\
         the current|current folder|current directory|current dir|working directory|working folder|the workspace|\
         my workspace|cwd|this location|your folder|the project";
    let above = "parent folder|parent directory|parent dir|one level up|up one level|folder above";
    let home = "home folder|home directory|home dir|my home";
    let root = "root folder|root directory|file system root";
    let folders = [(above, ".."), (home, "~"), (root, "/"), (here, ".")];
    folders.into_iter().find(|(phrases, _)| after_any(words, phrases).is_some()).map(|(_, folder)| folder.to_owned())
}

fn named_folder(words: &[Word<'_>], at: usize, bare: bool) -> Option<String> {
    let word = &words[at];
    let next = words.get(at + 1);
    let before = at.checked_sub(1).map(|before| &words[before]);
    let follows = |words: &str| before.is_some_and(|before| before.is_one_of(words));
    let quoted =
        word.token.is_quote() && (path::looks_like_path(word.token.text) || follows(PLACED) || follows(FOLDER_NOUNS));
    if word.kind == Kind::Name || quoted {
        return Some(word.token.text.to_owned());
    }
    if word.kind != Kind::Word || word.is_one_of(NO_NAMES) || word.is_one_of(FILE_NOUNS) {
        return None;
    }
    let before_noun = next.is_some_and(|next| next.is_one_of(FOLDER_NOUNS)) && !word.is_one_of(NO_NAME_AFTER);
    let after_noun = follows(FOLDER_NOUNS) && !word.is_one_of(NO_NAME_AFTER);
    let called = follows("called|named");
    let determined = follows("the|my|our") && at >= 2 && words[at - 2].is_one_of(PLACED);
    let ends = next.is_none_or(|next| next.kind == Kind::Mark);
    let bare = bare && ends && (follows(PLACED) || determined) && !word.is_one_of(NOT_FOLDERS);
    let usual = path::is_usual_folder(&word.lower);
    (before_noun || after_noun || called || bare || usual).then(|| word.token.text.to_owned())
}

/// What stands before the name of a folder.
const PLACED: &str = "in|inside|under|of|from|within|at";

/// What stands after "in" at the end of a sentence and is no folder.
const NOT_FOLDERS: &str = "detail|details|order|full|total|general|there|it|english|chinese|markdown|json|time|here|them|that|this|french|\
     short|size|workspace|project|repository|repo|place|moment|world|house|fridge|sky|shell|terminal|file|files";

/// A path inside a folder.
pub(super) fn join(folder: &str, name: &str) -> String {
    format!("{}/{name}", folder.trim_end_matches('/'))
}
