//! Which pages of a document are wanted.

use std::ops::RangeInclusive;

/// Pages that one call shows at most.
const MOST_PAGES: u32 = 20;

/// The pages that are meant by "3", "1-5" or "10-" of a document that has this many; without a wish, the first ones.
pub(super) fn wanted(pages: Option<&str>, all: u32) -> Result<RangeInclusive<u32>, String> {
    let wrong = |pages: &str| format!("`pages` must be like \"3\", \"1-5\" or \"10-\", not \"{pages}\"");
    let number = |text: &str, pages: &str| text.trim().parse::<u32>().map_err(|_| wrong(pages));
    let (first, last) = match pages.map(str::trim).filter(|pages| !pages.is_empty()) {
        None => (1, all),
        Some(pages) => match pages.split_once('-') {
            None => (number(pages, pages)?, number(pages, pages)?),
            Some((first, "")) => (number(first, pages)?, all.max(number(first, pages)?)),
            Some((first, last)) => (number(first, pages)?, number(last, pages)?),
        },
    };
    if first == 0 || last < first {
        return Err(wrong(pages.unwrap_or_default()));
    }
    if first > all {
        return Err(format!(
            "page {first} is past the end: the document has {}",
            crate::text::count(all.into(), "page", "pages")
        ));
    }
    Ok(first..=last.min(all).min(first.saturating_add(MOST_PAGES - 1)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_chosen_one_by_one_in_ranges_and_to_the_end() {
        for (pages, all, expected) in [
            (None, 3, 1..=3),
            (None, 50, 1..=20),
            (Some(""), 2, 1..=2),
            (Some("3"), 5, 3..=3),
            (Some("1-5"), 4, 1..=4),
            (Some("10-"), 12, 10..=12),
            (Some(" 2 - 40 "), 90, 2..=21),
        ] {
            assert_eq!(wanted(pages, all), Ok(expected), "{pages:?} of {all}");
        }
    }

    #[test]
    fn what_is_no_range_or_not_there_is_refused() {
        for pages in ["0", "x", "-3", "5-3", "1,2", "1-x", "99999999999"] {
            assert!(wanted(Some(pages), 9).unwrap_err().starts_with("`pages` must be like"), "{pages}");
        }
        for pages in ["10", "10-", "10-12"] {
            assert_eq!(wanted(Some(pages), 9).unwrap_err(), "page 10 is past the end: the document has 9 pages");
        }
    }
}
