//! The structure of one value, read with a stack of its own.

use serde_json::Value;

use crate::Error;
use crate::frame::{Frame, Put};
use crate::punctuation::{Mark, Quote, Shape, begins_name, is_in_name};
use crate::reader::Reader;
use crate::repaired::RepairKind;
use crate::scalar::{WORDS, begins_number, read_number, read_word};
use crate::string::{Place, read_string};
use crate::trivia::skip_trivia;

/// Reads the value that begins here, and nothing behind it. Nesting of `depth` is refused.
pub(crate) fn read_value(reader: &mut Reader<'_>, depth: usize) -> Result<Value, Error> {
    let mut document = Document { reader, depth, open: Vec::new(), last: Last::Sign };
    let mut expected = Expected::Value;
    loop {
        skip_trivia(document.reader, document.last == Last::String)?;
        let Some(c) = document.reader.peek() else { return Err(document.cut_off()) };
        let step = match expected {
            Expected::Value => document.value(c),
            Expected::Item => document.item(c),
            Expected::Separator => document.separator(c),
        };
        match step? {
            Step::On(next) => expected = next,
            Step::Done(value) => return Ok(value),
        }
    }
}

struct Document<'r, 'a> {
    reader: &'r mut Reader<'a>,
    depth: usize,
    open: Vec<Frame>,
    last: Last,
}

/// What may come next.
enum Expected {
    /// A value.
    Value,
    /// A member or an element, or the end of what holds them.
    Item,
    /// A comma, or the end of what holds the items.
    Separator,
}

enum Step {
    On(Expected),
    /// The outermost value is read.
    Done(Value),
}

/// What was read last.
#[derive(PartialEq, Eq)]
enum Last {
    Sign,
    String,
    /// The end of an object or array.
    Bracket,
    Scalar,
}

impl Document<'_, '_> {
    fn value(&mut self, c: char) -> Result<Step, Error> {
        match Mark::of(c) {
            Some(Mark::Open(shape)) => self.begin(shape),
            Some(_) => Err(Error::invalid("a missing value", self.reader.at())),
            None => self.scalar(c),
        }
    }

    fn begin(&mut self, shape: Shape) -> Result<Step, Error> {
        let at = self.reader.at();
        if self.open.len() + 1 >= self.depth {
            return Err(Error::TooDeep { at, limit: self.depth });
        }
        self.take_mark();
        if shape == Shape::Tuple {
            self.reader.note(RepairKind::Tuple, at);
        }
        self.open.push(Frame::opened(shape, at));
        Ok(Step::On(Expected::Item))
    }

    fn scalar(&mut self, c: char) -> Result<Step, Error> {
        let (value, last) = if let Some(quote) = Quote::of(c) {
            (Value::String(read_string(self.reader, quote, self.place())?), Last::String)
        } else if begins_number(c) {
            (read_number(self.reader)?, Last::Scalar)
        } else {
            (read_word(self.reader)?, Last::Scalar)
        };
        self.last = last;
        self.take_value(value)
    }

    fn item(&mut self, c: char) -> Result<Step, Error> {
        if let Some(Mark::Close(shape)) = Mark::of(c) {
            return self.end(shape);
        }
        let Some(frame) = self.open.last_mut() else { return self.value(c) };
        frame.comma = None;
        match frame.shape {
            Shape::Object => self.key(c),
            Shape::Array | Shape::Tuple => self.value(c),
        }
    }

    /// Reads a key and its colon.
    fn key(&mut self, c: char) -> Result<Step, Error> {
        let at = self.reader.at();
        let key = match Quote::of(c) {
            Some(quote) => read_string(self.reader, quote, Place::Key)?,
            None => self.unquoted_key(c)?,
        };
        skip_trivia(self.reader, true)?;
        match self.reader.peek() {
            None => return Err(self.cut_off()),
            Some(c) if Mark::of(c) == Some(Mark::Colon) => self.take_mark(),
            Some(_) => return Err(Error::invalid("a missing colon", self.reader.at())),
        }
        if let Some(frame) = self.open.last_mut() {
            frame.set_key(key, at);
        }
        Ok(Step::On(Expected::Value))
    }

    fn unquoted_key(&mut self, c: char) -> Result<String, Error> {
        let at = self.reader.at();
        if !begins_name(c) {
            return Err(Error::invalid("a missing key", at));
        }
        let key = self.reader.take_while(is_in_name);
        if WORDS.iter().any(|(word, _)| *word == key) {
            return Err(Error::invalid("a key that is a value", at));
        }
        self.reader.note(RepairKind::UnquotedKey, at);
        Ok(key.to_owned())
    }

    fn separator(&mut self, c: char) -> Result<Step, Error> {
        match Mark::of(c) {
            Some(Mark::Close(shape)) => self.end(shape),
            Some(Mark::Comma) => {
                let at = self.reader.at();
                self.take_mark();
                if let Some(frame) = self.open.last_mut() {
                    frame.comma = Some(at);
                }
                Ok(Step::On(Expected::Item))
            }
            _ => self.missing_comma(c),
        }
    }

    /// Goes on without a comma where it can only have been forgotten: before a key in quotes, and between two brackets of a list.
    fn missing_comma(&mut self, c: char) -> Result<Step, Error> {
        let at = self.reader.at();
        let in_object = self.open.last().is_some_and(|frame| frame.shape == Shape::Object);
        let is_certain = if in_object {
            Quote::of(c).is_some()
        } else {
            self.last == Last::Bracket && matches!(Mark::of(c), Some(Mark::Open(Shape::Object | Shape::Array)))
        };
        if !is_certain {
            return Err(Error::invalid("neither a comma nor an end", at));
        }
        self.reader.note(RepairKind::MissingComma, at);
        Ok(Step::On(Expected::Item))
    }

    fn end(&mut self, shape: Shape) -> Result<Step, Error> {
        let at = self.reader.at();
        let Some(frame) = self.open.pop_if(|frame| frame.shape == shape) else {
            return Err(Error::invalid("a bracket that closes nothing", at));
        };
        self.take_mark();
        if let (Some(comma), Shape::Object | Shape::Array) = (frame.comma, shape) {
            self.reader.note(RepairKind::TrailingComma, comma);
        }
        self.last = Last::Bracket;
        self.take_value(frame.finish()?)
    }

    fn take_value(&mut self, value: Value) -> Result<Step, Error> {
        let Some(frame) = self.open.last_mut() else { return Ok(Step::Done(value)) };
        if let Put::Again(at) = frame.put(value)? {
            self.reader.note(RepairKind::RepeatedMember, at);
        }
        Ok(Step::On(Expected::Separator))
    }

    /// Passes a sign of structure.
    fn take_mark(&mut self) {
        let at = self.reader.at();
        if self.reader.bump().is_some_and(|c| !c.is_ascii()) {
            self.reader.note(RepairKind::FullWidth, at);
        }
        self.last = Last::Sign;
    }

    fn place(&self) -> Place {
        match self.open.last().map(|frame| frame.shape) {
            None => Place::Outermost,
            Some(Shape::Object) => Place::Member,
            Some(Shape::Array) => Place::Element,
            Some(Shape::Tuple) => Place::TupleElement,
        }
    }

    fn cut_off(&self) -> Error {
        match self.open.last() {
            Some(frame) => Error::Truncated { open: frame.shape.name(), at: frame.at },
            None => Error::invalid("no value", self.reader.at()),
        }
    }
}
