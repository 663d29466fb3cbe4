//! Lists of words and phrases, written with `|` between them.

/// The words of a list.
pub(super) fn each(list: &str) -> std::str::Split<'_, char> {
    list.split('|')
}

/// Whether a word is in a list.
pub(super) fn is_in(word: &str, list: &str) -> bool {
    each(list).any(|one| one == word)
}

/// The longest word of a list that a text begins with.
pub(super) fn beginning<'a>(text: &str, list: &'a str) -> Option<&'a str> {
    each(list).filter(|word| text.starts_with(word)).max_by_key(|word| word.len())
}

/// Whether a text begins with a word of a list.
pub(super) fn begins(text: &str, list: &str) -> bool {
    beginning(text, list).is_some()
}

/// Whether a text ends with a word of a list.
pub(super) fn ends(text: &str, list: &str) -> bool {
    each(list).any(|word| text.ends_with(word))
}
