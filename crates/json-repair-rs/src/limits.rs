//! How much is read.

/// What a text may cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// How many bytes a text may have.
    pub bytes: usize,
    /// The nesting at which a text is refused; more than the 128 of `serde_json` counts as 128, because values are dropped and compared
    /// by recursion there.
    pub depth: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { bytes: 8 << 20, depth: DEEPEST }
    }
}

impl Limits {
    /// The nesting at which a text is refused.
    pub(crate) fn depth(self) -> usize {
        self.depth.min(DEEPEST)
    }
}

const DEEPEST: usize = 128;
