//! The tool `write`.

use std::fmt::Write as _;
use std::path::Path;

use chat::ToolSpec;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::known::Known;
use crate::arguments::parse;
use crate::blocking::blocking;
use crate::files::Spot;
use crate::schema::spec_of;
use crate::text::{count, size};
use crate::textual::{Fault, Style, fault, looks_numbered};
use crate::{Access, EffectClass, Tool, ToolContext, ToolFuture};

const ADVICE: &str = "Write a first part with write, then append the others one at a time with edit (an empty old_text), \
                      or split the content into several smaller files.";

/// Bytes of an old file that are looked at for its line ends.
const LOOKED_AT: u64 = 64 * 1024;

/// Up to this size an old file is read to see whether its syntax was broken before.
const MOST_COMPARED: u64 = 8 * 1024 * 1024;

/// Writes a text file, replacing what was in it.
///
/// Missing folders are created. The file is replaced as a whole or not at all.
#[derive(Deserialize, JsonSchema)]
struct Arguments {
    /// The file.
    path: String,
    /// All that the file is to hold, without line numbers.
    content: String,
}

/// Writes a text file.
pub(super) struct Write {
    spec: ToolSpec,
    known: Known,
}

impl Write {
    pub(super) fn new(known: Known) -> Self {
        Self { spec: spec_of::<Arguments>("write"), known }
    }
}

impl Tool for Write {
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
        blocking(arguments, context, move |arguments, context| write(&arguments, context, &known))
    }
}

fn write(arguments: &Arguments, context: &ToolContext, known: &Known) -> Result<String, String> {
    let (path, content) = (arguments.path.as_str(), arguments.content.as_str());
    if looks_numbered(content) {
        return Err("the content looks like what read shows, with `N|` in front of its lines; send it without them. \
                    Nothing was written. (Should the file really be like that, write it with bash.)"
            .to_owned());
    }
    let spot = known.places.to_write(path, context)?;
    spot.must_be_replaceable(path)?;
    let style = spot.found().map(|_| Style::of(&old_content(&spot, path, LOOKED_AT))).unwrap_or_default();
    let was_broken = || old_fault(&spot, path).is_some();
    let warning = check_syntax(path, content, was_broken)?;
    let was_changed = known.has_changed(&spot, context);
    let styled = style.apply(content);
    let made = spot.replace(path, styled.as_bytes(), context)?;
    known.note(&spot, &made, context);
    let lines = count(content.lines().count() as u64, "line", "lines");
    let now = format!("`{path}`: {lines}, {}", size(styled.len() as u64));
    let mut told = match spot.found() {
        None => format!("created {now}"),
        Some(old) => format!("replaced {now} (it had {})", size(old.st_size.unsigned_abs())),
    };
    if styled.len() != content.len() && style.crlf {
        told.push_str("; its lines end with CRLF, as before");
    }
    if was_changed {
        told.push_str(
            "\nWarning: since you last read or wrote it here, something else had changed it; that is overwritten",
        );
    }
    told.extend(warning);
    Ok(told)
}

/// Refuses content that the file's name says something else of; what may be meant is told in a warning.
pub(super) fn check_syntax(path: &str, content: &str, was_broken: impl Fn() -> bool) -> Result<Option<String>, String> {
    let Some(found) = fault(Path::new(path), content) else { return Ok(None) };
    let Fault { language, line, column, what, may_be_meant } = found;
    let mut said = format!("this is no valid {language}: line {line}, column {column}: {what}");
    if may_be_meant || was_broken() {
        return Ok(Some(format!("\nWarning: {said}")));
    }
    let text = content.lines().nth(line - 1).unwrap_or_default();
    let _ =
        write!(said, " (`{}`). `{path}` was not written; correct it and try again", crate::text::clip(text.trim(), 80));
    Err(said)
}

fn old_fault(spot: &Spot, path: &str) -> Option<Fault> {
    let old = spot.found().filter(|old| old.st_size.unsigned_abs() <= MOST_COMPARED)?;
    let content = old_content(spot, path, old.st_size.unsigned_abs());
    fault(Path::new(path), std::str::from_utf8(&content).ok()?)
}

fn old_content(spot: &Spot, path: &str, most: u64) -> Vec<u8> {
    use std::io::Read as _;
    let mut content = Vec::new();
    if let Ok((file, _)) = spot.open(path) {
        // What cannot be read has no style to keep.
        let _ = file.take(most).read_to_end(&mut content);
    }
    content
}

#[cfg(test)]
mod tests;
