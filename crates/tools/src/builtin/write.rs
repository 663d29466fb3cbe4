//! The tool `write`.

use std::fs::{self, File, Metadata, Permissions};
use std::io::{Read as _, Write as _};
use std::os::unix::fs::{MetadataExt, PermissionsExt, fchown};
use std::path::{Path, PathBuf};

use chat::ToolSpec;
use rustix::fs::Access as Rights;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::arguments::parse;
use crate::blocking::{blocking, go_on};
use crate::files::{failed, locate, refuse_unless_plain};
use crate::schema::spec_of;
use crate::text::{count, size};
use crate::{Access, EffectClass, Protected, Settings, Tool, ToolContext, ToolFuture};

const ADVICE: &str = "Write a first part with write, then append the others one at a time with bash (cat >> FILE <<'EOF' … EOF), \
                      or split the content into several smaller files.";

/// Bytes of an old file that are looked at for its line ends.
const LOOKED_AT: u64 = 64 * 1024;

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
    protected: Protected,
}

impl Write {
    pub(super) fn new(settings: &Settings) -> Self {
        Self { spec: spec_of::<Arguments>("write"), protected: settings.protected.clone() }
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
        let protected = self.protected.clone();
        let arguments = parse::<Arguments>(&self.spec, arguments);
        blocking(arguments, context, move |arguments, context| write(&arguments, context, &protected))
    }
}

fn write(arguments: &Arguments, context: &ToolContext, protected: &Protected) -> Result<String, String> {
    let (path, content) = (arguments.path.as_str(), arguments.content.as_str());
    if looks_numbered(content) {
        return Err("the content looks like what read shows, with `N|` in front of its lines; send it without them. \
                    Nothing was written. (Should the file really be like that, write it with bash.)"
            .to_owned());
    }
    let target = Target::find(path, context, protected)?;
    target.replace(path, content, context)?;
    let lines = count(content.lines().count() as u64, "line", "lines");
    let now = format!("`{path}`: {lines}, {}", size(content.len() as u64));
    Ok(match target.old {
        None => format!("created {now}"),
        Some(old) => format!("replaced {now} (it had {}){}", size(old.found.len()), old.change_of_line_ends(content)),
    })
}

/// The file to be written, all links followed.
struct Target {
    real: PathBuf,
    old: Option<Old>,
}

/// What is replaced.
struct Old {
    found: Metadata,
    has_crlf: bool,
}

impl Target {
    fn find(path: &str, context: &ToolContext, protected: &Protected) -> Result<Self, String> {
        let real = locate(path, context, protected)?;
        let old = match fs::metadata(&real) {
            Ok(found) => {
                refuse_unless_plain(path, found.file_type())?;
                Some(Old { has_crlf: has_crlf(&real), found })
            }
            Err(_) if path.ends_with('/') => return Err(format!("`{path}` names a folder; give the name of a file")),
            Err(_) => None,
        };
        // Replacing needs no right to write the old file, only its folder; whoever took that right away meant it.
        let is_closed =
            |old: &Old| old.found.permissions().readonly() || rustix::fs::access(&real, Rights::WRITE_OK).is_err();
        if old.as_ref().is_some_and(is_closed) {
            return Err(format!("`{path}` is read-only"));
        }
        Ok(Self { real, old })
    }

    /// Writes beside the target and moves that into its place: whoever looks sees the old content or the new, never half of it.
    fn replace(&self, path: &str, content: &str, context: &ToolContext) -> Result<(), String> {
        go_on(context)?;
        let fail = |error| failed("write", path, &error);
        let folder = self.real.parent().unwrap_or(Path::new("/"));
        fs::create_dir_all(folder).map_err(fail)?;
        let mut builder = tempfile::Builder::new();
        builder.prefix(".cowhand-").suffix(".tmp").permissions(Permissions::from_mode(0o666));
        let mut new = builder.tempfile_in(folder).map_err(fail)?;
        new.write_all(content.as_bytes()).map_err(fail)?;
        if let Some(old) = &self.old {
            old.hand_down(new.as_file()).map_err(fail)?;
        }
        new.as_file().sync_all().map_err(fail)?;
        go_on(context)?;
        new.persist(&self.real).map_err(|error| fail(error.error))?;
        Ok(())
    }
}

impl Old {
    /// Gives the new file the owner and the permissions of the old one.
    fn hand_down(&self, new: &File) -> std::io::Result<()> {
        let made = new.metadata()?;
        if (made.uid(), made.gid()) != (self.found.uid(), self.found.gid()) {
            // Only a privileged process can give a file away; for others it becomes theirs, as with any editor.
            let _ = fchown(new, Some(self.found.uid()), Some(self.found.gid()));
        }
        new.set_permissions(self.found.permissions())
    }

    /// Says that CRLF was lost, for read does not show it.
    fn change_of_line_ends(&self, content: &str) -> &'static str {
        let is_lost = self.has_crlf && content.contains('\n') && !content.contains("\r\n");
        if is_lost { "; its lines ended with CRLF and now end with LF" } else { "" }
    }
}

fn has_crlf(real: &Path) -> bool {
    let mut beginning = Vec::new();
    let read = File::open(real).and_then(|file| file.take(LOOKED_AT).read_to_end(&mut beginning));
    read.is_ok() && beginning.windows(2).any(|pair| pair == b"\r\n")
}

/// Whether at least two lines, and six in ten, begin with consecutive `N|`.
fn looks_numbered(content: &str) -> bool {
    let numbers =
        content.lines().map(|line| line.split_once('|').and_then(|(number, _)| number.trim().parse::<u64>().ok()));
    let (mut all, mut numbered, mut last) = (0, 0, None);
    for number in numbers {
        all += 1;
        let Some(number) = number else { continue };
        if last.is_none_or(|last| number == last + 1) {
            numbered += 1;
        }
        last = Some(number);
    }
    numbered >= 2 && numbered * 10 >= all * 6
}

#[cfg(test)]
mod tests;
