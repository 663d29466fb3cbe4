//! The tool `ls`.

use std::fs::{self, DirEntry};
use std::path::Path;

use chat::ToolSpec;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::arguments::parse;
use crate::blocking::{blocking, go_on};
use crate::files::{failed, locate, not_found};
use crate::schema::spec_of;
use crate::text::{MOST_BYTES, count};
use crate::{Access, EffectClass, Protected, Settings, Tool, ToolContext, ToolFuture};

/// Entries that one listing shows at most.
const MOST_ENTRIES: usize = 500;

/// Lists a folder.
///
/// Folders end with `/`, links tell where they lead (` -> target`), hidden names are included.
#[derive(Deserialize, JsonSchema)]
struct Arguments {
    /// The folder; left out, the working folder.
    path: Option<String>,
}

/// Lists a folder.
pub(super) struct Ls {
    spec: ToolSpec,
    protected: Protected,
}

impl Ls {
    pub(super) fn new(settings: &Settings) -> Self {
        Self { spec: spec_of::<Arguments>("ls"), protected: settings.protected.clone() }
    }
}

impl Tool for Ls {
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
        blocking(arguments, context, move |arguments, context| list(&arguments, context, &protected))
    }
}

fn list(arguments: &Arguments, context: &ToolContext, protected: &Protected) -> Result<String, String> {
    let path = arguments.path.as_deref().filter(|path| !path.is_empty()).unwrap_or(".");
    let real = locate(path, context, protected)?;
    let found = fs::metadata(&real).map_err(|error| not_found(path, &real, &error))?;
    if !found.is_dir() {
        return Err(format!("`{path}` is a file, not a folder; read shows what is in it"));
    }
    let mut names = names_in(path, &real, context)?;
    names.sort_by_cached_key(|name| (name.to_lowercase(), name.clone()));
    Ok(show(&names))
}

fn names_in(path: &str, folder: &Path, context: &ToolContext) -> Result<Vec<String>, String> {
    let mut names = Vec::new();
    for entry in fs::read_dir(folder).map_err(|error| failed("list", path, &error))? {
        go_on(context)?;
        names.push(describe(&entry.map_err(|error| failed("list", path, &error))?));
    }
    Ok(names)
}

fn describe(entry: &DirEntry) -> String {
    let name = one_line(&entry.file_name().to_string_lossy());
    match entry.file_type() {
        Ok(found) if found.is_dir() => format!("{name}/"),
        Ok(found) if found.is_symlink() => {
            let target = fs::read_link(entry.path()).unwrap_or_default();
            format!("{name} -> {}", one_line(&target.to_string_lossy()))
        }
        _ => name,
    }
}

/// A name with a line break in it must not look like two.
fn one_line(name: &str) -> String {
    if name.contains(char::is_control) { name.escape_debug().to_string() } else { name.to_owned() }
}

fn show(names: &[String]) -> String {
    if names.is_empty() {
        return "(the folder is empty)".to_owned();
    }
    let mut bytes = 0;
    let fitting = names.iter().take(MOST_ENTRIES).take_while(|name| {
        bytes += name.len() + 1;
        bytes <= MOST_BYTES
    });
    let shown: Vec<&str> = fitting.map(String::as_str).collect();
    let mut text = shown.join("\n");
    if shown.len() < names.len() {
        let more = count((names.len() - shown.len()) as u64, "more entry", "more entries");
        text.push_str(&format!("\n[{more}; {} in all]", names.len()));
    }
    text
}

#[cfg(test)]
mod tests;
