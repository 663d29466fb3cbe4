//! Configuration files as text.

use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::Path;

/// No configuration is larger.
const MOST_BYTES: u64 = 1 << 20;

/// Reads a file; `None` where there is none. The error says in words what is wrong with it.
pub(crate) fn read(file: &Path) -> Result<Option<String>, String> {
    let bytes = match read_bytes(file) {
        Ok(bytes) => bytes,
        Err(error) => match error.kind() {
            ErrorKind::NotFound | ErrorKind::NotADirectory => return Ok(None),
            ErrorKind::IsADirectory => return Err("this is a folder, not a file".into()),
            ErrorKind::PermissionDenied => return Err("it cannot be read: permission denied".into()),
            _ => return Err(format!("it cannot be read: {error}")),
        },
    };
    if bytes.len() as u64 > MOST_BYTES {
        return Err("it is larger than 1 MiB; is this the right file?".into());
    }
    String::from_utf8(bytes).map(Some).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        let line = error.as_bytes()[..at].iter().filter(|byte| **byte == b'\n').count() + 1;
        format!("it is not UTF-8 text: the first wrong byte is in line {line}")
    })
}

fn read_bytes(file: &Path) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    // One byte over the limit tells that there is more; a device without an end is not read to it.
    File::open(file)?.take(MOST_BYTES + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}
