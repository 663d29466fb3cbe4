//! Wishes to have a command run.

use super::super::lexer::Kind;
use super::super::lists::{each, is_in};
use super::super::path;
use super::super::shell::{shell_word, start_script};
use super::super::wish::{Gap, Wish};
use super::words::{self, Word, after_any};

/// Programs whose names alone are a command.
const ALONE: &str =
    "pwd|date|whoami|uptime|hostname|df|env|printenv|ps|id|tree|uname|cal|lscpu|lsblk|nproc|ifconfig|git";

/// Programs whose names mean nothing else.
const PROGRAMS: &str = "pwd|whoami|uptime|hostname|df|du|env|printenv|ps|id|uname|git|cargo|rustc|python|python3|node|npm|npx|pip|pip3|\
     go|gcc|cmake|java|curl|wget|ping|mkdir|rmdir|rm|cp|mv|chmod|chown|sed|awk|grep|rg|fd|wc|uniq|diff|tar|zip|unzip|\
     ssh|docker|kubectl|systemctl|journalctl|echo|printf|seq|sh|bash|zsh|jq|ls|tree|dig|apt|brew|lscpu|sqlite3|ffmpeg";

/// Programs whose names are words too: they need a flag to be taken for a command as typed.
const WORDS_TOO: &str =
    "date|find|make|sort|test|kill|which|who|time|sleep|file|head|tail|cat|less|touch|cut|join|stat|free";

/// What stands behind "run" and is no program.
const NO_PROGRAMS: &str = "a|an|the|my|your|our|for|to|out|over|away|fast|faster|home|tests|something|anything|me|with|through|into|along|\
     late|errands|around|some|all|quickly|every|again|on|in|and|of|at|this|that|by|us|everything";

