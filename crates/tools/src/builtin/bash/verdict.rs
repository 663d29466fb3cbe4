//! What an exit code of 1 means.

/// Programs that say with an exit code of 1 that nothing was found, or that something differs.
const ANSWER_BY_EXIT_CODE: [&str; 11] =
    ["grep", "egrep", "fgrep", "rg", "ag", "diff", "cmp", "test", "[", "[[", "find"];

/// Words that may stand before a simple command.
const BEFORE_A_COMMAND: [&str; 9] = ["!", "{", "time", "command", "exec", "then", "else", "do", "if"];

/// Whether a command that exited with 1 has answered rather than failed: its last simple command is a search or a comparison.
pub(super) fn one_is_an_answer(command: &str) -> bool {
    let simple_commands = split(command);
    let Some(last) = simple_commands.iter().rev().find(|simple| !simple.trim().is_empty()) else { return false };
    let mut words = last.split_whitespace();
    let name = words.find(|word| !BEFORE_A_COMMAND.contains(word) && !is_assignment(word));
    let name = name.map(|name| name.rsplit('/').next().unwrap_or(name));
    name.is_some_and(|name| ANSWER_BY_EXIT_CODE.contains(&name))
}

fn is_assignment(word: &str) -> bool {
    let name = word.split_once('=').map(|(name, _)| name);
    name.is_some_and(|name| !name.is_empty() && name.chars().all(|letter| letter.is_alphanumeric() || letter == '_'))
}

/// Splits a command line into its simple commands. What is quoted or substituted stays in the one that it belongs to.
fn split(command: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut letters = command.chars().peekable();
    let mut before = ' ';
    while let Some(letter) = letters.next() {
        let part = parts.last_mut().expect("there is a part from the start, and none is taken away");
        match letter {
            '\\' => {
                part.push(letter);
                part.extend(letters.next());
            }
            '\'' | '"' | '`' => skip_to(letter, part, &mut letters),
            '(' if matches!(before, '$' | '<' | '>') => skip_substitution(part, &mut letters),
            '#' if before.is_whitespace() => while letters.next_if(|letter| *letter != '\n').is_some() {},
            '&' if matches!(before, '<' | '>') || letters.peek() == Some(&'>') => part.push(letter),
            ';' | '\n' | '|' | '&' | '(' | ')' => parts.push(String::new()),
            _ => part.push(letter),
        }
        before = letter;
    }
    parts
}

type Letters<'a> = std::iter::Peekable<std::str::Chars<'a>>;

/// Takes what is quoted, up to the closing quote.
fn skip_to(quote: char, part: &mut String, letters: &mut Letters) {
    part.push(quote);
    while let Some(letter) = letters.next() {
        part.push(letter);
        if letter == quote {
            return;
        }
        if letter == '\\' && quote != '\'' {
            part.extend(letters.next());
        }
    }
}

/// Takes what stands in `$( … )`, up to the bracket that closes it.
fn skip_substitution(part: &mut String, letters: &mut Letters) {
    let mut open = 1;
    while open > 0 {
        let Some(letter) = letters.next() else { return };
        match letter {
            '\'' | '"' => skip_to(letter, part, letters),
            '(' => open += 1,
            ')' => open -= 1,
            _ => part.push(letter),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_search_or_comparison_at_the_end_answers_with_one() {
        for command in [
            "grep -q x file",
            "cd src && rg 'a;b' . 2>&1",
            "LC_ALL=C /usr/bin/diff a b # ; rm x",
            "! cmp a b",
            "cat x | grep \"y && z\" &>out",
            "true; [ -f x ]\n",
            "[[ -d a ]]",
            "(cd x; find . -name y)",
            "grep $(cat a | tr x y) file",
            "diff <(sort a) <(sort b)",
            "grep it\\'s\\ \\; x",
            "if true; then test -e x",
        ] {
            assert!(one_is_an_answer(command), "{command}");
        }
    }

    #[test]
    fn anything_else_fails_with_one() {
        for command in [
            "",
            "  ",
            "cargo test",
            "grep x y && make",
            "echo grep",
            "grep x y | wc -l",
            "true # grep x",
            "'grep' x; false",
            "mygrep x",
        ] {
            assert!(!one_is_an_answer(command), "{command}");
        }
    }

    #[test]
    fn what_is_never_closed_ends_all_the_same() {
        for command in ["grep 'x", "grep $(a (b", "grep \\", "grep `x"] {
            assert!(one_is_an_answer(command), "{command}");
        }
    }
}
