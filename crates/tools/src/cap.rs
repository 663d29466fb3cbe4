//! The cap on what one result may add to a conversation.

use chat::ToolResult;

/// Cuts a result to at most this many characters: its head and its tail stay, with a note of what was left out between them.
#[must_use]
pub fn cap_result(result: ToolResult, max_chars: usize) -> ToolResult {
    ToolResult {
        content: cap(result.content, max_chars),
        display: result.display.map(|display| cap(display, max_chars)),
        ..result
    }
}

fn cap(text: String, max_chars: usize) -> String {
    // No text has more characters than bytes, so most are never counted.
    if text.len() <= max_chars {
        return text;
    }
    let total = text.chars().count();
    if total <= max_chars {
        return text;
    }
    // The note is as long as it can get with these numbers, whatever the shown count turns out to be.
    let room = max_chars.saturating_sub(note(total, total).chars().count());
    if room == 0 {
        return text.chars().take(max_chars).collect();
    }
    let first = room.div_ceil(2);
    let head: String = text.chars().take(first).collect();
    let tail: String = text.chars().skip(total - (room - first)).collect();
    format!("{head}{}{tail}", note(total, room))
}

fn note(total: usize, shown: usize) -> String {
    format!(
        "\n\n[… cut here: the result has {total} characters, {shown} of them are shown: its head and its tail …]\n\n"
    )
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_result_within_the_cap_is_untouched() {
        let result =
            ToolResult { content: "ééé".into(), is_error: true, display: Some("d".into()), ..ToolResult::default() };

        assert_eq!(cap_result(result.clone(), 3), result);
    }

    #[test]
    fn a_giant_result_keeps_head_and_tail_and_says_how_much_there_was() {
        let content = format!("first{}last", "é".repeat(1_700_000));

        let capped = cap_result(ToolResult::ok(content), 50_000).content;

        assert!(capped.starts_with("firsté") && capped.ends_with("élast"));
        assert!(capped.contains("1700009 characters"));
        let shown = capped.chars().count();
        assert!((49_990..=50_000).contains(&shown), "{shown}");
    }

    proptest! {
        #[test]
        fn nothing_is_longer_than_the_cap(text in ".{0,300}", cap in 0..300usize) {
            let capped = cap_result(ToolResult::ok(text), cap);

            prop_assert!(capped.content.chars().count() <= cap);
        }
    }
}
