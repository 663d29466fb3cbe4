//! The `N|` that `read` puts in front of lines, where a model takes it for a part of the file.

/// Whether at least two lines, and six in ten, begin with consecutive `N|`.
pub(crate) fn looks_numbered(content: &str) -> bool {
    let numbers = content.lines().map(|line| numbered(line).map(|(number, _)| number));
    let (mut all, mut counted, mut last) = (0, 0, None);
    for number in numbers {
        all += 1;
        let Some(number) = number else { continue };
        if last.is_none_or(|last| number == last + 1) {
            counted += 1;
        }
        last = Some(number);
    }
    counted >= 2 && counted * 10 >= all * 6
}

/// The text without the numbers, where every line has one and they are consecutive.
pub(crate) fn without_numbers(text: &str) -> Option<String> {
    let lines: Vec<(u64, &str)> = text.split_inclusive('\n').map(numbered).collect::<Option<_>>()?;
    let consecutive = lines.windows(2).all(|pair| pair[1].0 == pair[0].0.wrapping_add(1));
    (consecutive && !lines.is_empty()).then(|| lines.into_iter().map(|(_, line)| line).collect())
}

fn numbered(line: &str) -> Option<(u64, &str)> {
    let (number, rest) = line.split_once('|')?;
    Some((number.trim().parse().ok()?, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_taken_off_where_every_line_has_its_own() {
        assert_eq!(without_numbers("7|a\n8|\n9|  b|c\n").as_deref(), Some("a\n\n  b|c\n"));
        assert_eq!(without_numbers("12|only").as_deref(), Some("only"));
        for text in ["", "a", "1|a\nb", "1|a\n3|b", "|a"] {
            assert_eq!(without_numbers(text), None, "{text:?}");
        }
    }
}
