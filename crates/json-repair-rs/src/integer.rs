//! Whole numbers that are too long: `serde_json` reads them as the nearest float, which is another number.

/// So many digits fit 64 bits, whatever they are.
const ALWAYS_FIT: usize = 18;

/// Where a JSON text holds a whole number of more than 64 bits, in bytes from its start.
#[must_use]
pub fn long_integer(text: &str) -> Option<usize> {
    if !has_long_run(text.as_bytes()) {
        return None;
    }
    let (mut in_string, mut escaped, mut number) = (false, false, None);
    // One byte more, so that a number at the end of the text ends too.
    for (at, byte) in text.bytes().chain([b' ']).enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => in_string = !in_string,
            _ if in_string => continue,
            _ => {}
        }
        if matches!(byte, b'0'..=b'9' | b'+' | b'-' | b'.' | b'e' | b'E') && !in_string {
            number.get_or_insert(at);
        } else if let Some(start) = number.take().filter(|start| !fits(&text[*start..at])) {
            return Some(start);
        }
    }
    None
}

/// Whether this token is kept as it is, or is no whole number at all.
pub(crate) fn fits(token: &str) -> bool {
    let digits = token.strip_prefix('-').unwrap_or(token);
    let is_whole = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    !is_whole || token.parse::<i64>().is_ok() || token.parse::<u64>().is_ok()
}

/// Whether there are so many digits in a row that a number may be too long. Most bytes need not be looked at.
fn has_long_run(bytes: &[u8]) -> bool {
    let mut at = ALWAYS_FIT;
    while at < bytes.len() {
        // Of a run longer than that, one digit stands where it is looked.
        match bytes[at - ALWAYS_FIT..=at].iter().rposition(|byte| !byte.is_ascii_digit()) {
            None => return true,
            Some(other) => at += other + 1,
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_whole_number_of_more_than_64_bits_is_found() {
        for (text, at) in [
            (r#"{"id":123456789012345678901234567890}"#, Some(6)),
            (r#"{"a\"1":[1,-9223372036854775809]}"#, Some(11)),
            ("18446744073709551616", Some(0)),
            ("18446744073709551615", None),
            ("[-9223372036854775808]", None),
            (r#"{"id":"123456789012345678901234567890"}"#, None),
            ("[1234567890123456789.5, 123456789012345678901e3]", None),
            ("", None),
        ] {
            assert_eq!(long_integer(text), at, "{text}");
        }
    }

    #[test]
    fn a_long_run_is_found_wherever_it_stands() {
        for before in 0..40 {
            let text = format!("{}{}", " ".repeat(before), "9".repeat(20));

            assert_eq!(long_integer(&text), Some(before));
        }
    }
}
