//! The tool `send`: the only way in which files leave.

mod copy;

use std::path::{Path, PathBuf};

use chat::{OutgoingFile, ToolResult, ToolSpec};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::arguments::parse;
use crate::blocking::blocking;
use crate::files::Places;
use crate::schema::spec_of;
use crate::text::size;
use crate::{Access, EffectClass, Settings, Tool, ToolContext, ToolFuture};

/// Sends a file to the person, together with the answer of this turn.
#[derive(Deserialize, JsonSchema)]
struct Arguments {
    /// The file.
    path: String,
    /// A line that goes with it.
    caption: Option<String>,
}

/// Sends a file to the person.
pub(super) struct Send {
    spec: ToolSpec,
    sender: Sender,
}

/// Where files may come from and where their copies go.
#[derive(Clone)]
struct Sender {
    places: Places,
    blobs: Option<PathBuf>,
    largest: u64,
}

impl Send {
    pub(super) fn new(places: Places, settings: &Settings) -> Self {
        let largest = settings.send_mib.get().saturating_mul(1024 * 1024);
        Self { spec: spec_of::<Arguments>("send"), sender: Sender { places, blobs: settings.blobs.clone(), largest } }
    }
}

impl Tool for Send {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    /// A call has one result, and each file goes out once for each result; the copy is the same whenever it is made.
    fn effect(&self) -> EffectClass {
        EffectClass::Idempotent
    }

    fn needs(&self) -> Access {
        Access::Files
    }

    fn run(&self, arguments: Map<String, Value>, context: ToolContext) -> ToolFuture {
        let sender = self.sender.clone();
        let arguments = parse::<Arguments>(&self.spec, arguments);
        blocking(arguments, context, move |arguments, context| send(arguments, context, &sender))
    }
}

fn send(arguments: Arguments, context: &ToolContext, sender: &Sender) -> Result<ToolResult, String> {
    let path = arguments.path.as_str();
    let Some(blobs) = &sender.blobs else { return Err("no file can be sent from here".to_owned()) };
    let spot = sender.places.to_read(path, context)?;
    let (file, found) = spot.open(path)?;
    let too_large = |bytes: u64| {
        format!(
            "`{path}` has {}; files up to {} can be sent. Pack it, or send a part",
            size(bytes),
            size(sender.largest)
        )
    };
    match found.st_size.unsigned_abs() {
        0 => return Err(format!("`{path}` is empty; there is nothing to send")),
        bytes if bytes > sender.largest => return Err(too_large(bytes)),
        _ => {}
    }
    let name = name_of(path, &spot.real());
    let copied = copy::into_folder(blobs, file, &name, sender.largest, context)?;
    let Some((copy, bytes)) = copied else { return Err(too_large(sender.largest + 1)) };
    let media_type = mime_guess::from_path(&name).first_or_octet_stream().to_string();
    let caption = arguments.caption.filter(|caption| !caption.trim().is_empty());
    let told = format!("`{name}` ({}) goes out with the answer of this turn", size(bytes));
    let file = OutgoingFile { path: copy, name, media_type, bytes, caption };
    Ok(ToolResult { files: vec![file], ..ToolResult::ok(told) })
}

/// What the model called it, which a person asked for; not where a link leads.
fn name_of(path: &str, real: &Path) -> String {
    let name = Path::new(path).file_name().or(real.file_name());
    let name = name.map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    name.chars().map(|letter| if letter.is_control() { '_' } else { letter }).collect()
}

#[cfg(test)]
mod tests;
