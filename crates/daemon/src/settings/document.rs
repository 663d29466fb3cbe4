//! The text of a configuration file as a tree of values that know their lines.

use std::borrow::Cow;
use std::ops::Range;

use config::{Value, ValueKind};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::KeyPath;

/// A section, as it was written.
pub(crate) type Table<'a> = DeTable<'a>;

/// Where the lines of a text start.
pub(crate) struct Lines(Vec<usize>);

impl Lines {
    /// Finds them.
    pub(crate) fn of(text: &str) -> Self {
        let after_newlines = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at + 1);
        Self(std::iter::once(0).chain(after_newlines).collect())
    }

    /// The line, from 1, that a byte is in.
    pub(crate) fn number(&self, byte: usize) -> usize {
        self.0.partition_point(|start| *start <= byte)
    }
}

/// The setting whose key or value covers a range of the text.
pub(crate) fn path_at(table: &Table<'_>, range: &Range<usize>) -> Option<KeyPath> {
    let exact = |found: &Range<usize>| found == range;
    // A section's own range says little (its header, or what it spans), so it only counts where nothing in it does.
    let covering = |found: &Range<usize>| found.start <= range.start && range.end <= found.end;
    search(table, &KeyPath::default(), &exact).or_else(|| search(table, &KeyPath::default(), &covering))
}

fn search(table: &Table<'_>, path: &KeyPath, wanted: &impl Fn(&Range<usize>) -> bool) -> Option<KeyPath> {
    table.iter().find_map(|(key, value)| {
        let here = path.child(key.get_ref());
        let inside = match value.get_ref() {
            DeValue::Table(inner) => search(inner, &here, wanted),
            _ => None,
        };
        inside.or_else(|| (wanted(&key.span()) || wanted(&value.span())).then_some(here))
    })
}

/// Takes a setting out.
pub(crate) fn remove<'a>(table: &mut Table<'a>, path: &KeyPath) -> Option<Spanned<DeValue<'a>>> {
    let mut section = table;
    for key in path.parent().keys() {
        let DeValue::Table(inner) = section.get_mut(key.as_str())?.get_mut() else { return None };
        section = inner;
    }
    section.remove(path.last())
}

/// Takes the empty sections around a setting out.
pub(crate) fn remove_empty_around(table: &mut Table<'_>, path: &KeyPath) {
    let mut section = path.parent();
    while !section.keys().is_empty() {
        let empty = |value: &Spanned<DeValue<'_>>| value.get_ref().as_table().is_some_and(Table::is_empty);
        let Some(value) = remove(table, &section) else { return };
        if !empty(&value) {
            let back = insert(table, &section, value);
            debug_assert!(back.is_ok(), "its place was just made free");
            return;
        }
        section = section.parent();
    }
}

/// Puts a setting in, and the sections around it where they are missing. Gives the value back where something stands already.
pub(crate) fn insert<'a>(
    table: &mut Table<'a>,
    path: &KeyPath,
    value: Spanned<DeValue<'a>>,
) -> Result<(), Spanned<DeValue<'a>>> {
    let mut section = table;
    for key in path.parent().keys() {
        let key = Spanned::new(value.span(), Cow::Owned(key.clone()));
        let inner = section.entry(key).or_insert_with(|| Spanned::new(value.span(), DeValue::Table(Table::new())));
        let DeValue::Table(inner) = inner.get_mut() else { return Err(value) };
        section = inner;
    }
    if section.contains_key(path.last()) {
        return Err(value);
    }
    section.insert(Spanned::new(value.span(), Cow::Owned(path.last().to_owned())), value);
    Ok(())
}

/// The tree as the `config` crate merges it; `origin` says of a place in the text where a value comes from.
pub(crate) fn to_values(table: Table<'_>, origin: &impl Fn(usize) -> String) -> config::Map<String, Value> {
    table.into_iter().map(|(key, value)| (key.into_inner().into_owned(), to_value(value, origin))).collect()
}

fn to_value(value: Spanned<DeValue<'_>>, origin: &impl Fn(usize) -> String) -> Value {
    let from = origin(value.span().start);
    let kind = match value.into_inner() {
        DeValue::Table(table) => ValueKind::Table(to_values(table, origin)),
        DeValue::Array(array) => ValueKind::Array(array.into_iter().map(|item| to_value(item, origin)).collect()),
        DeValue::String(text) => ValueKind::String(text.into_owned()),
        DeValue::Boolean(value) => ValueKind::Boolean(value),
        DeValue::Datetime(time) => ValueKind::String(time.to_string()),
        DeValue::Integer(number) => match i64::from_str_radix(number.as_str(), number.radix()) {
            Ok(number) => ValueKind::I64(number),
            Err(_) => ValueKind::String(number.as_str().to_owned()),
        },
        DeValue::Float(number) => match number.as_str().parse() {
            Ok(number) => ValueKind::Float(number),
            Err(_) => ValueKind::String(number.as_str().to_owned()),
        },
    };
    Value::new(Some(&from), kind)
}
