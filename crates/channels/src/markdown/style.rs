//! How a character looks, and what a terminal is told so that it does.

use std::ops::BitOr;

/// A set of looks, plain when empty.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Style(u8);

impl Style {
    pub(crate) const PLAIN: Self = Self(0);
    pub(crate) const BOLD: Self = Self(1);
    pub(crate) const DIM: Self = Self(1 << 1);
    pub(crate) const ITALIC: Self = Self(1 << 2);
    pub(crate) const UNDERLINE: Self = Self(1 << 3);
    pub(crate) const STRIKE: Self = Self(1 << 4);
    pub(crate) const CODE: Self = Self(1 << 5);
    pub(crate) const GOOD: Self = Self(1 << 6);
    pub(crate) const BAD: Self = Self(1 << 7);

    /// The escape sequence after which text has exactly this look.
    pub(crate) fn sequence(self) -> String {
        const CODES: [(Style, &str); 8] = [
            (Style::BOLD, ";1"),
            (Style::DIM, ";2"),
            (Style::ITALIC, ";3"),
            (Style::UNDERLINE, ";4"),
            (Style::STRIKE, ";9"),
            (Style::CODE, ";36"),
            (Style::GOOD, ";32"),
            (Style::BAD, ";31"),
        ];
        let codes = CODES.iter().filter(|(style, _)| self.0 & style.0 != 0).map(|(_, code)| *code);
        format!("\x1b[0{}m", codes.collect::<String>())
    }

    /// The text in this look, and plain after it.
    pub(crate) fn paint(self, text: &str) -> String {
        format!("{}{text}{}", self.sequence(), Self::PLAIN.sequence())
    }
}

impl BitOr for Style {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}
