//! Which file a clause wants to have written, and where its name stands.

use super::super::lexer::Kind;
use super::super::path;
use super::Request;
use super::clause::begins_with_place;
use super::place::join;
use super::words::{Word, after_any};

/// Where in a clause the name of the file stands.
pub(super) struct Target {
    pub(super) path: String,
    /// Where it begins, with what leads up to it.
    pub(super) start: usize,
    /// Where it ends.
    pub(super) end: usize,
}

/// What may stand between the verb and the name of the file.
const BEFORE_NAME: &str = "a|an|the|new|empty|text|plain|blank|another|file|document|script|note|called|named|with|name|titled|of|contents|\
     content|me|up|my";

/// What may stand between a preposition and the name of the file.
const AFTER_PREPOSITION: &str =
    "the|a|an|my|this|new|file|text|document|called|named|end|bottom|of|very|existing|script|note";

const PREPOSITIONS: &str = "to|into|in|inside|onto|on|as|under|at";

/// What leads from the name of a file to its content.
pub(super) const CONNECTORS: &str = "with the content|with the contents|with content|with contents|with the following content|with the text|\
     with text|with the words|with the word|with the line|with the following text|with the string|with the following|\
     with|containing the text|containing the words|containing the word|containing the line|containing|that contains|\
     that says|that reads|which contains|which says|saying|says|holding|reading|contents|content is|content|text is|\
     and put|and write|the text|to say|and the content|and content|and the contents|and the text|and with the text|\
     and with";

impl<'a> Request<'a> {
    /// The file that is to be written.
    pub(super) fn target(&self, core: &[Word<'a>]) -> Option<Target> {
        if begins_with_place(core) {
            return self.named(core, 1, 0);
        }
        let direct = self.named(core, 1, 1);
        let connected = |target: &Target| {
            let rest = &core[target.end..];
            rest.is_empty()
                || rest[0].lower == ":"
                || after_any(rest, CONNECTORS).is_some()
                || after_any(rest, "to").is_some()
        };
        let moved = direct.as_ref().is_some_and(|target| core[target.end - 1].token.is_quote());
        let last = || (1..core.len()).rev().find_map(|at| self.after_preposition(core, at));
        match direct {
            Some(target) if connected(&target) && !moved => Some(self.in_folder(core, target)),
            Some(target) if moved => last().or(Some(target)),
            Some(target) => Some(self.in_folder(core, target)),
            None => last(),
        }
    }

    /// The name of a file that stands here, behind words that lead up to it.
    fn named(&self, core: &[Word<'a>], at: usize, start: usize) -> Option<Target> {
        let skip = core[at..].iter().take_while(|word| word.is_one_of(BEFORE_NAME)).count();
        let name = core.get(at + skip)?;
        let before = &core[at + skip - 1];
        let introduced = before.is_one_of("called|named|file|name|document");
        let is_name = name.kind == Kind::Name || path::is_usual_file(&name.lower);
        let made = core[0].is_one_of("create|make|touch|new");
        let quoted =
            name.token.is_quote() && (introduced || path::looks_like_path(name.token.text) || (skip == 0 && made));
        let bare =
            name.kind == Kind::Word && introduced && !name.is_one_of(PREPOSITIONS) && !name.is_one_of("with|and|that");
        let target = || Target { path: name.token.text.to_owned(), start, end: at + skip + 1 };
        (is_name || quoted || bare).then(target)
    }

    fn after_preposition(&self, core: &[Word<'a>], at: usize) -> Option<Target> {
        if !core[at].is_one_of(PREPOSITIONS) {
            return None;
        }
        let skip = core[at + 1..].iter().take_while(|word| word.is_one_of(AFTER_PREPOSITION)).count();
        let name = core.get(at + 1 + skip)?;
        let before = &core[at + skip];
        let next = core.get(at + 2 + skip);
        let ends = next.is_none_or(|next| next.kind == Kind::Mark);
        let introduced = before.is_one_of("called|named|file") || (before.lower == "as" && ends);
        let of_file = next.is_some_and(|next| next.lower == "file");
        let is_word = name.kind == Kind::Word && (introduced || of_file) && !name.is_one_of("it|that|this");
        let is_name = name.kind == Kind::Name || name.token.is_quote() || path::is_usual_file(&name.lower) || is_word;
        let it = name.is_one_of("it|that") && ends;
        let path = if is_name { Some(name.token.text.to_owned()) } else { self.file.clone().filter(|_| it) }?;
        let end = at + 2 + skip + usize::from(is_word && of_file);
        Some(self.in_folder(core, Target { path, start: at, end }))
    }

    /// Joins `notes.txt in docs`.
    fn in_folder(&self, core: &[Word<'a>], mut target: Target) -> Target {
        let rest = &core[target.end..];
        let Some(after) = after_any(rest, "in|inside|under|in the|inside the|in the folder") else {
            return target;
        };
        let Some(folder) = after.first() else { return target };
        let named = folder.kind == Kind::Name && path::look(folder.token.text) != path::Look::File;
        if named || path::is_usual_folder(&folder.lower) {
            let noun = after.get(1).is_some_and(|next| next.is_one_of("folder|directory|dir"));
            target.path = join(folder.token.text, &target.path);
            target.end = core.len() - after.len() + 1 + usize::from(noun);
        } else if after_any(rest, "in this folder|in this directory|in the current folder|in the current directory")
            .is_some()
        {
            target.end = core.len().min(target.end + 3 + usize::from(rest[1].lower == "the"));
        }
        target
    }
}
