//! Codes that people type.

/// Letters and digits that are not taken for one another.
const ALPHABET: &[u8; 32] = b"ABCDEFGHJKLMNPQRSTUVWXYZ23456789";

/// Makes a code of 40 bits; nothing where the system gives no random numbers.
pub(super) fn new() -> Option<String> {
    let mut bytes = [0; 8];
    if let Err(error) = getrandom::fill(&mut bytes) {
        tracing::error!(%error, "the system gives no random numbers, so nobody can be given a code");
        return None;
    }
    let letters: String = bytes.iter().map(|byte| char::from(ALPHABET[usize::from(byte % 32)])).collect();
    Some(format!("{}-{}", &letters[..4], &letters[4..]))
}

/// Whether a text is this code, however it is typed.
pub(super) fn is(code: &str, text: &str) -> bool {
    text.len() <= 32 && normal(text) == code
}

/// A code as it is kept.
pub(super) fn normal(text: &str) -> String {
    let letters: String = text.chars().filter(char::is_ascii_alphanumeric).map(|it| it.to_ascii_uppercase()).collect();
    match (letters.get(..4), letters.get(4..)) {
        (Some(head), Some(tail)) => format!("{head}-{tail}"),
        _ => letters,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_may_be_typed_in_small_letters_and_without_the_dash() {
        let code = new().unwrap();

        for typed in [code.clone(), code.to_lowercase(), code.replace('-', " "), format!(" {} ", code.replace('-', ""))]
        {
            assert!(is(&code, &typed), "{code} {typed}");
        }
        assert!(!is(&code, "") && !is(&code, &code[..7]));
    }
}
