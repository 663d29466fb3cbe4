//! What stands around the value: prose, tags, a Markdown fence.
//!
//! None of it is content, but it may be content that was torn off. So brackets and double quotes are not taken for prose: whenever a
//! value seems to end early or to begin late, the other end of what it was torn from stands there.

use serde_json::Value;

use crate::Error;
use crate::punctuation::{Mark, Quote, Shape, begins_name, is_in_name};
use crate::reader::Reader;
use crate::repaired::RepairKind;
use crate::scalar::{WORDS, begins_number};
use crate::trivia::{skip_space, skip_trivia};

mod wrapper;

use wrapper::{Tag, fence_length, skip_fence, skip_tag};

/// What was met around the value.
#[derive(Default)]
pub(crate) struct Outside {
    prose: Option<usize>,
    fence: Fence,
    /// A tag at the end of the text lacks its end.
    cut_tag: bool,
}

#[derive(Default, PartialEq, Eq)]
enum Fence {
    #[default]
    None,
    /// Here.
    Opened(usize),
    Closed,
}

/// What follows a value.
pub(crate) enum Rest {
    /// Nothing that matters.
    End,
    /// Another value, here.
    Value(usize),
}

impl Outside {
    /// Passes what stands before the value.
    pub(crate) fn before(reader: &mut Reader<'_>) -> Result<Self, Error> {
        let mut outside = Self::default();
        loop {
            if outside.prose.is_none() {
                skip_trivia(reader, false)?;
            }
            let at = reader.at();
            let Some(c) = reader.peek() else { return Err(outside.no_value(at)) };
            if Mark::of(c) == Some(Mark::Open(Shape::Object)) || (outside.prose.is_none() && begins_value(reader, c)) {
                return Ok(outside);
            }
            if fence_length(reader) > 0 {
                outside.open_fence(reader)?;
            } else if skip_tag(reader) != Tag::Whole {
                outside.take_prose(reader, c)?;
            }
        }
    }

    fn no_value(&self, at: usize) -> Error {
        match self.fence {
            Fence::Opened(at) => Error::Truncated { open: "fence", at },
            Fence::None | Fence::Closed => Error::invalid("no value", at),
        }
    }

    fn open_fence(&mut self, reader: &mut Reader<'_>) -> Result<(), Error> {
        if self.fence != Fence::None {
            return Err(Error::ambiguous("a second fence", reader.at()));
        }
        self.fence = Fence::Opened(reader.at());
        skip_fence(reader);
        reader.take_while(|c| is_in_name(c) || matches!(c, '-' | '+' | '.'));
        Ok(())
    }

    /// Passes what stands behind the value, up to another one.
    pub(crate) fn after(&mut self, reader: &mut Reader<'_>, value: &Value) -> Result<Rest, Error> {
        let (mut apart, mut only_space, mut in_prose) = (false, true, false);
        loop {
            let at = reader.at();
            skip_space(reader);
            apart |= reader.at() > at;
            let at = reader.at();
            let Some(c) = reader.peek() else { return Ok(Rest::End) };
            if only_space && value.is_object() && Mark::of(c) == Some(Mark::Open(Shape::Object)) {
                return Ok(Rest::Value(at));
            }
            only_space = false;
            if fence_length(reader) > 0 {
                self.close_fence(reader)?;
                apart = true;
                continue;
            }
            match skip_tag(reader) {
                Tag::Whole => apart = true,
                Tag::Cut => self.cut_tag = true,
                Tag::None if in_prose => self.take_prose(reader, c)?,
                Tag::None => {
                    self.check_prose_begins(reader, value, c, apart)?;
                    self.take_prose(reader, c)?;
                    in_prose = true;
                }
            }
        }
    }

    fn close_fence(&mut self, reader: &mut Reader<'_>) -> Result<(), Error> {
        if self.fence == Fence::Closed {
            return Err(Error::ambiguous("a second fence", reader.at()));
        }
        self.fence = Fence::Closed;
        skip_fence(reader);
        Ok(())
    }

    /// Whether prose may begin here behind the value. A comma, a digit or a colon would look like more of it.
    fn check_prose_begins(&self, reader: &Reader<'_>, value: &Value, c: char, apart: bool) -> Result<(), Error> {
        let is_prose = c.is_alphabetic() || reader.begins_comment(reader.at());
        if is_prose && apart && value.is_object() {
            return Ok(());
        }
        Err(Error::invalid("something behind the value", reader.at()))
    }

    /// Passes a character of prose.
    fn take_prose(&mut self, reader: &mut Reader<'_>, c: char) -> Result<(), Error> {
        let at = reader.at();
        let is_bracket = matches!(Mark::of(c), Some(Mark::Open(shape) | Mark::Close(shape)) if shape != Shape::Tuple);
        let is_quote = Quote::of(c).is_some_and(|quote| !quote.is_single());
        if is_bracket || is_quote {
            return Err(Error::invalid("a bracket or quote outside of the value", at));
        }
        if self.prose.is_none() {
            self.prose = Some(at);
            reader.note(RepairKind::Prose, at);
        }
        if let Some(at) = reader.inner_quote() {
            return Err(Error::ambiguous("an unescaped quote in a value with text behind it", at));
        }
        reader.bump();
        Ok(())
    }

    /// Whether a fence or a tag lacks its end.
    pub(crate) fn is_open(&self) -> bool {
        self.cut_tag || matches!(self.fence, Fence::Opened(_))
    }
}

/// Whether what stands here is a value, if the text begins with it. A word is one if it is all there is.
fn begins_value(reader: &mut Reader<'_>, c: char) -> bool {
    if matches!(Mark::of(c), Some(Mark::Open(_))) || Quote::of(c).is_some() || begins_number(c) {
        return true;
    }
    if !begins_name(c) {
        return false;
    }
    let start = reader.at();
    let word = reader.take_while(is_in_name);
    let is_all = reader.char_at(reader.past_space(reader.at())).is_none();
    reader.go_to(start);
    is_all && WORDS.iter().any(|(known, _)| *known == word)
}
