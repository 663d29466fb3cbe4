//! Why a text was refused.

/// Why a text was refused. Positions are bytes from its start.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// There is nothing but white space.
    #[error("there is no text")]
    Empty,
    /// The text is larger than the limit.
    #[error("the text has {size} bytes, and {limit} are the limit")]
    TooLarge {
        /// Its size in bytes.
        size: usize,
        /// The limit.
        limit: usize,
    },
    /// The nesting reaches the limit.
    #[error("the nesting at byte {at} reaches the limit of {limit}")]
    TooDeep {
        /// The bracket that is too much.
        at: usize,
        /// The limit.
        limit: usize,
    },
    /// The text ends while something is open: it was cut off.
    #[error("the {open} that begins at byte {at} has no end")]
    Truncated {
        /// What is open.
        open: &'static str,
        /// Where it begins.
        at: usize,
    },
    /// The text breaks the grammar where no repair is certain.
    #[error("{what} at byte {at}")]
    Invalid {
        /// What is wrong.
        what: &'static str,
        /// Where it is wrong.
        at: usize,
    },
    /// The text can be read in more than one way.
    #[error("{what} at byte {at}, which can be read in more than one way")]
    Ambiguous {
        /// What is in doubt.
        what: &'static str,
        /// Where it is in doubt.
        at: usize,
    },
}

impl Error {
    /// Tells whether the text lacks its end, rather than being wrong.
    #[must_use]
    pub fn is_truncated(&self) -> bool {
        matches!(self, Self::Truncated { .. })
    }

    pub(crate) fn invalid(what: &'static str, at: usize) -> Self {
        Self::Invalid { what, at }
    }

    pub(crate) fn ambiguous(what: &'static str, at: usize) -> Self {
        Self::Ambiguous { what, at }
    }
}
