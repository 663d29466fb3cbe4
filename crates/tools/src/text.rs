//! Text that a model is shown: readable whatever the bytes, and cut where it can be cut.

/// Lines that one result shows at most.
pub(crate) const MOST_LINES: usize = 2_000;

/// Bytes that one result shows at most, so that it passes the cap of 50 000 characters with the notes around it.
pub(crate) const MOST_BYTES: usize = 48 * 1024;

/// The bytes as text: what is not UTF-8, and NUL, which some services refuse, becomes U+FFFD.
pub(crate) fn lossy(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).replace('\0', "\u{FFFD}")
}

/// The beginning of a text, with `…` where some is left out.
pub(crate) fn clip(text: &str, most_chars: usize) -> String {
    match text.char_indices().nth(most_chars) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// As much of the beginning as fits: whole lines, or whole characters where not even the first line fits.
pub(crate) fn head(text: &str, most_lines: usize, most_bytes: usize) -> &str {
    let fitting = &text[..text.floor_char_boundary(most_bytes)];
    let mut ends = fitting.match_indices('\n').map(|(at, _)| at + 1).take(most_lines);
    match ends.by_ref().last() {
        Some(_) if fitting.len() == text.len() && fitting.lines().count() <= most_lines => text,
        Some(end) => &text[..end],
        None if most_lines == 0 => "",
        None => fitting,
    }
}

/// As much of the end as fits: whole lines, or whole characters where not even the last line fits.
pub(crate) fn tail(text: &str, most_lines: usize, most_bytes: usize) -> &str {
    let from = text.ceil_char_boundary(text.len().saturating_sub(most_bytes));
    let fitting = &text[from..];
    // A line break at the very end closes the last line; it does not begin another.
    let inner = fitting.strip_suffix('\n').unwrap_or(fitting);
    let by_lines = inner.rmatch_indices('\n').nth(most_lines.saturating_sub(1)).map(|(at, _)| at + 1);
    match by_lines {
        _ if most_lines == 0 => "",
        Some(at) => &fitting[at..],
        None if from == 0 || text[..from].ends_with('\n') => fitting,
        None => inner.find('\n').map_or(fitting, |at| &fitting[at + 1..]),
    }
}

/// A number of bytes for people.
pub(crate) fn size(bytes: u64) -> String {
    #[allow(clippy::cast_precision_loss)]
    let exact = bytes as f64;
    match bytes {
        1 => "1 byte".to_owned(),
        0..1_024 => format!("{bytes} bytes"),
        1_024..1_048_576 => format!("{:.1} KB", exact / 1_024.0),
        1_048_576..1_073_741_824 => format!("{:.1} MB", exact / 1_048_576.0),
        _ => format!("{:.1} GB", exact / 1_073_741_824.0),
    }
}

/// A number of things for people.
pub(crate) fn count(number: u64, singular: &str, plural: &str) -> String {
    let name = if number == 1 { singular } else { plural };
    format!("{number} {name}")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn bytes_that_are_no_text_become_replacement_characters() {
        let text = lossy(b"a\xED\xA0\xBDb\0\n");

        assert!(text.starts_with("a\u{FFFD}"), "{text:?}");
        assert!(text.ends_with("b\u{FFFD}\n"), "{text:?}");
    }

    #[test]
    fn head_and_tail_keep_whole_lines() {
        assert_eq!(head("one\ntwo\nthree\n", 2, 100), "one\ntwo\n");
        assert_eq!(head("one\ntwo\nthree\n", 9, 9), "one\ntwo\n");
        assert_eq!(tail("one\ntwo\nthree\n", 2, 100), "two\nthree\n");
        assert_eq!(tail("one\ntwo\nthree", 9, 8), "three");
    }

    #[test]
    fn a_line_that_does_not_fit_is_cut_between_characters() {
        assert_eq!(head("ééééé", 9, 5), "éé");
        assert_eq!(tail("ééééé", 9, 5), "éé");
    }

    #[test]
    fn sizes_are_told_in_the_unit_that_fits() {
        assert_eq!(
            [size(1), size(1_023), size(1_536), size(5 << 20), size(3 << 30)],
            ["1 byte", "1023 bytes", "1.5 KB", "5.0 MB", "3.0 GB"]
        );
    }

    proptest! {
        #[test]
        fn head_and_tail_are_pieces_of_the_text_within_the_limits(text in "[aé\n]{0,40}", lines in 0..6usize, bytes in 0..30usize) {
            let (first, last) = (head(&text, lines, bytes), tail(&text, lines, bytes));

            prop_assert!(text.starts_with(first) && text.ends_with(last));
            prop_assert!(first.len() <= bytes && last.len() <= bytes);
            prop_assert!(first.lines().count() <= lines && last.lines().count() <= lines);
        }

        #[test]
        fn a_text_within_the_limits_is_shown_whole(text in "[aé\n]{0,40}") {
            prop_assert_eq!(head(&text, 41, 80), &text);
            prop_assert_eq!(tail(&text, 41, 80), &text);
        }
    }
}
