//! The tool `read`.

mod lines;
mod page;
mod pages;
mod pdf;
mod picture;

use chat::{ToolResult, ToolSpec};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

use self::lines::Lines;
use self::page::Page;
use super::known::Known;
use crate::arguments::parse;
use crate::blocking::blocking;
use crate::files::{binary_kind, is_image, is_pdf};
use crate::schema::spec_of;
use crate::text::{MOST_LINES, count, size};
use crate::{Access, EffectClass, Tool, ToolContext, ToolFuture};

/// Bytes by which a file is judged to be text.
const LOOKED_AT: usize = 8 * 1024;

/// Reads a text file, a PDF or a picture.
///
/// Each line is shown as `N|text`, where `N|` is its number and no part of the file. At most 2000 lines or 48 KB come at once; a
/// note says how to go on.
#[derive(Deserialize, JsonSchema)]
struct Arguments {
    /// The file.
    path: String,
    /// The first line to show, from 1; a negative number counts from the end.
    offset: Option<i64>,
    /// How many lines to show.
    limit: Option<i64>,
    /// Pages of a PDF, at most 20: "3", "1-5" or "10-".
    pages: Option<String>,
}

/// Reads a text file, a PDF or a picture.
pub(super) struct Read {
    spec: ToolSpec,
    known: Known,
}

impl Read {
    pub(super) fn new(known: Known) -> Self {
        Self { spec: spec_of::<Arguments>("read"), known }
    }
}

impl Tool for Read {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn effect(&self) -> EffectClass {
        EffectClass::Pure
    }

    fn needs(&self) -> Access {
        Access::Files
    }

    fn parallel_safe(&self) -> bool {
        true
    }

    fn run(&self, arguments: Map<String, Value>, context: ToolContext) -> ToolFuture {
        let known = self.known.clone();
        let arguments = parse::<Arguments>(&self.spec, arguments);
        blocking(arguments, context, move |arguments, context| read(&arguments, context, &known))
    }
}

fn read(arguments: &Arguments, context: &ToolContext, known: &Known) -> Result<ToolResult, String> {
    let path = arguments.path.as_str();
    let spot = known.places.to_read(path, context)?;
    let (file, found) = spot.open(path)?;
    let bytes = found.st_size.unsigned_abs();
    let mut lines = Lines::new(file, path, context);
    let beginning = lines.peek()?;
    if beginning.is_empty() {
        known.note(&spot, &found, context);
        return Ok(ToolResult::ok(format!("(`{path}` is empty)")));
    }
    let beginning = &beginning[..beginning.len().min(LOOKED_AT)];
    match binary_kind(beginning) {
        _ if is_image(beginning) => return picture::read(lines.into_file()?, path, bytes),
        _ if is_pdf(beginning) => {
            return pdf::read(lines.into_file()?, path, arguments.pages.as_deref(), context).map(ToolResult::ok);
        }
        Some(kind) => return Err(format!("`{path}` is no text: {kind}, {}", size(bytes))),
        None => {}
    }
    let text = read_text(arguments, &mut lines, bytes)?;
    known.note(&spot, &found, context);
    Ok(ToolResult::ok(text))
}

fn read_text(arguments: &Arguments, lines: &mut Lines, bytes: u64) -> Result<String, String> {
    let limit = match arguments.limit {
        Some(limit) if limit < 1 => return Err(format!("`limit` must be at least 1, not {limit}")),
        Some(limit) => usize::try_from(limit).unwrap_or(MOST_LINES).min(MOST_LINES),
        None => MOST_LINES,
    };
    let first = first_line(arguments.offset.unwrap_or(1), lines)?;
    let skipped = lines.skip_up_to(first - 1)?;
    let page = Page::read(lines, first, limit)?;
    if page.shown == 0 {
        let has = count(skipped, "line", "lines");
        return Err(format!("offset {first} is past the end: `{}` has {has}", arguments.path));
    }
    page.show(lines, bytes)
}

/// The number of the line to begin with; for one counted from the end all lines are counted first.
fn first_line(offset: i64, lines: &mut Lines) -> Result<u64, String> {
    if offset >= 0 {
        return Ok(offset.unsigned_abs().max(1));
    }
    let all = lines.skip_up_to(u64::MAX)?;
    lines.rewind()?;
    Ok(all.saturating_sub(offset.unsigned_abs()) + 1)
}

#[cfg(test)]
mod tests;
