//! Values as servers really write them: a number in quotes, a text that is null.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::Value;

#[cfg(test)]
mod tests;

/// A text; what is null or no text is empty, a number is its digits.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Text<'a>(pub(crate) Cow<'a, str>);

impl Text<'_> {
    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// A count or an index; `None` where there is no whole number.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Number(pub(crate) Option<u64>);

/// Anything: a text is kept as it is, the rest as a value.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) enum Content<'a> {
    /// Nothing, or null.
    #[default]
    Nothing,
    /// A text.
    Text(Cow<'a, str>),
    /// An array or an object; boxed, as it is rare and large.
    Value(Box<Value>),
}

impl<'de: 'a, 'a> Deserialize<'de> for Content<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ContentVisitor)
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Text<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(match Content::deserialize(deserializer)? {
            Content::Text(text) => Self(text),
            Content::Nothing | Content::Value(_) => Self::default(),
        })
    }
}

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = Text::deserialize(deserializer)?;
        let text = text.as_str().trim();
        Ok(Self(text.strip_suffix(".0").unwrap_or(text).parse().ok()))
    }
}

struct ContentVisitor;

impl<'de> Visitor<'de> for ContentVisitor {
    type Value = Content<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
        Ok(Content::Text(Cow::Borrowed(text)))
    }

    fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Content::Text(Cow::Owned(text.to_owned())))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Self::Value, E> {
        Ok(Content::Text(Cow::Owned(number.to_string())))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Self::Value, E> {
        Ok(Content::Text(Cow::Owned(number.to_string())))
    }

    fn visit_f64<E>(self, number: f64) -> Result<Self::Value, E> {
        Ok(Content::Text(Cow::Owned(format!("{number:?}"))))
    }

    fn visit_bool<E>(self, _: bool) -> Result<Self::Value, E> {
        Ok(Content::Nothing)
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(Content::Nothing)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<Self::Value, A::Error> {
        Value::deserialize(serde::de::value::SeqAccessDeserializer::new(seq))
            .map(|value| Content::Value(Box::new(value)))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
        Value::deserialize(serde::de::value::MapAccessDeserializer::new(map))
            .map(|value| Content::Value(Box::new(value)))
    }
}

/// Whether a field holds anything but null.
pub(crate) type Presence = Option<IgnoredAny>;

/// The two halves of a character that a gateway put into two events, cutting text by UTF-16 units.
#[derive(Debug, Default)]
pub(crate) struct Halves {
    /// The first half, which stood at the end of a string.
    first: Option<u16>,
}

impl Halves {
    /// Puts halves together: the first one is taken out of its event, and stands in front of the second one.
    pub(crate) fn join<'t>(&mut self, event: &'t str) -> Cow<'t, str> {
        if !event.contains("\\ud") && !event.contains("\\uD") {
            return Cow::Borrowed(event);
        }
        let waiting = self.first;
        let (mut joined, mut done, mut was_used, mut last) = (String::new(), 0, false, None);
        for half in lone_surrogates(event) {
            let rest = half.at + ESCAPE_LENGTH;
            match waiting {
                Some(first) if half.begins_string && is_second(half.unit) => {
                    joined += &event[done..half.at];
                    joined += &format!("\\u{first:04x}");
                    (done, was_used) = (half.at, true);
                }
                _ if is_first(half.unit) && event[rest..].starts_with('"') => {
                    joined += &event[done..half.at];
                    (done, last) = (rest, Some(half.unit));
                }
                _ => {}
            }
        }
        self.first = last.or(waiting.filter(|_| !was_used));
        if done == 0 { Cow::Borrowed(event) } else { Cow::Owned(joined + &event[done..]) }
    }
}

/// Reads JSON whose strings may hold half a surrogate pair, as a gateway leaves it that cuts text by UTF-16 units.
pub(crate) fn lenient_value(text: &str) -> Result<Value, serde_json::Error> {
    serde_json::from_str(text).or_else(|error| match replace_lone_surrogates(text) {
        Cow::Borrowed(_) => Err(error),
        Cow::Owned(text) => serde_json::from_str(&text),
    })
}

/// Writes `\ufffd` for each escape of half a pair that stands alone.
fn replace_lone_surrogates(text: &str) -> Cow<'_, str> {
    let (mut fixed, mut done) = (String::new(), 0);
    for half in lone_surrogates(text) {
        fixed += &text[done..half.at];
        fixed += "\\ufffd";
        done = half.at + ESCAPE_LENGTH;
    }
    if done == 0 { Cow::Borrowed(text) } else { Cow::Owned(fixed + &text[done..]) }
}

/// How long a `\uXXXX` is.
const ESCAPE_LENGTH: usize = 6;

/// The escape of half a surrogate pair.
struct Half {
    at: usize,
    unit: u16,
    /// Whether it is the first thing in its string.
    begins_string: bool,
}

/// The escapes of half a pair that stand alone, in the order of the text.
fn lone_surrogates(text: &str) -> impl Iterator<Item = Half> {
    let mut at = 0;
    std::iter::from_fn(move || {
        while let Some(found) = text[at..].find('\\') {
            let escape = at + found;
            // A quote that is escaped itself ends where the last escape did.
            let begins_string = found > 0 && text[..escape].ends_with('"');
            at = escape + 1 + text[escape + 1..].chars().next().map_or(0, char::len_utf8);
            let Some(unit) = escaped_unit(&text[escape..]) else { continue };
            at = escape + ESCAPE_LENGTH;
            if is_first(unit) && escaped_unit(&text[at..]).is_some_and(is_second) {
                at += ESCAPE_LENGTH;
            } else if is_first(unit) || is_second(unit) {
                return Some(Half { at: escape, unit, begins_string });
            }
        }
        None
    })
}

fn is_first(unit: u16) -> bool {
    (0xD800..0xDC00).contains(&unit)
}

fn is_second(unit: u16) -> bool {
    (0xDC00..0xE000).contains(&unit)
}

/// The unit of the `\uXXXX` that a text begins with.
fn escaped_unit(text: &str) -> Option<u16> {
    let digits = text.strip_prefix("\\u")?.get(..4)?;
    u16::from_str_radix(digits, 16).ok()
}
