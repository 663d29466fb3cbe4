//! Separation of reasoning that a model writes into its text, between `<think>` tags.
//!
//! Only what stands at the very start of the text is taken for reasoning. Later a tag is text: a model that explains the tag must
//! not lose its explanation.

#[cfg(test)]
mod tests;

/// A piece of a reply, told apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Piece<'a> {
    /// What people read.
    Text(&'a str),
    /// What the model thought.
    Reasoning(&'a str),
}

/// Tells reasoning from text, however the text is cut. It holds back no more than what can still become a tag.
#[derive(Debug, Default)]
pub(crate) struct ThinkFilter {
    state: State,
    held: String,
    /// How much of `held` is known to be white space.
    blank: usize,
    /// A tag was removed: white space alone behind it is no text.
    removed_a_tag: bool,
}

#[derive(Debug, Default)]
enum State {
    /// Nothing but white space and whole tags so far.
    #[default]
    Start,
    /// Behind an opening tag. Either closing tag ends it: models mix them up.
    Thinking,
    /// In the text proper: no tag counts any more.
    Text,
}

const OPENERS: [&str; 2] = ["<think>", "<thinking>"];

const CLOSERS: [&str; 2] = ["</think>", "</thinking>"];

impl ThinkFilter {
    /// Takes the next piece of text; `out` never gets an empty piece.
    pub(crate) fn push(&mut self, piece: &str, out: &mut impl FnMut(Piece<'_>)) {
        if matches!(self.state, State::Text) {
            if !piece.is_empty() {
                out(Piece::Text(piece));
            }
            return;
        }
        let mut text = std::mem::take(&mut self.held);
        text.push_str(piece);
        let mut done = 0;
        loop {
            match self.advance(&text[done..], out) {
                Step::On(read) => done += read,
                Step::Hold(read) => {
                    text.drain(..done + read);
                    break;
                }
            }
        }
        self.held = text;
    }

    /// Takes the end of the text.
    pub(crate) fn finish(&mut self, out: &mut impl FnMut(Piece<'_>)) {
        let held = std::mem::take(&mut self.held);
        let is_layout = self.removed_a_tag && held.trim().is_empty();
        match self.state {
            _ if held.is_empty() => {}
            State::Thinking => out(Piece::Reasoning(&held)),
            State::Start if is_layout => {}
            State::Start | State::Text => out(Piece::Text(&held)),
        }
    }

    fn advance(&mut self, text: &str, out: &mut impl FnMut(Piece<'_>)) -> Step {
        match self.state {
            State::Start => self.advance_at_start(text),
            State::Thinking => self.advance_in_thinking(text, out),
            State::Text => {
                if !text.is_empty() {
                    out(Piece::Text(text));
                }
                Step::Hold(text.len())
            }
        }
    }

    fn advance_at_start(&mut self, text: &str) -> Step {
        let begin = text[self.blank..].trim_start();
        let blank = text.len() - begin.len();
        let opener = OPENERS.iter().find(|tag| begin.starts_with(**tag));
        if let Some(tag) = opener.or_else(|| CLOSERS.iter().find(|tag| begin.starts_with(**tag))) {
            if opener.is_some() {
                self.state = State::Thinking;
            }
            self.blank = 0;
            self.removed_a_tag = true;
            return Step::On(blank + tag.len());
        }
        if OPENERS.iter().chain(&CLOSERS).any(|tag| tag.starts_with(begin)) {
            self.blank = blank;
            return Step::Hold(0);
        }
        self.state = State::Text;
        Step::On(0)
    }

    fn advance_in_thinking(&mut self, text: &str, out: &mut impl FnMut(Piece<'_>)) -> Step {
        let found = CLOSERS.iter().filter_map(|tag| Some((text.find(tag)?, tag.len()))).min();
        let (thought, step) = match found {
            Some((end, length)) => (end, Step::On(end + length)),
            None => {
                let begun = CLOSERS.iter().map(|tag| begun_tag(text, tag)).max();
                let thought = text.len() - begun.unwrap_or(0);
                (thought, Step::Hold(thought))
            }
        };
        if thought > 0 {
            out(Piece::Reasoning(&text[..thought]));
        }
        if matches!(step, Step::On(_)) {
            self.state = State::Start;
        }
        step
    }
}

/// How far a text was read, and what comes next.
enum Step {
    /// Something stands behind it that is to be read at once.
    On(usize),
    /// What stands behind it waits for more.
    Hold(usize),
}

/// How many bytes at the end of `text` may be the begin of `tag`.
fn begun_tag(text: &str, tag: &str) -> usize {
    (1..tag.len()).rev().find(|&length| text.ends_with(&tag[..length])).unwrap_or(0)
}
