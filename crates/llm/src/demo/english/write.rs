//! Wishes to have something written into a file.

use super::super::lexer::Kind;
use super::super::shell::shell_word;
use super::super::wish::{Gap, Wish};
use super::Request;
use super::target::{CONNECTORS, Target};
use super::words::{self, Word, after_any, has_any};

/// What is to be written, as far as it was said.
enum Content {
    Text(String),
    Missing,
    /// It would have to be made up first.
    ToBeComposed,
    /// It is in another file.
    Elsewhere,
}

/// What leads up to a content.
const LEAD_INS: &str = "the text|the following text|the content|the contents|the words|the word|the line|a line|a line saying|\
     a line that says|the string|the sentence|the message|this text|text|content|the following|a new line|line|\
     the phrase|the following line|the following lines|contents|down|out";

impl<'a> Request<'a> {
    /// A clause that is built on a verb of writing.
    pub(super) fn write(&self, core: &[Word<'a>]) -> Wish {
        if let Some(folder) = new_folder(core) {
            return Wish::Run(format!("mkdir -p {}", shell_word(&folder)));
        }
        if has_any(core, "beginning of|top of|start of") || is_replacement(core) {
            return Wish::Unknown;
        }
        match self.target(core) {
            Some(target) => self.write_to(core, target),
            None => self.without_target(core),
        }
    }

    fn write_to(&self, core: &[Word<'a>], target: Target) -> Wish {
        let verb = &core[0];
        let new = after_any(&core[1..], "a file|a new|the file|new|an empty|a text|another").is_some();
        let appends = (verb.is_one_of("append|add|adding|appending|insert|note|jot|log|record") && !new)
            || has_any(core, "end of|bottom of");
        let creates = verb.is_one_of("create|creating|make|making|touch|generate|add|new|empty|prepare");
        match self.content(core, &target) {
            Content::Text(content) if appends => Wish::Append { path: target.path, content },
            Content::Text(content) => Wish::Write { path: target.path, content },
            Content::ToBeComposed => Wish::Compose,
            Content::Elsewhere => Wish::Unknown,
            Content::Missing if creates && target.end == core.len() => Wish::Create(target.path),
            Content::Missing if target.end == core.len() || !creates => Wish::Unclear(Gap::Content),
            Content::Missing => Wish::Unknown,
        }
    }

    fn without_target(&self, core: &[Word<'a>]) -> Wish {
        let quoted = core.iter().any(|word| word.token.is_quote());
        let file = core.iter().any(|word| word.is_one_of("file|files|document"));
        let makes = core[0].is_one_of("write|create|make|generate|prepare");
        match self.text_of(&core[1..]) {
            Content::Text(content) if self.created.is_some() && core[0].is_one_of("write|put|add") => {
                Wish::Write { path: self.created.clone().unwrap_or_default(), content }
            }
            _ if quoted || file => Wish::Unclear(Gap::File),
            Content::ToBeComposed if makes => Wish::Compose,
            _ if makes && core.get(1).is_some_and(|word| word.is_one_of(COMPOSITIONS)) => Wish::Compose,
            _ => Wish::Unknown,
        }
    }

    fn content(&self, core: &[Word<'a>], target: &Target) -> Content {
        let before = if target.start > 1 { self.text_of(&core[1..target.start]) } else { Content::Missing };
        let announced = core.get(target.end).is_some_and(|mark| mark.lower == ":") && core.len() > target.end + 1;
        let quoted = core[..target.start].iter().any(|word| word.token.is_quote());
        if !matches!(before, Content::Missing) && (quoted || !announced) {
            return before;
        }
        let mut after = &core[target.end..];
        if core[0].is_one_of("in|into|to|inside") {
            let verbs = "write|put|save|store|add|append";
            let verb = after.iter().position(|word| word.is_one_of(verbs)).map_or(0, |at| at + 1);
            after = &after[verb..];
        } else if core[0].is_one_of("set|overwrite|fill") {
            after = after_any(after, "to|with").unwrap_or(after);
        }
        let after = after_mark(after, ",").unwrap_or(after);
        let connected = after_any(after, CONNECTORS).unwrap_or(after);
        match connected.first() {
            Some(mark) if mark.lower == ":" => self.rest_of_text(&connected[1..]),
            _ if connected.len() < after.len() || core[0].is_one_of("in|into|to|inside|set|overwrite|fill") => {
                self.text_of(connected)
            }
            Some(quote) if quote.token.is_quote() => self.text_of(connected),
            Some(line) if line.lower == "\n" => self.rest_of_text(&connected[1..]),
            _ if after_any(connected, LEAD_INS).is_some() => self.text_of(connected),
            _ => Content::Missing,
        }
    }

    /// The text that these words stand for: what is quoted, else what was typed.
    fn text_of(&self, words: &[Word<'a>]) -> Content {
        let mut words = words::without_tail(words);
        while let Some(rest) = after_any(words, LEAD_INS).or_else(|| after_mark(words, ":,\n")) {
            words = rest;
        }
        let deictic = "this|that|it|something|stuff|some text|the following|me|some|a note";
        match words {
            [] => Content::Missing,
            [quote, place @ ..] if quote.token.is_quote() && is_inside(place) => {
                Content::Text(quote.token.text.to_owned())
            }
            _ if after_any(words, deictic).is_some_and(<[_]>::is_empty) => Content::Missing,
            _ if is_to_be_composed(words) => Content::ToBeComposed,
            [of, file, ..] if of.lower == "of" && file.kind == Kind::Name => Content::Elsewhere,
            [first, .., last] | [first @ last] => {
                let end = self.end_of_text(last);
                Content::Text(self.text[first.token.start..end].to_owned())
            }
        }
    }

    /// Where the text ends that this is the last word of: behind marks of emotion (`hello!`), and at the end of a request that is
    /// longer than what was looked at.
    fn end_of_text(&self, last: &Word<'a>) -> usize {
        let end = last.token.end;
        if end == self.seen && self.is_cut() {
            return self.text.trim_end().len();
        }
        let rest = &self.text[end..];
        // The mark of `could you …?` belongs to the request.
        let marks: &[char] = if self.is_question { &['!'] } else { &['!', '?'] };
        end + rest.len() - rest.trim_start_matches(marks).len()
    }

    /// All that follows, to the end of the request.
    fn rest_of_text(&self, words: &[Word<'a>]) -> Content {
        let mut words = words;
        while let Some(rest) = after_mark(words, "\n") {
            words = rest;
        }
        match words {
            [] => Content::Missing,
            [quote] if quote.token.is_quote() => Content::Text(quote.token.text.to_owned()),
            [first, ..] => Content::Text(self.text[first.token.start..].trim_end().to_owned()),
        }
    }
}

/// Whether no more is said than that the content is in the file.
fn is_inside(words: &[Word<'_>]) -> bool {
    words.is_empty()
        || after_any(words, "in it|inside|inside it|in there|as content|as its content").is_some_and(<[_]>::is_empty)
}

/// What follows one of these marks at the beginning.
fn after_mark<'w, 'a>(words: &'w [Word<'a>], marks: &str) -> Option<&'w [Word<'a>]> {
    let (first, rest) = words.split_first()?;
    (first.kind == Kind::Mark && marks.contains(&first.lower)).then_some(rest)
}

/// The folder that is to be made.
fn new_folder(core: &[Word<'_>]) -> Option<String> {
    let verbs = "create|creating|make|making|add|new|mkdir";
    let rest = core[0].is_one_of(verbs).then(|| &core[1..])?;
    let words = "a|an|the|new|empty|another|called|named|me|with|name";
    let nouns = "folder|directory|dir|subfolder|subdirectory";
    let skip = rest.iter().take_while(|word| word.is_one_of(words) || word.is_one_of(nouns)).count();
    let noun = core[0].lower == "mkdir" || rest[..skip].iter().any(|word| word.is_one_of(nouns));
    let after = rest.get(skip + 1).is_some_and(|word| word.is_one_of(nouns));
    let name = rest.get(skip).filter(|name| (noun || after) && !name.lower.starts_with('-'))?;
    Some(name.token.text.to_owned())
}

/// Whether words in a file are to be exchanged, which is more than writing.
fn is_replacement(core: &[Word<'_>]) -> bool {
    core[0].lower == "replace" && !has_any(&core[1..], "contents of|content of")
}

/// Texts that a language model would have to make up.
const COMPOSITIONS: &str = "poem|poems|haiku|story|stories|essay|letter|email|mail|summary|program|script|function|code|joke|jokes|song|\
     lyrics|article|report|plan|list|recipe|speech|review|tutorial|blog|post|class|test|tests|app|website|page|game|\
     calculator|documentation|translation|explanation|outline|novel|paragraph|limerick|sonnet|tweet|application";

fn is_to_be_composed(words: &[Word<'_>]) -> bool {
    let several = words.len() > 1 && words[0].is_one_of("poems|stories|jokes|lyrics|code|documentation");
    let one = words[0].is_one_of("a|an|some|me|the|my|one|two|three|five|ten");
    several || (one && words.iter().take(5).any(|word| word.is_one_of(COMPOSITIONS)))
}
