//! Errors of deserialisation in words for people.

/// How much of a wrong value is quoted.
const QUOTED_CHARS: usize = 60;

/// What serde says of a key that a section does not have.
pub(crate) struct UnknownKey<'a> {
    /// The key.
    pub(crate) key: &'a str,
    /// The keys that the section has.
    pub(crate) known: Vec<&'a str>,
}

impl<'a> UnknownKey<'a> {
    /// Reads serde's message, which is the only place where the error tells them.
    pub(crate) fn read(message: &'a str) -> Option<Self> {
        let rest = message.strip_prefix("unknown field `")?;
        let (key, known) = rest.rsplit_once("`, expected ").or_else(|| rest.rsplit_once("`, there are no fields"))?;
        Some(Self { key, known: known.split('`').skip(1).step_by(2).collect() })
    }
}

/// What is wrong with a value, from serde's message.
pub(crate) fn wrong_value(message: &str) -> String {
    let found = ["invalid type: ", "invalid value: ", "unknown variant "];
    let split = found.iter().find_map(|start| message.strip_prefix(start)?.rsplit_once(", expected "));
    if message == "wanted string or table" {
        // What stands where one word of several is to stand; the message does not tell which.
        return "expected text in quotes".to_owned();
    }
    let Some((found, expected)) = split else { return shortened(message, 4 * QUOTED_CHARS) };
    format!("expected {}, found {}", expectation(expected), shortened(found, QUOTED_CHARS))
}

/// What serde expected, in the words of a configuration file.
fn expectation(expected: &str) -> &str {
    match expected {
        "u8" | "u16" | "u32" | "u64" | "usize" => "a whole number, 0 or more",
        "i8" | "i16" | "i32" | "i64" | "isize" => "a whole number",
        "f32" | "f64" => "a number",
        "a nonzero u8" | "a nonzero u16" | "a nonzero u32" | "a nonzero u64" | "a nonzero usize" => {
            "a whole number, 1 or more"
        }
        "a boolean" => "true or false",
        "a string" => "text in quotes",
        "path string" => "a path in quotes",
        "a sequence" => "a list in brackets",
        other if other == "a map" || other.starts_with("struct ") => "a section",
        other => other,
    }
}

fn shortened(text: &str, chars: usize) -> String {
    match text.char_indices().nth(chars) {
        Some((end, _)) => format!("{} …", &text[..end]),
        None => text.to_owned(),
    }
}

/// The name that was perhaps meant.
pub(crate) fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let normal = |name: &str| name.to_lowercase().replace('-', "_");
    let name = normal(name);
    let most = (name.chars().count() / 3).max(1);
    known
        .into_iter()
        .map(|candidate| (strsim::damerau_levenshtein(&name, &normal(candidate)), candidate))
        .filter(|(edits, _)| *edits <= most)
        .min_by_key(|(edits, _)| *edits)
        .map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name_is_a_few_letters_away_at_most() {
        let known = ["max_steps", "retries", "waiting"];

        assert_eq!(nearest("max_step", known), Some("max_steps"));
        assert_eq!(nearest("Max-Steps", known), Some("max_steps"));
        assert_eq!(nearest("retires", known), Some("retries"));
        assert_eq!(nearest("temperature", known), None);
    }

    #[test]
    fn a_long_wrong_value_is_cut() {
        let text = wrong_value(&format!("invalid type: string \"{}\", expected u32", "好".repeat(500)));

        assert!(text.starts_with("expected a whole number, 0 or more, found string \"好"), "{text}");
        assert!(text.chars().count() < 120);
    }

    #[test]
    fn a_value_that_quotes_serde_is_not_misread() {
        let text = wrong_value("invalid type: string \"x, expected y\", expected a boolean");

        assert_eq!(text, "expected true or false, found string \"x, expected y\"");
    }
}
