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
    let line = |number| Place::Line(file.to_path_buf(), number);
    let (root, errors) = DeTable::parse_recoverable(text);
    if !errors.is_empty() {
        let findings = errors.iter().map(|error| Finding {
            severity: Severity::Fatal,
            place: error.span().map_or(Place::File(file.to_path_buf()), |span| line(lines.number(span.start))),
            text: syntax_error(text, error),
        });
        return (Layer::default(), findings.collect());
    }
    let (range, mut table) = (root.span(), root.into_inner());
    let old_keys = renamed::apply(&mut table, &lines, rules.renamed);
    let warnings =
        old_keys.into_iter().map(|(number, text)| Finding { severity: Severity::Warning, place: line(number), text });
    let mut findings: Vec<Finding> = warnings.collect();
    while let Err(error) = T::deserialize(Deserializer::from(Spanned::new(range.clone(), table.clone()))) {
        let Some(problem) = Problem::locate(&table, &error, rules) else {
            findings.push(Finding {
                severity: Severity::Fatal,
                place: Place::File(file.to_path_buf()),
                text: wrong_value(error.message()),
            });
            break;
        };
        let number = error.span().map_or(1, |span| lines.number(span.start));
        document::remove(&mut table, &problem.remove);
        findings.push(Finding { severity: problem.severity, place: line(number), text: problem.text });
        if findings.len() >= MOST_PROBLEMS {
            break;
        }
    }
    let origin = |at| format!("{}, line {}", file.display(), lines.number(at));
    (Layer(document::to_values(table, &origin)), findings)
}

/// What is wrong with the syntax. A source line is not quoted: a key might stand in it.
fn syntax_error(text: &str, error: &Error) -> String {
    let message = error.message();
    let key = error.span().and_then(|span| text.get(span)).unwrap_or_default();
    if message == "duplicate key" { format!("the key `{key}` is there twice") } else { message.to_owned() }
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
