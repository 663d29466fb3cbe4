//! Makes text that others wrote harmless to a terminal.

/// Replaces what could move the cursor, change the terminal's state or turn the reading order around, by something visible.
/// Line ends and tabs stay; a carriage return goes.
pub(super) fn neutral(text: &str) -> String {
    text.chars().filter(|char| *char != '\r').map(neutral_char).collect()
}

/// The text on one line: whatever parts words becomes one space.
pub(super) fn neutral_line(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    neutral(&words.join(" "))
}

fn neutral_char(char: char) -> char {
    match char {
        '\n' | '\t' => char,
        '\0'..='\u{1f}' => char::from_u32(0x2400 + u32::from(char)).unwrap_or(char::REPLACEMENT_CHARACTER),
        '\u{7f}' => '\u{2421}',
        '\u{80}'..='\u{9f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => char::REPLACEMENT_CHARACTER,
        '\u{2028}' | '\u{2029}' => '\n',
        _ => char,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escape_sequences_are_shown_and_not_obeyed() {
        assert_eq!(neutral("a\x1b[31mb\x07\u{9b}0m"), "a␛[31mb␇\u{fffd}0m");
    }

    #[test]
    fn the_reading_order_cannot_be_turned_around() {
        assert_eq!(neutral("a\u{202e}b\u{2066}c"), "a\u{fffd}b\u{fffd}c");
    }

    #[test]
    fn line_ends_tabs_and_other_scripts_stay() {
        assert_eq!(neutral("中文\tשלום\r\n👍"), "中文\tשלום\n👍");
        assert_eq!(neutral_line(" a\n\tb  c "), "a b c");
    }
}
