//! Where one wish ends and the next begins, and which verb a clause is built on.

use super::super::lexer::Kind;
use super::super::lists::each;
use super::super::wish::{Gap, Wish};
use super::Request;
use super::words::{self, Word, after_any, find};

/// What kind of verb a clause begins with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verb {
    Run,
    Write,
    Count,
    List,
    Show,
    Read,
    Compose,
    Ask,
}

const VERBS: [(Verb, &str); 8] = [
    (Verb::Run, "run|running|execute|executing|exec|launch|invoke|issue|perform|start|do|call|try"),
    (
        Verb::Write,
        "write|writing|put|putting|save|saving|store|storing|create|creating|make|making|add|adding|append|\
            appending|insert|touch|record|note|jot|place|overwrite|fill|set|generate|type|enter|log|mkdir|new|empty|\
            prepare|replace",
    ),
    (Verb::Count, "count|counting"),
    (Verb::List, "list|listing|ls|dir|enumerate|browse|explore|scan"),
    (
        Verb::Show,
        "show|showing|display|displaying|print|printing|view|viewing|see|seeing|give|get|check|inspect|output|\
            present|reveal|tell|name|fetch|look|find|peek|examine|have|take|dump|retrieve",
    ),
    (Verb::Read, "read|reading|open|opening|cat|load|less|more|head|tail"),
    (
        Verb::Compose,
        "summarize|summarise|translate|explain|rewrite|improve|fix|refactor|review|analyze|analyse|compare|\
            correct|proofread|describe|debug|compose|draft|paraphrase|optimize|optimise|format|edit|convert",
    ),
    (Verb::Ask, "what|which|how|is|are|any|anything|does|do|where|who|if|whether|why|when|has|have|did"),
];

/// The kind of verb that a clause begins with.
pub(super) fn verb(words: &[Word<'_>]) -> Option<Verb> {
    let first = words.first().filter(|word| word.kind == Kind::Word)?;
    let asks = first.lower == "do" && words.get(1).is_some_and(|next| next.is_one_of("we|i|you|they|not"));
    let looks = first.lower == "have" && words.get(1).is_some_and(|next| next.lower == "a");
    if asks || (first.lower == "have" && !looks) {
        return Some(Verb::Ask);
    }
    if begins_with_place(words) {
        return Some(Verb::Write);
    }
    VERBS.iter().find(|(_, verbs)| first.is_one_of(verbs)).map(|(verb, _)| *verb)
}

/// `new file called a.txt`: the verb is left out.
pub(super) fn is_new(words: &[Word<'_>]) -> bool {
    words.first().is_some_and(|word| word.is_one_of("new|empty"))
}

/// `use the ls tool on src` in the words of a wish: `ls src`.
pub(super) fn with_tool<'a>(words: &[Word<'a>]) -> Option<Vec<Word<'a>>> {
    let named = after_any(words, "use the|use your|use|with the|call the")?;
    let (tool, rest) = named.split_first().filter(|(tool, _)| tool.is_one_of("ls|read|write|bash"))?;
    let rest = after_any(rest, "tool on|tool for|tool with|tool to|tool")?;
    let mut tool = tool.clone();
    if tool.lower == "bash" {
        tool.lower = "run".into();
    }
    Some([tool].into_iter().chain(rest.iter().cloned()).collect())
}

/// What is asked about a file that is named first: `a.txt: what is in it?`
pub(super) fn after_subject<'w, 'a>(words: &'w [Word<'a>]) -> Option<(String, &'w [Word<'a>])> {
    let [file, mark, question @ ..] = words else { return None };
    let named = file.kind == Kind::Name && mark.is_one_of(":|,") && question.iter().any(|word| word.lower == "it");
    named.then(|| (file.token.text.to_owned(), question))
}

/// `into a.txt write hello`: the place stands first.
pub(super) fn begins_with_place(words: &[Word<'_>]) -> bool {
    let placed = words.first().is_some_and(|word| word.is_one_of("in|into|to|inside"));
    placed && words.iter().skip(2).take(4).any(|word| word.is_one_of("write|put|save|store|add|append"))
}

/// What follows the words that introduce a wish in the middle of a clause.
pub(super) fn after_marker<'w, 'a>(words: &'w [Word<'a>]) -> Option<&'w [Word<'a>]> {
    let markers = "please|can you|could you|would you|will you|you to|let us|help me";
    let (start, marker) = each(markers).filter_map(|marker| Some((find(words, marker)?, marker))).min()?;
    let rest = &words[start + marker.split(' ').count()..];
    (!rest.is_empty()).then_some(rest)
}

/// A clause may not be cut after more words than this: a request that long is content.
const LONGEST: usize = 200;

impl<'a> Request<'a> {
    /// Cuts off the first clause.
    pub(super) fn next_clause<'w>(&self, words: &'w [Word<'a>]) -> (&'w [Word<'a>], &'w [Word<'a>]) {
        for at in 1..words.len().min(LONGEST) {
            let (left, right) = words.split_at(at);
            if announces_content(left, right) {
                let quoted =
                    right.iter().skip(1).position(|word| word.lower != "\n").map_or(words.len(), |next| at + 1 + next);
                let quoted = words.get(quoted).filter(|word| word.token.is_quote()).map(|_| quoted + 1);
                return words.split_at(quoted.unwrap_or(words.len()));
            }
            if separates(right) && self.is_complete(left) {
                return (left, &right[1..]);
            }
        }
        words.split_at(words.len())
    }

    /// Whether a clause would be something on its own; `write hello` would not, as a file is to follow.
    fn is_complete(&self, left: &[Word<'a>]) -> bool {
        let core = words::without_lead(left);
        if verb(core) != Some(Verb::Write) {
            return true;
        }
        !matches!(self.write(core), Wish::Unknown | Wish::Unclear(Gap::File | Gap::Content))
    }
}

/// Whether what comes after this place is the content of a file: `write this to a.txt: …`.
fn announces_content(left: &[Word<'_>], right: &[Word<'_>]) -> bool {
    let Some(mark) = right.first().filter(|word| word.kind == Kind::Mark) else { return false };
    let names_content = || {
        let nouns = "following|content|contents|text|lines|this";
        left.last().is_some_and(|word| word.is_one_of(nouns))
    };
    let announced = mark.lower == ":" || (mark.lower == "\n" && names_content());
    let verb = verb(words::without_lead(left));
    right.len() > 1 && ((announced && verb == Some(Verb::Write)) || (mark.lower == ":" && verb == Some(Verb::Run)))
}

/// Whether a new clause begins here.
fn separates(right: &[Word<'_>]) -> bool {
    let Some((first, after)) = right.split_first() else { return false };
    let hard = first.kind == Kind::Mark && ".!?;\n".contains(&first.lower);
    let soft = first.is_one_of("and|then|,") || (first.kind == Kind::Mark && first.lower == ",");
    let core = words::without_lead(after);
    hard || (soft && (verb(core).is_some() || core.first().is_some_and(|word| word.kind == Kind::Code)))
}
