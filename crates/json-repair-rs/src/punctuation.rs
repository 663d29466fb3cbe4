//! The signs of structure, as JSON spells them and as keyboards and word processors do.

/// A sign between the scalars.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mark {
    Open(Shape),
    Close(Shape),
    Comma,
    Colon,
}

/// What a pair of brackets holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    Object,
    Array,
    /// Python's; becomes an array.
    Tuple,
}

impl Mark {
    pub(crate) fn of(c: char) -> Option<Self> {
        Some(match c {
            '{' | '｛' => Self::Open(Shape::Object),
            '}' | '｝' => Self::Close(Shape::Object),
            '[' | '［' => Self::Open(Shape::Array),
            ']' | '］' => Self::Close(Shape::Array),
            '(' | '（' => Self::Open(Shape::Tuple),
            ')' | '）' => Self::Close(Shape::Tuple),
            ',' | '，' => Self::Comma,
            ':' | '：' => Self::Colon,
            _ => return None,
        })
    }
}

impl Shape {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Object => "object",
            Self::Array => "array",
            Self::Tuple => "tuple",
        }
    }
}

/// What a string is enclosed in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Quote {
    Double,
    Single,
    CurlyDouble,
    CurlySingle,
}

impl Quote {
    pub(crate) fn of(c: char) -> Option<Self> {
        Some(match c {
            '"' => Self::Double,
            '\'' => Self::Single,
            '“' | '”' | '„' | '‟' | '＂' => Self::CurlyDouble,
            '‘' | '’' | '‚' | '‛' | '＇' => Self::CurlySingle,
            _ => return None,
        })
    }

    /// Whether `c` is such a quote.
    pub(crate) fn is(self, c: char) -> bool {
        Self::of(c) == Some(self)
    }

    /// Whether it is also written as an apostrophe.
    pub(crate) fn is_single(self) -> bool {
        matches!(self, Self::Single | Self::CurlySingle)
    }

    /// What is typed for it where there is no other key.
    pub(crate) fn plain(self) -> char {
        if self.is_single() { '\'' } else { '"' }
    }
}

/// Whether `c` can stand between tokens: white space of any kind, and what is seen as nothing.
pub(crate) fn is_space(c: char) -> bool {
    c.is_whitespace() || matches!(c, '\0' | '\u{feff}' | '\u{200b}' | '\u{2060}')
}

/// Whether a key without quotes may begin with `c`.
pub(crate) fn begins_name(c: char) -> bool {
    c.is_alphabetic() || matches!(c, '_' | '$')
}

/// Whether `c` may stand in a key without quotes.
pub(crate) fn is_in_name(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '$')
}
