//! A clause of a Chinese request, and where it ends.

use super::super::lexer::Kind;
use super::super::lists::{beginning, begins, each};
use super::super::wish::{Gap, Wish};
use super::pieces::Piece;
use super::vocabulary::{FILLERS, RUNNING, VERBS, WRITING};
use super::{Request, talk};

/// A part of a request that is looked at as a row of characters.
pub(super) struct Clause<'p, 'a> {
    pub(super) pieces: &'p [Piece<'a>],
    line: String,
}

impl<'p, 'a> Clause<'p, 'a> {
    pub(super) fn new(pieces: &'p [Piece<'a>]) -> Self {
        Self { pieces, line: pieces.iter().map(|piece| piece.character).collect() }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.pieces.is_empty()
    }

    /// The characters, a mark in place of each name and quote.
    pub(super) fn line(&self) -> &str {
        &self.line
    }

    /// Whether one of these words is in it.
    pub(super) fn has(&self, words: &str) -> bool {
        each(words).any(|word| self.line.contains(word))
    }

    /// The first of these words: where it begins and where it ends. Of two at the same place, the longer one.
    pub(super) fn find(&self, words: &str) -> Option<(usize, usize)> {
        let found = each(words).filter_map(|word| Some((self.line.find(word)?, word)));
        let (start, word) = found.min_by_key(|(start, word)| (*start, std::cmp::Reverse(word.len())))?;
        let start = self.line[..start].chars().count();
        Some((start, start + word.chars().count()))
    }

    pub(super) fn part(&self, start: usize, end: usize) -> Self {
        Self::new(&self.pieces[start.min(end)..end])
    }

    /// The names and quotes in it, and where they stand.
    pub(super) fn items(&self) -> impl Iterator<Item = (usize, &'p Piece<'a>)> + use<'p, 'a> {
        self.pieces.iter().enumerate().filter(|(_, piece)| piece.is_item())
    }

    /// The clause without what is said before the wish itself.
    pub(super) fn head(&self) -> Self {
        let mut rest = self.line.as_str();
        while let Some(shorter) = strip_filler(rest) {
            rest = shorter;
        }
        let skipped = self.pieces.len() - rest.chars().count();
        self.part(skipped, self.pieces.len())
    }

    /// Whether the wish itself begins with one of these words.
    pub(super) fn starts_with_any(&self, words: &str) -> bool {
        begins(&self.head().line, words)
    }

    /// Whether one of these words follows the thing it is about: `把 README.md 翻译一下`.
    pub(super) fn begins_after_object(&self, words: &str) -> bool {
        let object = self.items().next().filter(|_| self.has("把|将"));
        object.is_some_and(|(at, _)| self.part(at + 1, self.pieces.len()).starts_with_any(words))
    }

    /// The clause without courtesies and marks around it.
    pub(super) fn without_courtesies(&self) -> Self {
        let edges = "，。；：！？、,.;:!?…~～ \n";
        let tails = "谢谢你|谢谢您|谢谢|多谢|好吗|可以吗|行吗|好不好|吧|呢|啊|呀|哦|哈|嘛";
        let mut line = self.line.as_str();
        let start = line.len() - line.trim_start_matches(|c| edges.contains(c)).len();
        line = &line[start..];
        loop {
            let shorter = line.trim_end_matches(|c| edges.contains(c));
            let shorter = each(tails).find_map(|tail| shorter.strip_suffix(tail)).unwrap_or(shorter);
            // A courtesy alone is the whole clause.
            if shorter.len() == line.len() || shorter.is_empty() {
                break;
            }
            line = shorter;
        }
        let skipped = self.line[..start].chars().count();
        self.part(skipped, skipped + line.chars().count())
    }

    /// The request's text that the clause stands for.
    pub(super) fn text(&self, request: &'a str) -> &'a str {
        match (self.pieces.first(), self.pieces.last()) {
            (Some(first), Some(last)) => request[first.token.start..last.token.end].trim(),
            _ => "",
        }
    }
}

