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
    use super::*;

    #[test]
    fn bytes_that_are_no_text_become_replacement_characters() {
        let text = lossy(b"a\xED\xA0\xBDb\0\n");

        assert!(text.starts_with("a\u{FFFD}"), "{text:?}");
        assert!(text.ends_with("b\u{FFFD}\n"), "{text:?}");
    }

    #[test]
    fn sizes_are_told_in_the_unit_that_fits() {
        assert_eq!(
            [size(1), size(1_023), size(1_536), size(5 << 20), size(3 << 30)],
            ["1 byte", "1023 bytes", "1.5 KB", "5.0 MB", "3.0 GB"]
        );
    }
}