/// A clause that is a command as it stands: `$ ls`, `` `date` ``, `git status`.
pub(super) fn as_typed(text: &str, words: &[Word<'_>]) -> Option<Wish> {
    let first = words.first()?;
    if first.lower == "$" {
        return raw(text, words.get(1..)?).map(Wish::Run);
    }
    if first.kind == Kind::Code && words.len() == 1 && !path::looks_like_path(first.token.text.trim()) {
        return Some(Wish::Run(first.token.text.trim().to_owned()));
    }
    let name = first.token.text;
    let shell = words[1..].iter().any(is_shell_mark);
    let arguments = words[1..].iter().any(|word| is_shell_mark(word) || is_argument(word));
    let sub = "git|cargo|npm|docker|kubectl|systemctl|echo|pip|apt|go".split('|').any(|one| one == name);
    let typed = first.kind == Kind::Word
        && ((words.len() == 1 && is_in(name, ALONE))
            || (is_in(name, PROGRAMS) && (if name == "ls" { shell } else { arguments }))
            || (is_in(name, WORDS_TOO) && shell)
            || (sub && (2..=6).contains(&words.len())));
    (typed && name != "mkdir").then(|| raw(text, words).map(Wish::Run)).flatten()
}

fn is_shell_mark(word: &Word<'_>) -> bool {
    let flag = word.kind == Kind::Word && word.token.text.starts_with('-') && word.token.text.len() > 1;
    flag || (word.kind == Kind::Mark && "|<>&$".contains(&word.lower))
}

fn is_argument(word: &Word<'_>) -> bool {
    word.kind == Kind::Name || word.token.is_quote() || word.token.text.contains('*')
}

/// `run …`: the command is what is quoted, else what was typed.
pub(super) fn run(text: &str, core: &[Word<'_>], file: Option<&str>) -> Wish {
    let verb = &core[0];
    let strict = verb.is_one_of("start|launch|do|call|perform|issue|invoke|try");
    let leads = "the command|this command|the following shell command|the following bash command|\
         the following terminal command|the following command|the shell command|the following|this|the program|\
         command|a command|the bash command|the commands|the script|a shell command|the terminal command|\
         following command|in the shell|in the terminal|in bash|script|program";
    let named = after_any(&core[1..], leads);
    let rest = named.unwrap_or(&core[1..]);
    let rest = after_any(rest, "for me|please|running|executing|run").unwrap_or(rest);
    let rest = after_any(rest, "a|an|the")
        .filter(|rest| rest.first().is_some_and(|word| word.kind == Kind::Code))
        .unwrap_or(rest);
    let rest = rest
        .iter()
        .position(|word| !(word.kind == Kind::Mark && ":\n,".contains(&word.lower)))
        .map_or(&[][..], |at| &rest[at..]);
    let Some(first) = rest.first() else {
        return if named.is_some() { Wish::Unclear(Gap::Command) } else { Wish::Unknown };
    };
    let places = "in|inside|from|on";
    if first.token.is_quote() && (first.kind != Kind::Quoted || rest.len() == 1 || rest[1].is_one_of(places)) {
        return Wish::Run(in_folder(first.token.text.trim(), &rest[1..]));
    }
    if first.lower == "it" && rest.len() == 1 {
        return file.map_or(Wish::Unclear(Gap::Command), |file| Wish::Run(start_script(file)));
    }
    command(text, rest, named.is_some(), strict)
}

fn command(text: &str, rest: &[Word<'_>], named: bool, strict: bool) -> Wish {
    // "Run the date command."
    let noun = rest.len() > 1 && rest[rest.len() - 1].is_one_of("command|program");
    let start = usize::from(noun && rest.len() > 2 && rest[0].is_one_of("the|a|this"));
    let rest = &rest[start..rest.len() - usize::from(noun)];
    let first = &rest[0];
    let name = first.token.text;
    let known = is_in(name, PROGRAMS) || is_in(name, WORDS_TOO) || is_in(name, ALONE);
    let shell = rest.iter().any(is_shell_mark);
    if first.kind == Kind::Name && rest.len() == 1 {
        return Wish::Run(start_script(name));
    }
    let likely = !strict && !first.is_one_of(NO_PROGRAMS) && (rest.len() == 1 || first.kind == Kind::Name);
    if known || shell || named || noun || likely {
        return raw(text, rest).map_or(Wish::Unclear(Gap::Command), Wish::Run);
    }
    if rest.iter().any(|word| word.lower == "command") { Wish::Unclear(Gap::Command) } else { Wish::Unknown }
}

/// The text of these words as it was typed, without courtesies after it.
fn raw(text: &str, words: &[Word<'_>]) -> Option<String> {
    let words = words::without_tail(words);
    let tails = "in the terminal|in the shell|in bash|in a shell|in my terminal|on the command line";
    let tail = |tail: &str| {
        let start = words.len().checked_sub(tail.split(' ').count())?;
        words::after(&words[start..], tail).map(|_| start)
    };
    let words = each(tails).find_map(tail).map_or(words, |start| &words[..start]);
    Some(text[words.first()?.token.start..words.last()?.token.end].to_owned())
}

/// `run` a command `in src`.
fn in_folder(command: &str, rest: &[Word<'_>]) -> String {
    let place = after_any(rest, "in|in the|inside|inside the|from|in the folder|in the directory");
    let folder = place.and_then(<[_]>::first).filter(|folder| {
        let noun = |word: &Word<'_>| word.is_one_of("terminal|shell|bash|background|current|this");
        matches!(folder.kind, Kind::Name | Kind::Word | Kind::Quoted) && !noun(folder)
    });
    folder.map_or_else(|| command.to_owned(), |folder| format!("cd {} && {command}", shell_word(folder.token.text)))
}

/// The command whose output is asked for: `show me the output of date`.
pub(super) fn output_of(words: &[Word<'_>]) -> Option<Wish> {
    let start = words::find(words, "output of").or_else(|| words::find(words, "result of"))? + 2;
    let skip = words[start..].iter().take_while(|word| word.is_one_of("the|command|running|executing")).count();
    let first = words.get(start + skip)?;
    let known = is_in(first.token.text, PROGRAMS) || is_in(first.token.text, WORDS_TOO) || skip > 0;
    if first.token.is_quote() {
        return Some(Wish::Run(first.token.text.trim().to_owned()));
    }
    let typed: Vec<&str> = words[start + skip..].iter().map(|word| word.token.text).collect();
    known.then(|| Wish::Run(typed.join(" ")))
}

/// The command in `` what does `date` print ``.
pub(super) fn what_does_it_print(words: &[Word<'_>]) -> Option<String> {
    let verbs = "print|prints|output|outputs|return|returns|give|display|run|running|execute|executing";
    let command = words.iter().find(|word| word.kind == Kind::Code)?;
    let asks = words.iter().any(|word| word.is_one_of(verbs)) && !path::looks_like_path(command.token.text);
    asks.then(|| command.token.text.trim().to_owned())
}
