//! The tool `edit`.

mod display;
mod find;
mod flat;

use std::io::Read as _;

use chat::{ToolResult, ToolSpec};
use rustix::fs::Stat;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

use self::find::{Found, find};
use self::flat::Flat;
use super::known::Known;
use super::write::check_syntax;
use crate::arguments::parse;
use crate::blocking::blocking;
use crate::files::{Spot, binary_kind, failed};
use crate::schema::spec_of;
use crate::text::size;
use crate::textual::{fault, looks_numbered, without_numbers};
use crate::{Access, EffectClass, Tool, ToolContext, ToolFuture};

/// The largest file that is edited.
const LARGEST_FILE: u64 = 16 * 1024 * 1024;

/// Letters from which on a text is taken for the very one that was put in before, not for one that only looks the same.
const TELLING: usize = 8;

const ADVICE: &str = "Make several smaller edits, a call for each.";

/// Replaces text in a file.
///
/// `old_text` must occur once; differences in white space are forgiven, and the new text is indented like the old.
#[derive(Deserialize, JsonSchema)]
struct Arguments {
    /// The file.
    path: String,
    /// What to replace, without line numbers; empty to append.
    old_text: String,
    /// What to put there.
    new_text: String,
    /// Replace every occurrence.
    replace_all: Option<bool>,
}

/// Replaces text in a file.
pub(super) struct Edit {
    spec: ToolSpec,
    known: Known,
}

impl Edit {
    pub(super) fn new(known: Known) -> Self {
        Self { spec: spec_of::<Arguments>("edit"), known }
    }
}

impl Tool for Edit {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn effect(&self) -> EffectClass {
        EffectClass::Idempotent
    }

    fn needs(&self) -> Access {
        Access::Files
    }

    fn advice_on_sending_less(&self) -> Option<&str> {
        Some(ADVICE)
    }

    fn run(&self, arguments: Map<String, Value>, context: ToolContext) -> ToolFuture {
        let known = self.known.clone();
        let arguments = parse::<Arguments>(&self.spec, arguments);
        blocking(arguments, context, move |arguments, context| edit(&arguments, context, &known))
    }
}

/// What becomes of a file.
enum Plan {
    /// This, and what is told of it.
    Change { content: String, told: String },
    /// Nothing: it is so already.
    Done(String),
}

fn edit(arguments: &Arguments, context: &ToolContext, known: &Known) -> Result<ToolResult, String> {
    let path = arguments.path.as_str();
    let spot = known.places.to_write(path, context)?;
    spot.must_exist(path)?;
    spot.must_be_replaceable(path)?;
    let (old, found) = content_of(&spot, path)?;
    let was_changed = known.has_changed(&spot, context);
    let (content, mut told) = match plan(arguments, &old)? {
        Plan::Change { content, told } => (content, told),
        Plan::Done(told) => return Ok(ToolResult::ok(told)),
    };
    if content == old {
        return Err(format!("this edit would leave `{path}` as it is"));
    }
    let was_broken = || fault(path.as_ref(), &old).is_some();
    told.extend(check_syntax(path, &content, was_broken)?);
    let made = spot.replace(path, content.as_bytes(), context)?;
    note(known, &spot, was_changed.then_some(&found), &made, context);
    if was_changed {
        told.push_str("\nWarning: something else has changed this file since you last read it; read it again");
    }
    let display = display::diff(path, &old, &content);
    Ok(ToolResult { display: Some(display), ..ToolResult::ok(told) })
}

/// A conversation that has not seen what something else changed still has not.
fn note(known: &Known, spot: &Spot, unseen: Option<&Stat>, made: &Stat, context: &ToolContext) {
    if unseen.is_none() {
        known.note(spot, made, context);
    }
}

fn content_of(spot: &Spot, path: &str) -> Result<(String, Stat), String> {
    let (file, found) = spot.open(path)?;
    if found.st_size.unsigned_abs() > LARGEST_FILE {
        let most = size(LARGEST_FILE);
        return Err(format!("`{path}` has {}; edit takes files up to {most}", size(found.st_size.unsigned_abs())));
    }
    let mut content = Vec::new();
    file.take(LARGEST_FILE + 1).read_to_end(&mut content).map_err(|error| failed("read", path, &error))?;
    if let Some(kind) = binary_kind(&content) {
        return Err(format!("`{path}` is no text: {kind}"));
    }
    let content = String::from_utf8(content).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        format!("`{path}` is no text in UTF-8 (byte {at} is none of it); edit would spoil it")
    })?;
    Ok((content, found))
}