/// Takes a filler away, unless the text begins with a verb that is longer.
fn strip_filler(text: &str) -> Option<&str> {
    if let Some(rest) = text.strip_prefix(['，', ',', '：', ':', '、', ' ', '\n']) {
        return Some(rest);
    }
    let filler = beginning(text, FILLERS)?.len();
    let verb = VERBS.into_iter().filter_map(|verbs| beginning(text, verbs)).map(str::len).max();
    (filler > verb.unwrap_or(0)).then(|| &text[filler..])
}

const CONJUNCTIONS: &str = "然后|接着|随后|之后|最后|并且|同时|以及|再|并|和|顺便|另外|还有";

/// What stands before the thing that a verb acts on.
const OBJECT: &str = "把|将|在|往|向|给";

/// A clause may not be cut after more pieces than this: a request that long is content.
const LONGEST: usize = 300;

/// What a clause begins with is seen in as many pieces.
const FRONT: usize = 40;

impl<'a> Request<'a> {
    /// Cuts off the first clause.
    pub(super) fn next_clause<'p>(&self, pieces: &'p [Piece<'a>]) -> (&'p [Piece<'a>], &'p [Piece<'a>]) {
        for at in 1..pieces.len().min(LONGEST) {
            let (left, right) = pieces.split_at(at);
            if announces_content(left, right) {
                let next = right
                    .iter()
                    .skip(1)
                    .position(|piece| piece.character != '\n')
                    .map_or(pieces.len(), |next| at + 1 + next);
                let quoted = pieces.get(next).filter(|piece| piece.token.is_quote()).map(|_| next + 1);
                return pieces.split_at(quoted.unwrap_or(pieces.len()));
            }
            if let Some(length) = self.separator(left, right) {
                return (left, &right[length..]);
            }
        }
        pieces.split_at(pieces.len())
    }

    /// How many pieces separate the clauses that meet here, if any do.
    fn separator(&self, left: &[Piece<'a>], right: &[Piece<'a>]) -> Option<usize> {
        let mark = right.first().map(|piece| piece.character).filter(|c| "，。；！？,;!?\n".contains(*c));
        let right = &right[..right.len().min(FRONT)];
        let rest = Clause::new(right);
        let conjunction = beginning(rest.line(), CONJUNCTIONS).map(|word| word.chars().count());
        let length = mark.map(|_| 1).or(conjunction)?;
        let after = rest.part(length, right.len());
        let left = Clause::new(left);
        let begins = begins_wish(&after);
        let hard = mark.is_some_and(|mark| !"，,".contains(mark));
        let led_up =
            || mark.is_some() && !self.clause(&left).iter().any(Wish::is_action) && !after.starts_with_any("内容|里面");
        ((hard || begins || led_up()) && self.is_complete(&left)).then_some(length)
    }

    /// Whether a clause would be something on its own; `写入你好` would not, as a file is to follow.
    fn is_complete(&self, left: &Clause<'_, 'a>) -> bool {
        let object = begins(left.line().trim_start_matches(['请', '帮', '我']), OBJECT);
        let wishes = self.clause(left);
        let gap = wishes.iter().any(|wish| matches!(wish, Wish::Unclear(Gap::File | Gap::Content)));
        let writes = left.starts_with_any(WRITING);
        !((object || writes) && (gap || wishes == [Wish::Unknown] || wishes.is_empty()))
    }
}

/// Whether a clause begins with a verb or with what a verb is about to act on.
fn begins_wish(clause: &Clause<'_, '_>) -> bool {
    let front = clause.line().trim_start_matches(['，', ',', ' ', '再', '请', '也']);
    let verb = || VERBS.into_iter().any(|verbs| clause.starts_with_any(verbs));
    !begins(front, "写上|写着|写明") && (begins(front, OBJECT) || verb() || talk::asks_for_output(clause))
}

/// Whether what comes after this place is the content of a file: `写到 a.txt：…`.
fn announces_content(left: &[Piece<'_>], right: &[Piece<'_>]) -> bool {
    let Some(mark) = right.first().filter(|piece| piece.token.kind == Kind::Han) else { return false };
    let left = Clause::new(left);
    let announced = "：:".contains(mark.character) || (mark.character == '\n' && left.line().ends_with("内容"));
    announced && right.len() > 1 && (left.has(WRITING) || left.starts_with_any(RUNNING))
}
