//! Copies that are named after what is in them.

use std::fs::{self, DirBuilder, File};
use std::io::{Read as _, Write as _};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use crate::ToolContext;
use crate::blocking::go_on;

/// Bytes that are copied at once.
const BLOCK: usize = 128 * 1024;

/// The longest ending of a name that a copy keeps, so that programs know what it is.
const LONGEST_ENDING: usize = 10;

/// Copies a file into a folder of such copies and gives the copy and its size; `None` where it is larger than that. The original
/// may change or go afterwards, and the same content is there once.
pub(super) fn into_folder(
    folder: &Path,
    mut file: File,
    name: &str,
    largest: u64,
    context: &ToolContext,
) -> Result<Option<(PathBuf, u64)>, String> {
    let fail = |error: std::io::Error| format!("the file could not be copied: {error}");
    DirBuilder::new().recursive(true).mode(0o700).create(folder).map_err(fail)?;
    let mut copy = tempfile::NamedTempFile::new_in(folder).map_err(fail)?;
    let (mut hash, mut bytes, mut block) = (Sha256::new(), 0, vec![0; BLOCK]);
    loop {
        go_on(context)?;
        let read = file.read(&mut block).map_err(fail)?;
        if read == 0 {
            break;
        }
        bytes += read as u64;
        if bytes > largest {
            return Ok(None);
        }
        hash.update(&block[..read]);
        copy.write_all(&block[..read]).map_err(fail)?;
    }
    let hash: String = hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
    let kept = folder.join(format!("{hash}{}", ending(name)));
    copy.as_file().sync_all().map_err(fail)?;
    copy.persist(&kept).map_err(|error| fail(error.error))?;
    // Where a filesystem cannot sync a folder, the copy is there all the same.
    let _ = fs::File::open(folder).and_then(|folder| folder.sync_all());
    Ok(Some((kept, bytes)))
}

fn ending(name: &str) -> String {
    let ending = Path::new(name).extension().and_then(|ending| ending.to_str()).unwrap_or_default();
    let is_plain = ending.len() <= LONGEST_ENDING && ending.chars().all(|letter| letter.is_ascii_alphanumeric());
    if ending.is_empty() || !is_plain { String::new() } else { format!(".{}", ending.to_ascii_lowercase()) }
}