fn plan(arguments: &Arguments, content: &str) -> Result<Plan, String> {
    let Arguments { path, old_text, new_text, .. } = arguments;
    let (old_text, new_text) = (old_text.replace("\r\n", "\n"), new_text.replace("\r\n", "\n"));
    let flat = Flat::new(content);
    if old_text.trim().is_empty() {
        return append(path, &flat, &new_text);
    }
    if old_text == new_text {
        return Err("`old_text` and `new_text` are the same; nothing was changed".to_owned());
    }
    if let Some(line) = is_done(&flat, &old_text, &new_text) {
        return Ok(Plan::Done(format!("nothing to do: `{path}` has the new text already (line {line})")));
    }
    let (found, new_text) = match find(&flat.text, &old_text) {
        Found { places, .. } if places.is_empty() => without_gutter(&flat, &old_text, &new_text),
        found => (found, new_text),
    };
    if looks_numbered(&new_text) && !found.places.iter().any(|place| looks_numbered(&flat.text[place.clone()])) {
        return Err(
            "`new_text` has line numbers (`N|`) in front of its lines; send it without them. Nothing was changed"
                .to_owned(),
        );
    }
    replace(arguments, &flat, &found, &new_text)
}

/// Looks for the text once more, where it is what `read` shows.
fn without_gutter(flat: &Flat, old_text: &str, new_text: &str) -> (Found, String) {
    let Some(old_text) = without_numbers(old_text) else { return (Found::default(), new_text.to_owned()) };
    let new_text = without_numbers(new_text).unwrap_or_else(|| new_text.to_owned());
    (find(&flat.text, &old_text), new_text)
}

/// Where the text is that was to be put in, when nothing is left of the old one: the edit was made before.
fn is_done(flat: &Flat, old_text: &str, new_text: &str) -> Option<usize> {
    let at = flat.text.find(new_text).filter(|_| new_text.trim().chars().count() >= TELLING)?;
    let mut left = flat.text.replace(new_text, "");
    // A new text that holds the old one leaves it in the file for good.
    if !new_text.contains(old_text) {
        left.clone_from(&flat.text);
    }
    find(&left, old_text).places.is_empty().then(|| flat.line_of(at))
}

fn append(path: &str, flat: &Flat, new_text: &str) -> Result<Plan, String> {
    if new_text.is_empty() {
        return Err("both `old_text` and `new_text` are empty; nothing was changed".to_owned());
    }
    if looks_numbered(new_text) {
        return Err(
            "`new_text` has line numbers (`N|`) in front of its lines; send it without them. Nothing was changed"
                .to_owned(),
        );
    }
    if flat.text.trim_end().ends_with(new_text.trim()) && !new_text.trim().is_empty() {
        return Ok(Plan::Done(format!("nothing to do: `{path}` ends with this text already")));
    }
    let end = flat.text.len();
    let needs_break = !flat.text.is_empty() && !flat.text.ends_with('\n');
    let text = format!("{}{new_text}", if needs_break { "\n" } else { "" });
    let line = flat.line_of(end) + usize::from(needs_break);
    let content = flat.with(&[(end..end, text)]);
    Ok(Plan::Change { content, told: format!("appended to `{path}` from line {line} on") })
}

fn replace(arguments: &Arguments, flat: &Flat, found: &Found, new_text: &str) -> Result<Plan, String> {
    let path = &arguments.path;
    let lines: Vec<usize> = found.places.iter().map(|place| flat.line_of(place.start)).collect();
    let Some(first) = lines.first() else { return Err(not_found(path, &flat.text, &arguments.old_text)) };
    if lines.len() > 1 && arguments.replace_all != Some(true) {
        let shown: Vec<String> = lines.iter().take(10).map(ToString::to_string).collect();
        let more = if lines.len() > shown.len() { ", …" } else { "" };
        return Err(format!(
            "`old_text` occurs {} times in `{path}` (lines {}{more}); send more of the text around it, or set replace_all",
            lines.len(),
            shown.join(", ")
        ));
    }
    let changes: Vec<_> =
        found.places.iter().map(|place| (place.clone(), found.fit(&flat.text[place.clone()], new_text))).collect();
    let times = if lines.len() == 1 { "once".to_owned() } else { format!("{} times", lines.len()) };
    let how = if found.is_loose { "; white space differed" } else { "" };
    let told = format!("edited `{path}` {times}, first changed line {first}{how}");
    Ok(Plan::Change { content: flat.with(&changes), told })
}

/// Says that the text is not there, and where its first line is.
fn not_found(path: &str, content: &str, old_text: &str) -> String {
    let first = old_text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    let near = content.lines().position(|line| line.trim() == first);
    let hint = match near {
        Some(at) => format!("its first line is line {} of the file, but what follows differs", at + 1),
        None => "not even its first line is in the file".to_owned(),
    };
    format!("`old_text` is not in `{path}`; {hint}. Read the file again")
}

#[cfg(test)]
mod tests;
