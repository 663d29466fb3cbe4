//! What a tool call looks like on one line.

use chat::Language;
use serde_json::{Map, Value};

use crate::markdown::{width_of, width_of_text};
use crate::terminal::neutral::neutral_line;
use crate::wording::Text;

/// Longer labels are cut.
const LONGEST_LABEL: usize = 200;

/// The tool's name and what tells most about the call.
pub(super) fn label(name: &str, arguments: Option<&Map<String, Value>>, language: Language) -> String {
    let about = match arguments {
        Some(arguments) => telling(arguments),
        None => Text::ArgumentsRefused.say(language),
    };
    let label = neutral_line(&format!("{name} {about}"));
    fit(&label, LONGEST_LABEL)
}

/// The argument that tells most: one whose name says what is acted on, else the first that is short enough to be read.
fn telling(arguments: &Map<String, Value>) -> String {
    const NAMES: [&str; 6] = ["command", "path", "file", "url", "query", "pattern"];
    let named = NAMES.iter().find_map(|name| arguments.get(*name));
    match named.or_else(|| arguments.values().find(|value| value.is_string() || value.is_number())) {
        Some(Value::String(text)) => text.chars().take(2 * LONGEST_LABEL).collect(),
        Some(Value::Number(number)) => number.to_string(),
        _ => String::new(),
    }
}

/// What stands in front of a tool that ended.
pub(super) fn sign(is_error: bool) -> &'static str {
    if is_error { "✗" } else { "✓" }
}

/// A span of time, for people.
pub(super) fn duration(ms: u64) -> String {
    let seconds = ms / 1000;
    match seconds {
        0..10 => format!("{}.{} s", seconds, ms % 1000 / 100),
        10..60 => format!("{seconds} s"),
        _ => format!("{} min {:02} s", seconds / 60, seconds % 60),
    }
}

/// The text in so many columns; an ellipsis stands for what does not fit.
pub(super) fn fit(text: &str, columns: usize) -> String {
    if width_of_text(text) <= columns {
        return text.to_owned();
    }
    let mut used = 1;
    let kept = text.chars().take_while(|char| {
        used += width_of(*char);
        used <= columns
    });
    let kept: String = kept.collect();
    format!("{}…", kept.trim_end())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn labelled(arguments: Value) -> String {
        label("tool", arguments.as_object(), Language::English)
    }

    #[test]
    fn the_telling_argument_is_shown_on_one_line() {
        assert_eq!(labelled(json!({"content": "long", "path": "a.txt"})), "tool a.txt");
        assert_eq!(labelled(json!({"flag": true, "what": "x\n y"})), "tool x y");
        assert_eq!(labelled(json!({"count": 3})), "tool 3");
        assert_eq!(labelled(json!({})), "tool");
        assert_eq!(labelled(Value::Null), "tool (arguments refused)");
    }

    #[test]
    fn a_label_cannot_carry_escape_sequences() {
        assert_eq!(labelled(json!({"command": "ls \x1b[2J"})), "tool ls ␛[2J");
    }

    #[test]
    fn spans_of_time_are_as_exact_as_they_matter() {
        let spans = [0, 3249, 12_000, 59_999, 125_000].map(duration);

        assert_eq!(spans, ["0.0 s", "3.2 s", "12 s", "59 s", "2 min 05 s"]);
    }

    #[test]
    fn text_is_cut_by_columns() {
        assert_eq!(fit("abcdef", 6), "abcdef");
        assert_eq!(fit("abc def", 5), "abc…");
        assert_eq!(fit("中文字符", 5), "中文…");
    }
}
