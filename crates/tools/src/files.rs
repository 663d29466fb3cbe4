//! From the path in a call to a file that may be touched.

mod kind;
mod nearest;
mod real_path;

use std::fs::{self, File, FileType, OpenOptions};
use std::io;
use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;

use crate::{Protected, ToolContext};

pub(crate) use kind::binary_kind;
pub(crate) use real_path::real_path;

/// Where the path of a call leads: from the folder of the call, or from home where it begins with `~/`. It is the path to open,
/// since it is the one that was checked.
pub(crate) fn locate(path: &str, context: &ToolContext, protected: &Protected) -> Result<PathBuf, String> {
    if path.is_empty() {
        return Err("`path` is empty".to_owned());
    }
    if path.contains('\0') {
        return Err("`path` contains a NUL character".to_owned());
    }
    let wanted = at_home(path);
    if wanted.is_relative() && !context.folder.is_dir() {
        return Err(format!("the working folder `{}` does not exist", context.folder.display()));
    }
    let real = real_path(&context.folder.join(wanted)).map_err(|error| failed("find", path, &error))?;
    if protected.covers(&real) {
        return Err(format!("`{path}` holds secrets of this bot; no tool may touch it"));
    }
    Ok(real)
}

fn at_home(path: &str) -> PathBuf {
    let below = if path == "~" { Some("") } else { path.strip_prefix("~/") };
    match (below, std::env::home_dir()) {
        (Some(below), Some(home)) => home.join(below),
        _ => PathBuf::from(path),
    }
}

/// Opens a plain file for reading; anything that could keep a reader waiting is refused.
pub(crate) fn open_plain(path: &str, real: &Path) -> Result<File, String> {
    // Opening alone can do something to a device, so it is looked at first; a FIFO that slips in between does not block.
    let found = fs::metadata(real).map_err(|error| not_found(path, real, &error))?;
    refuse_unless_plain(path, found.file_type())?;
    let nonblocking = i32::try_from(OFlags::NONBLOCK.bits()).unwrap_or(0);
    let opened = OpenOptions::new().read(true).custom_flags(nonblocking).open(real);
    let file = opened.map_err(|error| not_found(path, real, &error))?;
    let found = file.metadata().map_err(|error| failed("read", path, &error))?;
    refuse_unless_plain(path, found.file_type())?;
    Ok(file)
}

/// Refuses everything but a plain file.
pub(crate) fn refuse_unless_plain(path: &str, found: FileType) -> Result<(), String> {
    let what = match found {
        _ if found.is_file() => return Ok(()),
        _ if found.is_dir() => return Err(format!("`{path}` is a folder; ls shows what is in it")),
        _ if found.is_fifo() => "a FIFO",
        _ if found.is_socket() => "a socket",
        _ => "a device",
    };
    Err(format!("`{path}` is {what}, not a plain file"))
}

/// What is told of a path that could not be opened: where it does not exist, what there is in its place.
pub(crate) fn not_found(path: &str, real: &Path, error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => {
            format!("`{path}` does not exist; {}", nearest::what_there_is(real))
        }
        _ => failed("read", path, error),
    }
}

/// What is told of a failure of the system.
pub(crate) fn failed(verb: &str, path: &str, error: &io::Error) -> String {
    format!("cannot {verb} `{path}`: {error}")
}
