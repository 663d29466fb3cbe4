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

/// Reads JSON whose strings may hold half a surrogate pair, as a gateway leaves it that cuts text by UTF-16 units.
pub(crate) fn lenient_value(text: &str) -> Result<Value, serde_json::Error> {
    serde_json::from_str(text).or_else(|error| match replace_lone_surrogates(text) {
        Cow::Borrowed(_) => Err(error),
        Cow::Owned(text) => serde_json::from_str(&text),
    })
}

/// Writes `\ufffd` for each escape of half a pair that stands alone.
fn replace_lone_surrogates(text: &str) -> Cow<'_, str> {
    let mut fixed: Option<String> = None;
    let mut done = 0;
    let mut at = 0;
    while let Some(found) = text[at..].find('\\') {
        let escape = at + found;
        at = escape + 1 + text[escape + 1..].chars().next().map_or(0, char::len_utf8);
        let Some(unit) = escaped_unit(&text[escape..]) else { continue };
        at = escape + 6;
        let pair = (0xD800..0xDC00).contains(&unit)
            && escaped_unit(&text[at..]).is_some_and(|next| (0xDC00..0xE000).contains(&next));
        if pair {
            at += 6;
        } else if (0xD800..0xE000).contains(&unit) {
            let fixed = fixed.get_or_insert_with(String::new);
            fixed.push_str(&text[done..escape]);
            fixed.push_str("\\ufffd");
            done = at;
        }
    }
    fixed.map_or(Cow::Borrowed(text), |fixed| Cow::Owned(fixed + &text[done..]))
}

/// The unit of the `\uXXXX` that a text begins with.
fn escaped_unit(text: &str) -> Option<u16> {
    let digits = text.strip_prefix("\\u")?.get(..4)?;
    u16::from_str_radix(digits, 16).ok()
}
