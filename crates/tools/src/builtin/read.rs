//! The tool `read`.

mod lines;
mod page;

use chat::ToolSpec;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

use self::lines::Lines;
use self::page::Page;
use crate::arguments::parse;
use crate::blocking::blocking;
use crate::files::{binary_kind, failed, locate, open_plain};
use crate::schema::spec_of;
use crate::text::{MOST_LINES, count, size};
use crate::{Access, EffectClass, Protected, Settings, Tool, ToolContext, ToolFuture};

/// Bytes by which a file is judged to be text.
const LOOKED_AT: usize = 8 * 1024;

/// Reads a text file.
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
}

/// Reads a text file.
pub(super) struct Read {
    spec: ToolSpec,
    protected: Protected,
}

impl Read {
    pub(super) fn new(settings: &Settings) -> Self {
        Self { spec: spec_of::<Arguments>("read"), protected: settings.protected.clone() }
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
        let protected = self.protected.clone();
        let arguments = parse::<Arguments>(&self.spec, arguments);
        blocking(arguments, context, move |arguments, context| read(&arguments, context, &protected))
    }
}

fn read(arguments: &Arguments, context: &ToolContext, protected: &Protected) -> Result<String, String> {
    let path = arguments.path.as_str();
    let limit = match arguments.limit {
        Some(limit) if limit < 1 => return Err(format!("`limit` must be at least 1, not {limit}")),
        Some(limit) => usize::try_from(limit).unwrap_or(MOST_LINES).min(MOST_LINES),
        None => MOST_LINES,
    };
    let real = locate(path, context, protected)?;
    let file = open_plain(path, &real)?;
    let bytes = file.metadata().map_err(|error| failed("read", path, &error))?.len();
    let mut lines = Lines::new(file, path, context);
    let beginning = lines.peek()?;
    if beginning.is_empty() {
        return Ok(format!("(`{path}` is empty)"));
    }
    if let Some(kind) = binary_kind(&beginning[..beginning.len().min(LOOKED_AT)]) {
        return Err(format!("`{path}` is no text: {kind}, {}", size(bytes)));
    }
    let first = first_line(arguments.offset.unwrap_or(1), &mut lines)?;
    let skipped = lines.skip_up_to(first - 1)?;
    let page = Page::read(&mut lines, first, limit)?;
    if page.shown == 0 {
        let has = count(skipped, "line", "lines");
        return Err(format!("offset {first} is past the end: `{path}` has {has}"));
    }
    page.show(&mut lines, bytes)
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
