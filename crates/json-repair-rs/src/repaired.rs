//! What a text was found to say.

use serde_json::Value;

/// A value, and what had to be done to read it.
#[derive(Clone, Debug, PartialEq)]
pub struct Repaired {
    /// What the text says.
    pub value: Value,
    /// What was repaired, in the order in which it was met; nothing where the text is valid JSON.
    pub repairs: Vec<Repair>,
    /// The value is whole, but a fence or a tag around it lacks its end.
    pub truncated: bool,
}

/// One repair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Repair {
    /// What was done.
    pub kind: RepairKind,
    /// The byte of the text at which it was done.
    pub at: usize,
}

/// What was done to a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum RepairKind {
    /// A byte-order mark in front was left out.
    ByteOrderMark,
    /// White space that JSON does not know, or NUL between the tokens, was taken for white space.
    Space,
    /// A comment was left out.
    Comment,
    /// Prose around the value was left out.
    Prose,
    /// A Markdown fence around the value was left out.
    Fence,
    /// A tag around the value was left out.
    Tag,
    /// The same value stood there more than once.
    RepeatedValue,
    /// The same member stood in an object more than once.
    RepeatedMember,
    /// A comma before a closing bracket was left out.
    TrailingComma,
    /// Two items without a comma between them were told apart.
    MissingComma,
    /// Full-width punctuation was taken for structure.
    FullWidth,
    /// A string stood in quotes that are not JSON's.
    Quotes,
    /// A key stood without quotes.
    UnquotedKey,
    /// `True`, `False` or `None` was read.
    Word,
    /// A tuple was read as an array.
    Tuple,
    /// Control characters that stood in a string unescaped were kept.
    Control,
    /// Backslashes that escape nothing were kept.
    Backslash,
    /// Quotes that stood in a string unescaped were kept.
    InnerQuote,
}
