//! What the name of a file or folder looks like.

use super::lists::is_in;

/// What a name seems to stand for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Look {
    File,
    Folder,
    Either,
}

const FOLDERS: &str = "src|docs|doc|tests|test|lib|bin|build|target|dist|config|crates|examples|scripts|data|assets|tmp|home|\
     node_modules|public|static|templates|images|photos|desktop|downloads|documents|music|pictures|.git|.github|\
     .config|.ssh|.cargo";

const FILES: &str = "readme|license|licence|makefile|dockerfile|changelog|contributing|copying|notice|authors|gemfile|procfile|\
     justfile|jenkinsfile|hosts|passwd|fstab|hostname|.gitignore|.env|.bashrc|.profile";

/// Abbreviations and sites, which are written like names of files.
const NOT_NAMES: &str = "e.g|i.e|a.m|p.m|u.s|u.k|a.k.a|vs.etc";
const SITES: &str = "com|org|net|io|cn";

/// Whether a bare word looks like the name of a file or folder: it has a slash, an extension, or begins with `~` or a dot.
pub(super) fn looks_like_path(word: &str) -> bool {
    if word.contains("://") || is_in(&word.to_ascii_lowercase(), NOT_NAMES) {
        return false;
    }
    let has_letter = word.chars().any(char::is_alphanumeric);
    let slash = word.contains('/') && (has_letter || word.chars().all(|c| "/.~".contains(c)));
    let hidden = word.starts_with('.') && (has_letter || matches!(word, "." | ".."));
    slash || hidden || word.starts_with('~') || extension(word).is_some_and(|end| !is_in(end, SITES))
}

/// The extension of a name, when it looks like one.
pub(super) fn extension(name: &str) -> Option<&str> {
    let last = last_part(name);
    let (stem, end) = last.rsplit_once('.')?;
    let plain = (1..=10).contains(&end.len()) && end.bytes().all(|byte| byte.is_ascii_alphanumeric());
    let letters = end.bytes().any(|byte| byte.is_ascii_alphabetic());
    let named = stem.chars().any(|c| c.is_alphanumeric() || c == '_');
    (plain && letters && named).then_some(end)
}

/// What a name seems to stand for.
pub(super) fn look(path: &str) -> Look {
    let last = last_part(path).to_lowercase();
    if last.is_empty() || matches!(last.as_str(), "." | ".." | "~") || is_in(&last, FOLDERS) {
        Look::Folder
    } else if extension(path).is_some() || is_in(&last, FILES) {
        Look::File
    } else {
        Look::Either
    }
}

/// Whether a bare word is a usual name of a file (`readme`).
pub(super) fn is_usual_file(word: &str) -> bool {
    is_in(&word.to_lowercase(), FILES)
}

/// Whether a bare word is a usual name of a folder (`src`).
pub(super) fn is_usual_folder(word: &str) -> bool {
    is_in(&word.to_lowercase(), FOLDERS)
}

fn last_part(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}
