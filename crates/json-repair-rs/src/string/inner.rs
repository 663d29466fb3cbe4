//! Unescaped quotes in a string.
//!
//! Quotes that are content come in pairs, and stand close to what they quote: `say "hi" now`. What stands between two strings does not:
//! `"a" + "b"`, `"a"; "b"`.

/// What a quote in a string is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// It ends the string.
    End,
    /// It belongs to it.
    Content,
}

/// Whether a quote between these two looks like the first of a pair.
pub(crate) fn opens(previous: Option<char>, next: Option<char>) -> bool {
    let ends_item = previous.is_some_and(|c| c.is_ascii_alphanumeric() || ",{[，".contains(c));
    let begins_text = next.is_some_and(|c| c.is_alphanumeric() || "/.$-_#@<\\%~{([*".contains(c));
    !ends_item && begins_text
}

/// Whether a quote between these two looks like the second of a pair.
pub(crate) fn closes(previous: Option<char>, next: Option<char>) -> bool {
    let ends_text = previous.is_some_and(|c| !c.is_whitespace() && !",:;([{=+，：；".contains(c));
    let begins_word = next.is_some_and(|c| c.is_ascii_alphanumeric());
    ends_text && !begins_word
}
