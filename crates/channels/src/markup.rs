//! Markdown as marked text: the form between what a model writes and what a chat service shows.
//!
//! Layout: `walk` (events of the parser to pieces), `table` (tables as aligned text).

mod table;
#[cfg(test)]
mod tests;
mod walk;

/// How a stretch of text is marked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Mark {
    /// Bold.
    Bold,
    /// Italic.
    Italic,
    /// Struck through.
    Strike,
    /// A word of code.
    Code,
    /// Lines of code.
    Block {
        /// The language that was named.
        language: Option<String>,
    },
    /// Said by somebody else.
    Quote,
    /// A link to this address.
    Link(String),
}

/// A piece of marked text. Marks are nested, and none stands inside itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Piece {
    /// From here on the text has this mark too.
    Open(Mark),
    /// The mark that was opened last ends.
    Close,
    /// What is read.
    Text(String),
}

/// Reads Markdown.
pub(crate) fn read(markdown: &str) -> Vec<Piece> {
    walk::walk(markdown)
}

/// What is read of it where no marks can be shown.
#[cfg(test)]
pub(crate) fn visible(pieces: &[Piece]) -> String {
    let texts = pieces.iter().filter_map(|piece| match piece {
        Piece::Text(text) => Some(text.as_str()),
        Piece::Open(_) | Piece::Close => None,
    });
    texts.collect()
}
