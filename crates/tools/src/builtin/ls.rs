//! The tool `ls`.

use std::collections::BinaryHeap;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;

use chat::ToolSpec;
use rustix::fs::{DirEntry, FileType, readlinkat};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::arguments::parse;
use crate::blocking::{blocking, go_on};
use crate::files::{Places, Spot, failed};
use crate::schema::spec_of;
use crate::text::{MOST_BYTES, count};
use crate::{Access, EffectClass, Tool, ToolContext, ToolFuture};

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
    places: Places,
}

impl Ls {
    pub(super) fn new(places: Places) -> Self {
        Self { spec: spec_of::<Arguments>("ls"), places }
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
        let places = self.places.clone();
        let arguments = parse::<Arguments>(&self.spec, arguments);
        blocking(arguments, context, move |arguments, context| list(&arguments, context, &places))
    }
}

fn list(arguments: &Arguments, context: &ToolContext, places: &Places) -> Result<String, String> {
    let path = arguments.path.as_deref().filter(|path| !path.is_empty()).unwrap_or(".");
    let spot = places.to_read(path, context)?;
    spot.must_exist(path)?;
    if !spot.is_folder() {
        return Err(format!("`{path}` is a file, not a folder; read shows what is in it"));
    }
    let mut listing = Listing::default();
    for entry in spot.entries(path)? {
        go_on(context)?;
        listing.add(&entry.map_err(|error| failed("list", path, &error.into()))?);
    }
    Ok(listing.show(&spot))
}

/// The first entries of a folder in the order in which they are shown; never more of them, however many there are.
#[derive(Default)]
struct Listing {
    first: BinaryHeap<Shown>,
    all: u64,
}

/// An entry, by what it is sorted by.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Shown {
    folded: String,
    name: OsString,
    kind: Kind,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Folder,
    Link,
    Other,
}

impl Listing {
    fn add(&mut self, entry: &DirEntry) {
        let name = entry.file_name().to_bytes();
        if name == b"." || name == b".." {
            return;
        }
        self.all += 1;
        let folded = String::from_utf8_lossy(name).to_lowercase();
        if self.first.len() == MOST_ENTRIES && self.first.peek().is_some_and(|last| last.folded < folded) {
            return;
        }
        let kind = match entry.file_type() {
            FileType::Directory => Kind::Folder,
            FileType::Symlink => Kind::Link,
            _ => Kind::Other,
        };
        self.first.push(Shown { folded, name: OsStr::from_bytes(name).to_owned(), kind });
        if self.first.len() > MOST_ENTRIES {
            self.first.pop();
        }
    }

    fn show(self, spot: &Spot) -> String {
        if self.all == 0 {
            return "(the folder is empty)".to_owned();
        }
        let (mut text, mut shown) = (String::new(), 0);
        for entry in self.first.into_sorted_vec() {
            let line = entry.describe(spot);
            if text.len() + line.len() + 1 > MOST_BYTES {
                break;
            }
            text.push_str(&line);
            text.push('\n');
            shown += 1;
        }
        text.pop();
        if shown < self.all {
            text.push_str(&format!(
                "\n[{}; {} in all]",
                count(self.all - shown, "more entry", "more entries"),
                self.all
            ));
        }
        text
    }
}

impl Shown {
    fn describe(&self, spot: &Spot) -> String {
        let name = one_line(&self.name.to_string_lossy());
        match self.kind {
            Kind::Folder => format!("{name}/"),
            Kind::Link => {
                let target = readlinkat(spot.held(), &self.name, Vec::new()).unwrap_or_default();
                format!("{name} -> {}", one_line(&target.to_string_lossy()))
            }
            Kind::Other => name,
        }
    }
}

/// A name with a line break in it must not look like two.
fn one_line(name: &str) -> String {
    if name.contains(char::is_control) { name.escape_debug().to_string() } else { name.to_owned() }
}

#[cfg(test)]
mod tests;
