//! Settings of one source, held against the type that they become.

use std::path::Path;

use serde::de::DeserializeOwned;
use toml::Spanned;
use toml::de::{DeTable, Deserializer, Error};

use super::document::{self, Lines, Table};
use super::explain::{UnknownKey, nearest, wrong_value};
use super::renamed::{self, Renamed};
use super::{Finding, KeyPath, KnownKey, Layer, Place, Severity};

/// After so many problems of one file the rest is not looked for.
const MOST_PROBLEMS: usize = 50;

/// What is special about some keys.
pub(crate) struct Rules {
    /// Keys of earlier versions.
    pub(crate) renamed: &'static [Renamed],
    /// Sections that can be off while all else starts, as patterns.
    pub(crate) separate: &'static [&'static str],
    /// Keys whose values are never shown, as patterns.
    pub(crate) secret: &'static [&'static str],
    /// Every key, sections among them.
    pub(crate) known: Vec<KnownKey>,
    /// Names with a `-` in them, for which variables write `_`.
    pub(crate) names_with_dashes: Vec<&'static str>,
}

/// Reads the text of a file. All problems are found, not just the first; what has one is left out of the layer.
pub(crate) fn check_file<T: DeserializeOwned>(file: &Path, text: &str, rules: &Rules) -> (Layer, Vec<Finding>) {
    let lines = Lines::of(text);
    let (root, errors) = DeTable::parse_recoverable(text);
    let (layer, mut found) = match errors.as_slice() {
        [] => {
            let mut found = Vec::new();
            let table = right_part::<T>(root, &lines, rules, &mut found);
            let origin = |at| Place::Line(file.to_path_buf(), lines.number(at)).to_string();
            (Layer(document::to_values(table, &origin)), found)
        }
        errors => (
            Layer::default(),
            errors.iter().take(MOST_PROBLEMS).map(|error| syntax_error(text, &lines, error)).collect(),
        ),
    };
    found.sort_by_key(|(line, ..)| *line);
    let place = |line| Place::Line(file.to_path_buf(), line);
    let found = found.into_iter().map(|(line, severity, text)| Finding { severity, place: place(line), text });
    (layer, found.collect())
}

/// Something to tell of a line.
type Found = (usize, Severity, String);

/// What of a file can be used. What cannot is taken out, one setting after the other, as only then the next problem shows.
fn right_part<'a, T: DeserializeOwned>(
    root: Spanned<Table<'a>>,
    lines: &Lines,
    rules: &Rules,
    found: &mut Vec<Found>,
) -> Table<'a> {
    let (range, mut table) = (root.span(), root.into_inner());
    let old_keys = renamed::apply(&mut table, lines, rules.renamed);
    found.extend(old_keys.into_iter().map(|(line, text)| (line, Severity::Warning, text)));
    while let Err(error) = T::deserialize(Deserializer::from(Spanned::new(range.clone(), table.clone()))) {
        let line = error.span().map_or(1, |span| lines.number(span.start));
        let Some(problem) = Problem::locate(&table, &error, rules) else {
            found.push((line, Severity::Fatal, wrong_value(error.message())));
            return Table::new();
        };
        document::remove(&mut table, &problem.remove);
        found.push((line, problem.severity, problem.text));
        if found.len() >= MOST_PROBLEMS {
            found.push((line, Severity::Fatal, "these are a lot of problems; the rest was not looked for".to_owned()));
            return Table::new();
        }
    }
    table
}

/// What is wrong with the syntax. A source line is not quoted: a key might stand in it.
fn syntax_error(text: &str, lines: &Lines, error: &Error) -> Found {
    let at = error.span().unwrap_or(0..0);
    let message = match error.message() {
        "duplicate key" => format!("the key `{}` is there twice", text.get(at.clone()).unwrap_or_default()),
        message => message.to_owned(),
    };
    (lines.number(at.start), Severity::Fatal, message)
}

/// One thing that is wrong with a setting.
pub(crate) struct Problem {
    /// What follows.
    pub(crate) severity: Severity,
    /// What is wrong.
    pub(crate) text: String,
    /// Whether the key is not known at all.
    pub(crate) unknown: bool,
    /// What has to go for the rest to be looked at.
    remove: KeyPath,
}

impl Problem {
    /// Finds the setting that an error is about.
    pub(crate) fn locate(table: &Table<'_>, error: &Error, rules: &Rules) -> Option<Self> {
        let path = document::path_at(table, &error.span()?)?;
        if let Some(unknown) = UnknownKey::read(error.message()) {
            return Some(Self::unknown_key(path, &unknown, rules));
        }
        let secret = rules.secret.iter().any(|pattern| path.matches(pattern));
        let what = if secret { super::secret::WRITTEN_HOW.to_owned() } else { wrong_value(error.message()) };
        let text = format!("`{path}`: {what}");
        let section = rules.separate.iter().find_map(|pattern| path.start_matching(pattern));
        Some(match section {
            Some(section) => Self { severity: Severity::Off(section.clone()), text, unknown: false, remove: section },
            None => Self { severity: Severity::Fatal, text, unknown: false, remove: path },
        })
    }

    fn unknown_key(path: KeyPath, unknown: &UnknownKey<'_>, rules: &Rules) -> Self {
        // In a list of sections the range leads to the list, not to the key in it.
        let key = if path.last() == unknown.key { path.clone() } else { path.child(unknown.key) };
        let near = nearest(unknown.key, unknown.known.iter().copied()).map(|name| key.parent().child(name));
        let elsewhere =
            || rules.known.iter().map(|known| &known.path).find(|known| known.last() == unknown.key).cloned();
        let hint = match near.or_else(elsewhere) {
            Some(meant) => format!("did you mean `{meant}`?"),
            None if unknown.known.is_empty() => "there is no key here".to_owned(),
            None => format!("known here: {}", unknown.known.join(", ")),
        };
        let text = format!("unknown key `{key}`; {hint}");
        Self { severity: Severity::Fatal, text, unknown: true, remove: path }
    }
}
