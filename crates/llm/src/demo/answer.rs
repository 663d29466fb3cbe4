//! What tools gave back, as a person is shown it.

/// Of a text, this many lines are shown.
const MOST_LINES: usize = 200;

/// Of a text, this many bytes are shown.
const MOST_BYTES: usize = 12_000;

/// A code block around a text, with a fence that is longer than any in it.
pub(super) fn block(text: &str) -> String {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(3.max(longest + 1));
    format!("{fence}\n{}\n{fence}", text.trim_end_matches('\n'))
}

/// A text within a sentence, set apart as code.
pub(super) fn code(text: &str) -> String {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let ticks = "`".repeat(longest + 1);
    let space = if text.starts_with('`') || text.ends_with('`') { " " } else { "" };
    format!("{ticks}{space}{text}{space}{ticks}")
}

/// As much of a text as is shown, and how many lines there are of how many, where that is not all.
pub(super) fn beginning(text: &str) -> (&str, Option<(usize, usize)>) {
    let mut end = 0;
    let mut shown = 0;
    for line in text.split_inclusive('\n').take(MOST_LINES) {
        if end + line.len() > MOST_BYTES && shown > 0 {
            break;
        }
        end += line.len();
        shown += 1;
    }
    end = text.floor_char_boundary(end.min(MOST_BYTES));
    let all = text.lines().count();
    (&text[..end], (end < text.len()).then_some((shown, all)))
}

/// A file as a tool showed it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Page {
    /// Its lines, without their numbers.
    pub(super) text: String,
    /// What the tool says about them.
    pub(super) notes: Vec<String>,
}

/// Takes the numbers off lines that were shown as `1|first`, `2|second`, and the notes that follow them. Text without numbers is
/// left as it is.
pub(super) fn page(shown: &str) -> Page {
    let mut lines = Vec::new();
    let mut rest = shown.split('\n').peekable();
    while let Some(line) = rest.peek().and_then(|line| line.strip_prefix(&format!("{}|", lines.len() + 1))) {
        lines.push(line);
        rest.next();
    }
    let notes: Vec<String> = rest.map(str::to_owned).collect();
    let is_note = |note: &String| note.is_empty() || (note.starts_with('[') && note.ends_with(']'));
    if lines.is_empty() || !notes.iter().all(is_note) {
        return Page { text: shown.to_owned(), notes: Vec::new() };
    }
    Page { text: lines.join("\n"), notes: notes.into_iter().filter(|note| !note.is_empty()).collect() }
}

/// The output of a command without what the tool adds about a good end.
pub(super) fn output(shown: &str) -> &str {
    let text = shown.trim_end().strip_suffix("[exit code 0]").unwrap_or(shown).trim_end();
    if text == "(no output)" { "" } else { text }
}

/// The names in a listing; those of folders end with a slash.
pub(super) fn entries(listing: &str) -> impl Iterator<Item = &str> {
    listing.lines().filter(|line| !line.starts_with('[')).map(|line| line.split(" -> ").next().unwrap_or(line))
}

/// The name in a listing that a person means: the same but for case, or but for its extension.
pub(super) fn find_entry(listing: &str, name: &str) -> Option<String> {
    let entries = || entries(listing);
    let wanted = name.to_lowercase();
    let bare = |entry: &str| entry.trim_end_matches('/').to_lowercase();
    let stem = |entry: &str| bare(entry).rsplit_once('.').map(|(stem, _)| stem.to_owned());
    let same = entries().find(|entry| entry.trim_end_matches('/') == name);
    let same = same.or_else(|| entries().find(|entry| bare(entry) == wanted));
    let found =
        same.or_else(|| entries().find(|entry| !wanted.is_empty() && stem(entry).as_deref() == Some(wanted.as_str())));
    found.map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fence_is_longer_than_any_in_the_text() {
        assert_eq!(block("a\n"), "```\na\n```");
        assert_eq!(block("````\nx\n````"), "`````\n````\nx\n````\n`````");
        assert_eq!(code("a`b"), "``a`b``");
    }

    #[test]
    fn numbers_of_lines_are_taken_off_and_notes_set_apart() {
        let page = page("1|one\n2|2|two\n[lines 1-2 of 3; go on with offset=3]");

        assert_eq!(page.text, "one\n2|two");
        assert_eq!(page.notes, ["[lines 1-2 of 3; go on with offset=3]"]);
    }

    #[test]
    fn text_without_numbers_is_left_as_it_is() {
        for text in ["plain", "1|a\nb", "2|b\n3|c", ""] {
            assert_eq!(page(text), Page { text: text.into(), notes: Vec::new() }, "{text}");
        }
    }

    #[test]
    fn a_long_text_is_cut_after_whole_lines() {
        let text = "line\n".repeat(1_000);

        assert_eq!(beginning(&text), (&text[..1_000], Some((200, 1_000))));
        assert_eq!(beginning("short"), ("short", None));
        assert_eq!(beginning(&"é".repeat(10_000)).0.len(), 12_000);
    }

    #[test]
    fn a_name_is_found_without_regard_to_case_and_extension() {
        let listing = "License\nReadme.md\nnotes/\nnotes.txt\n[1 more entry; 5 in all]";

        assert_eq!(find_entry(listing, "readme").as_deref(), Some("Readme.md"));
        assert_eq!(find_entry(listing, "LICENSE").as_deref(), Some("License"));
        assert_eq!(find_entry(listing, "notes").as_deref(), Some("notes/"));
        assert_eq!(find_entry(listing, "other"), None);
    }
}
