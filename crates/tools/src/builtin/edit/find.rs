//! Where a text is in another, and how what comes in its place is indented.

use std::ops::Range;

/// Where a text was found.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// In order; they do not overlap.
    pub(super) places: Vec<Range<usize>>,
    /// Whether white space was not compared.
    pub(super) is_loose: bool,
    /// The lines that were looked for, where white space was not compared.
    wanted: Vec<String>,
}

/// Finds a text as it is; where it is not, lines that differ from it in white space alone.
pub(super) fn find(text: &str, wanted: &str) -> Found {
    let exact: Vec<Range<usize>> =
        text.match_indices(wanted).map(|(at, _)| at..at + wanted.len()).filter(|_| !wanted.is_empty()).collect();
    if !exact.is_empty() {
        return Found { places: exact, ..Found::default() };
    }
    let is_blank = |line: &&str| line.trim().is_empty();
    let lines: Vec<&str> = wanted.lines().skip_while(is_blank).collect();
    let end = lines.iter().rposition(|line| !is_blank(line)).map_or(0, |last| last + 1);
    let wanted: Vec<String> = lines[..end].iter().map(|line| (*line).to_owned()).collect();
    Found { places: find_lines(text, &wanted), is_loose: true, wanted }
}

/// Whole lines, without the break at the end of the last one.
fn find_lines(text: &str, wanted: &[String]) -> Vec<Range<usize>> {
    if wanted.is_empty() {
        return Vec::new();
    }
    let wanted: Vec<String> = wanted.iter().map(|line| squeezed(line)).collect();
    let mut at = 0;
    let lines: Vec<(usize, &str, String)> = text
        .split_inclusive('\n')
        .map(|line| {
            let start = at;
            at += line.len();
            let line = line.strip_suffix('\n').unwrap_or(line);
            (start, line, squeezed(line))
        })
        .collect();
    let mut places: Vec<Range<usize>> = Vec::new();
    for window in lines.windows(wanted.len()) {
        let (start, end) = (window[0].0, window[window.len() - 1].0 + window[window.len() - 1].1.len());
        let is_free = places.last().is_none_or(|last| last.end <= start);
        if is_free && window.iter().zip(&wanted).all(|((_, _, line), wanted)| line == wanted) {
            places.push(start..end);
        }
    }
    places
}

/// A line without the white space around it, and with single spaces in it.
fn squeezed(line: &str) -> String {
    line.split_whitespace().collect::<Vec<_>>().join(" ")
}

impl Found {
    /// The new text for what stands at one of the places: indented as that is, where the text that was looked for is not.
    pub(super) fn fit(&self, there: &str, new: &str) -> String {
        if !self.is_loose {
            return new.to_owned();
        }
        let mut indents: Vec<(&str, &str)> = Vec::new();
        for (wanted, line) in self.wanted.iter().zip(there.lines()) {
            if !wanted.trim().is_empty() && !indents.iter().any(|(known, _)| *known == indent(wanted)) {
                indents.push((indent(wanted), indent(line)));
            }
        }
        // The deepest that fits is the nearest.
        indents.sort_by_key(|(wanted, _)| std::cmp::Reverse(wanted.len()));
        let fitted: Vec<String> = new.lines().map(|line| fit_line(line, &indents)).collect();
        fitted.join("\n")
    }
}

fn fit_line(line: &str, indents: &[(&str, &str)]) -> String {
    if line.trim().is_empty() {
        return String::new();
    }
    let fitting = indents.iter().find_map(|(wanted, there)| Some((line.strip_prefix(wanted)?, there)));
    fitting.map_or_else(|| line.to_owned(), |(rest, there)| format!("{there}{rest}"))
}

fn indent(line: &str) -> &str {
    &line[..line.len() - line.trim_start().len()]
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn edited(text: &str, old: &str, new: &str) -> Option<String> {
        let found = find(text, old);
        let place = found.places.first()?.clone();
        Some(format!("{}{}{}", &text[..place.start], found.fit(&text[place.clone()], new), &text[place.end..]))
    }

    #[test]
    fn the_new_text_is_indented_as_the_old_one_is() {
        let text = "fn a() {\n\tif b {\n\t\tc();\n\t}\n}\n";

        let edited = edited(text, "if b {\n    c();\n}", "if b {\n    c();\n    d();\n}\n").unwrap();

        assert_eq!(edited, "fn a() {\n\tif b {\n\t\tc();\n\t\td();\n\t}\n}\n");
    }

    #[test]
    fn spaces_inside_of_lines_and_blank_lines_around_are_forgiven() {
        assert_eq!(edited("a  =  1\nb\n", "\n a = 1 \n\n", "a = 2").unwrap(), "a = 2\nb\n");
        assert_eq!(edited("a  =  1\nb\n", "a = 2", "x"), None);
    }

    #[test]
    fn an_exact_match_is_preferred() {
        assert_eq!(edited("  a\na\n", "\na\n", "\nb\n").unwrap(), "  a\nb\n");
    }

    proptest! {
        #[test]
        fn places_are_in_order_and_inside(text in "[ab \t\n]{0,40}", wanted in "[ab \n]{1,6}") {
            let found = find(&text, &wanted);

            prop_assert!(found.places.windows(2).all(|pair| pair[0].end <= pair[1].start));
            prop_assert!(found.places.iter().all(|place| text.get(place.clone()).is_some()));
        }
    }
}
