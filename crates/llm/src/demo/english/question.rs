//! Questions about a folder, a file, the time and the place.

use super::super::lexer::Kind;
use super::super::path::{self, Look};
use super::super::wish::{Unit, Wish};
use super::Request;
use super::look::has_file_noun;
use super::place::File;
use super::words::{Word, after_any, has_any};

const TIME: &str = "what time|what is the time|what is the date|what day|what date|what is the current date|\
     what is the current time|what is todays date|what is today|which day";

const WHERE: &str = "where am i|where are we|where are you|what is the current directory|what is the current folder|\
     what is the working directory|what is the current working directory|what is the current path|\
     which folder are we|which directory are we|which folder am i|which directory am i|what folder are we|\
     what directory are we|what folder is this|what directory is this";

/// Questions about how things are done, and about what words mean.
const INSTRUCTION: &str = "how to|how do i|how do you|how can i|how would i|how does one|how should|why|when|what is a|what is an|\
     what are the best|how do we";

impl<'a> Request<'a> {
    /// A clause that begins like a question.
    pub(super) fn question(&self, core: &[Word<'a>]) -> Vec<Wish> {
        if after_any(core, TIME).is_some() {
            return vec![Wish::Run("date".into())];
        }
        if after_any(core, WHERE).is_some() {
            return vec![Wish::Run("pwd".into())];
        }
        if after_any(core, "how many|how long").is_some() {
            return self.how_many(core);
        }
        if after_any(core, INSTRUCTION).is_some() {
            return Vec::new();
        }
        if has_any(core, "output of|result of") {
            return super::run::output_of(core).into_iter().collect();
        }
        if let Some(command) = super::run::what_does_it_print(core) {
            return vec![Wish::Run(command)];
        }
        self.what(core)
    }

    fn what(&self, core: &[Word<'a>]) -> Vec<Wish> {
        let files = self.files(&core[1..]);
        let first = &core[0];
        let exists = has_any(core, "exist|exists") || after_any(core, "is there a|do we have a").is_some();
        if let Some(file) = files.first().filter(|file| exists && path::look(&file.path) == Look::File) {
            return vec![Wish::List(parent(&file.path))];
        }
        let open = first.is_one_of("what|which|any|anything")
            || after_any(core, "is there anything|is there something|are there|is there any").is_some()
            || after_any(core, "how does|does|do you see|do we have|do i have|is anything").is_some();
        let readable = files.iter().any(|file| path::look(&file.path) != Look::Folder);
        if open && readable && !has_plural(core) {
            return files.into_iter().map(File::show).collect();
        }
        if let [_, is, place, name] = core
            && name.kind == Kind::Word
            && is.lower == "is"
            && place.is_one_of("in|inside")
            && !name.is_one_of("here|there|it|this|that")
            && !path::is_usual_folder(&name.lower)
        {
            return vec![Wish::Find(name.token.text.to_owned())];
        }
        if self.asks_for_listing(core, open) {
            return self.listings(core, has_file_noun(core));
        }
        Vec::new()
    }

    fn asks_for_listing(&self, core: &[Word<'a>], open: bool) -> bool {
        let nouns = has_file_noun(core);
        let there = "exist|available|are there|there are|have|around|present|see|are here|exists";
        let placed = !self.folders(core, nouns).is_empty() || has_any(core, there);
        (open && has_plural(core) && placed && self.is_about_files(core)) || (open && self.is_about_place(core))
    }

    /// Whether files are what a question asks for, and nothing is to be done with them.
    fn is_about_files(&self, core: &[Word<'a>]) -> bool {
        !has_any(core, "should|need|best|would|required|must|use|delete|for a")
    }

    fn how_many(&self, core: &[Word<'a>]) -> Vec<Wish> {
        let counted = self.count(core);
        if !counted.is_empty() {
            return counted;
        }
        if after_any(core, "how long is").is_some() {
            let lines = self.files(&core[3..]).into_iter();
            return lines.map(|file| Wish::Count { path: file.path, unit: Unit::Lines }).collect();
        }
        if has_plural(core) && self.asks_for_listing(core, true) {
            return self.listings(core, true);
        }
        Vec::new()
    }
}

/// Whether several files or folders are spoken of, or one folder.
fn has_plural(words: &[Word<'_>]) -> bool {
    let nouns = "files|folders|directories|dirs|subfolders|subdirectories|folder|directory|dir";
    words.iter().any(|word| word.is_one_of(nouns))
}

/// The folder that a file is in.
fn parent(path: &str) -> String {
    match path.trim_end_matches('/').rsplit_once('/') {
        Some(("", _)) => "/".into(),
        Some((folder, _)) => folder.to_owned(),
        None => ".".into(),
    }
}
