//! Secrets taken out of a text that comes in pieces.

use super::Secrets;

/// Redacts a text that comes in pieces: whatever the cut, the same comes out. It holds back no more than what can still become a
/// secret.
#[derive(Clone, Debug, Default)]
pub struct Redactor {
    secrets: Secrets,
    /// What was shown last, for a token begins where a word does; then what is held back.
    text: String,
    shown: usize,
}

impl Redactor {
    /// For one text.
    #[must_use]
    pub fn new(secrets: Secrets) -> Self {
        Self { secrets, ..Self::default() }
    }

    /// Takes a piece; gives what can be shown.
    pub fn push(&mut self, piece: &str) -> String {
        self.text.push_str(piece);
        let open = self.secrets.open_from(&self.text, self.shown);
        self.show_up_to(open)
    }

    /// Gives the rest: the text is whole.
    pub fn finish(&mut self) -> String {
        let rest = self.show_up_to(self.text.len());
        (self.text, self.shown) = (String::new(), 0);
        rest
    }

    fn show_up_to(&mut self, end: usize) -> String {
        let shown = self.secrets.redacted(&self.text[..end], self.shown);
        let last = self.text[..end].chars().next_back().map_or(0, char::len_utf8);
        self.text.drain(..end - last);
        self.shown = last;
        shown
    }
}
