//! An object or array that is being read.

use serde_json::{Map, Value};

use crate::Error;
use crate::punctuation::Shape;

/// An object, array or tuple whose end has not been read yet.
pub(crate) struct Frame {
    /// Where it begins.
    pub(crate) at: usize,
    pub(crate) shape: Shape,
    /// The comma that was read last, until an item follows it.
    pub(crate) comma: Option<usize>,
    items: Vec<Value>,
    members: Map<String, Value>,
    /// The key whose value comes next, and where it stands.
    key: (String, usize),
}

/// What became of a value.
#[derive(PartialEq, Eq)]
pub(crate) enum Put {
    New,
    /// A member with this key, at this place, was there already, with an equal value.
    Again(usize),
}

impl Frame {
    pub(crate) fn opened(shape: Shape, at: usize) -> Self {
        Self { at, shape, comma: None, items: Vec::new(), members: Map::new(), key: (String::new(), at) }
    }

    pub(crate) fn set_key(&mut self, key: String, at: usize) {
        self.key = (key, at);
    }

    /// Takes the value of the present key, or the next item.
    pub(crate) fn put(&mut self, value: Value) -> Result<Put, Error> {
        if self.shape != Shape::Object {
            self.items.push(value);
            return Ok(Put::New);
        }
        let (key, at) = std::mem::take(&mut self.key);
        match self.members.get(&key) {
            Some(old) if *old == value => Ok(Put::Again(at)),
            Some(_) => Err(Error::ambiguous("a second value for a key", at)),
            None => {
                self.members.insert(key, value);
                Ok(Put::New)
            }
        }
    }

    /// The finished value. Python's `(x)` is no tuple, and what it is depends on what else stands there.
    pub(crate) fn finish(self) -> Result<Value, Error> {
        match self.shape {
            Shape::Object => Ok(Value::Object(self.members)),
            Shape::Tuple if self.items.len() == 1 && self.comma.is_none() => {
                Err(Error::ambiguous("round brackets around one value", self.at))
            }
            Shape::Array | Shape::Tuple => Ok(Value::Array(self.items)),
        }
    }
}
