//! An English request as a row of words, and what is said around a wish.

use super::super::lexer::{Kind, Token};
use super::super::lists::{each, is_in};

/// A word, a quote or a mark, contractions taken apart.
#[derive(Clone, Debug)]
pub(super) struct Word<'a> {
    pub(super) kind: Kind,
    /// In lower case; a quote is empty here, so that nothing in it is taken for a word of the request.
    pub(super) lower: String,
    pub(super) token: Token<'a>,
}

impl Word<'_> {
    /// Whether it is one of these words.
    pub(super) fn is_one_of(&self, words: &str) -> bool {
        is_in(&self.lower, words)
    }
}

/// What short forms stand for.
const SHORT: &str = "whats=what is|wheres=where is|whos=who is|hows=how is|theres=there is|lets=let us|let's=let us|dont=do not|\
     cant=can not|cannot=can not|can't=can not|won't=will not|im=i am|id=i would|gimme=give me|lemme=let me|\
     wanna=want to|u=you|ur=your|pls=please|plz=please|thx=thanks";

const ENDINGS: [(&str, &str); 6] =
    [("'s", " is"), ("'re", " are"), ("'d", " would"), ("'ll", " will"), ("'m", " am"), ("n't", " not")];

/// Turns pieces into words.
pub(super) fn words<'a>(tokens: &[Token<'a>]) -> Vec<Word<'a>> {
    let mut words = Vec::new();
    for token in tokens {
        let kind = if token.kind == Kind::Mixed { Kind::Name } else { token.kind };
        if token.is_quote() {
            words.push(Word { kind, lower: String::new(), token: *token });
        } else {
            let lower = token.text.to_lowercase().replace('’', "'");
            let long = if kind == Kind::Word { long_form(&lower) } else { lower };
            words.extend(long.split(' ').map(|part| Word { kind, lower: part.to_owned(), token: *token }));
        }
    }
    words
}

fn long_form(lower: &str) -> String {
    let known = each(SHORT).filter_map(|pair| pair.split_once('=')).find(|(short, _)| *short == lower);
    if let Some((_, long)) = known {
        return long.to_owned();
    }
    for (ending, long) in ENDINGS {
        if let Some(stem) = lower.strip_suffix(ending).filter(|stem| !stem.is_empty()) {
            return format!("{stem}{long}");
        }
    }
    lower.to_owned()
}

/// What follows a phrase at the beginning.
pub(super) fn after<'w, 'a>(words: &'w [Word<'a>], phrase: &str) -> Option<&'w [Word<'a>]> {
    let mut rest = words;
    for part in phrase.split(' ') {
        let (first, others) = rest.split_first()?;
        if first.lower != part {
            return None;
        }
        rest = others;
    }
    Some(rest)
}

/// What follows the longest of these phrases at the beginning.
pub(super) fn after_any<'w, 'a>(words: &'w [Word<'a>], phrases: &str) -> Option<&'w [Word<'a>]> {
    each(phrases).filter_map(|phrase| after(words, phrase)).min_by_key(|rest| rest.len())
}

/// Where a phrase begins.
pub(super) fn find(words: &[Word<'_>], phrase: &str) -> Option<usize> {
    (0..words.len()).find(|at| after(&words[*at..], phrase).is_some())
}

/// Whether one of these phrases is in it.
pub(super) fn has_any(words: &[Word<'_>], phrases: &str) -> bool {
    each(phrases).any(|phrase| find(words, phrase).is_some())
}

/// What is said before a wish without being part of it.
const LEADS: &str = "please|kindly|just|now|ok|okay|so|well|hey|hi|hello|there|then|also|next|first|finally|and|but|quickly|maybe|\
     perhaps|alright|right|great|thanks|cool|oh|um|hmm|yes|yep|sure|bot|buddy|mate|cowhand|again|afterwards|simply|\
     actually|dear|good|nice|after that|can you|could you|would you|will you|can we|could we|can i|could i|may i|\
     might i|do you mind|would you mind|mind|i want you to|i want to|i want|i would like you to|i would like to|\
     i would like|i would love to|i would love you to|i need you to|i need to|i need|i wish to|let us|let me|\
     help me to|help me|go ahead and|go and|try to|try and|be so kind as to|would it be possible to|\
     is it possible to|is it possible for you to|are you able to|would you be able to|do me a favor and|\
     do me a favour and|it would be great if you could|it would be nice if you could|you can|you could|you should|\
     you must|you to|i wonder if you could|i wonder|i was wondering if you could|i was wondering|i am wondering|\
     i am curious|how about|what about|feel free to|your task is to|your job is to|why do not you|use bash to|\
     use the shell to|use the terminal to|in the shell|in the terminal|in bash|using bash|possibly|be kind and|\
     morning|if you could|if possible|i am going to need you to|use your tool to|use your tools to|use a tool to|\
     use the tool to|use tools to|use the tools to";

/// What announces a question.
const ANNOUNCEMENTS: &str = "tell me|tell us|show me|show us|show|let me know|do you know|know|check|see|find out|figure out|look|look at|\
     take a look at|have a look at|give me|say|explain|list|report|describe|look up|read me|read|do you see";

const QUESTIONS: &str = "what|which|who|how|where|whether|if|is|are|why|when";

/// The wish itself, without what is said before it.
pub(super) fn without_lead<'w, 'a>(words: &'w [Word<'a>]) -> &'w [Word<'a>] {
    let mut rest = words;
    loop {
        let mark =
            rest.first().filter(|word| word.kind == Kind::Mark && !"$>".contains(&word.lower)).map(|_| &rest[1..]);
        match mark.or_else(|| after_any(rest, LEADS)).or_else(|| announced(rest)) {
            Some(shorter) => rest = shorter,
            None => return rest,
        }
    }
}

fn announced<'w, 'a>(words: &'w [Word<'a>]) -> Option<&'w [Word<'a>]> {
    let rest = after_any(words, ANNOUNCEMENTS)?;
    rest.first().is_some_and(|word| word.is_one_of(QUESTIONS)).then_some(rest)
}

/// Courtesies at the end of a wish.
const TAILS: &str = "please|thanks|thank you|for me|now|for us|to me|would you|will you|could you|can you|right now|if you can|\
     if possible|thank you very much|thanks a lot";

/// The wish without courtesies and marks at its end.
pub(super) fn without_tail<'w, 'a>(words: &'w [Word<'a>]) -> &'w [Word<'a>] {
    let mut rest = words;
    loop {
        let mark = rest.last().is_some_and(|word| word.kind == Kind::Mark && ",.;!?:\n…".contains(&word.lower));
        let tail = each(TAILS).find_map(|tail| {
            let start = rest.len().checked_sub(tail.split(' ').count())?;
            after(&rest[start..], tail).map(|_| start)
        });
        match (mark, tail) {
            (true, _) => rest = &rest[..rest.len() - 1],
            (_, Some(start)) => rest = &rest[..start],
            _ => return rest,
        }
    }
}
