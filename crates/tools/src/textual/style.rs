//! How a text file is written: its line ends and the mark at its beginning.

use std::borrow::Cow;

/// The mark that some programs put at the beginning of a text in UTF-8.
const MARK: &str = "\u{FEFF}";

/// How a text file is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Style {
    /// Whether most lines end with CRLF.
    pub(crate) crlf: bool,
    /// Whether it begins with a byte order mark.
    pub(crate) mark: bool,
}

impl Style {
    pub(crate) fn of(content: &[u8]) -> Self {
        let all = memchr::memchr_iter(b'\n', content).count();
        let crlf = memchr::memmem::find_iter(content, b"\r\n").count();
        Self { crlf: crlf * 2 > all, mark: content.starts_with(MARK.as_bytes()) }
    }

    /// The text in this style. One that has CRLF of its own keeps its line ends.
    pub(crate) fn apply<'a>(self, text: &'a str) -> Cow<'a, str> {
        let mut text = Cow::Borrowed(text);
        if self.crlf && !text.contains("\r\n") {
            text = text.replace('\n', "\r\n").into();
        }
        if self.mark && !text.starts_with(MARK) {
            text = format!("{MARK}{text}").into();
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_takes_the_style_of_another() {
        let style = Style::of("\u{FEFF}a\r\nb\r\nc\n".as_bytes());

        assert_eq!(style, Style { crlf: true, mark: true });
        assert_eq!(style.apply("x\ny\n"), "\u{FEFF}x\r\ny\r\n");
        assert_eq!(style.apply("\u{FEFF}x\r\ny\n"), "\u{FEFF}x\r\ny\n");
        assert_eq!(Style::of(b"a\nb\r\n").apply("x\n"), "x\n");
    }
}
