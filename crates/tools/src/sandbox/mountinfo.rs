//! What is mounted where.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};
use std::{fs, io};

use nix::mount::MsFlags;

/// A mounted filesystem, or a part of one.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Mount {
    /// Which filesystem.
    device: String,
    /// Which folder of it.
    root: PathBuf,
    /// Where it is.
    pub(super) at: PathBuf,
    /// How; a mount that is changed in one of them has to keep the others.
    pub(super) flags: MsFlags,
}

/// What is mounted where this process looks.
pub(super) fn read() -> io::Result<Vec<Mount>> {
    fs::read_to_string("/proc/self/mountinfo").map(|table| parse(&table))
}

fn parse(table: &str) -> Vec<Mount> {
    table.lines().filter_map(parse_line).collect()
}

fn parse_line(line: &str) -> Option<Mount> {
    let mut fields = line.split(' ').skip(2);
    let (device, root, at, options) = (fields.next()?, fields.next()?, fields.next()?, fields.next()?);
    let flags = options.split(',').map(flag).collect();
    Some(Mount { device: device.to_owned(), root: unescape(root), at: unescape(at), flags })
}

fn flag(option: &str) -> MsFlags {
    match option {
        "ro" => MsFlags::MS_RDONLY,
        "nosuid" => MsFlags::MS_NOSUID,
        "nodev" => MsFlags::MS_NODEV,
        "noexec" => MsFlags::MS_NOEXEC,
        "noatime" => MsFlags::MS_NOATIME,
        "nodiratime" => MsFlags::MS_NODIRATIME,
        "relatime" => MsFlags::MS_RELATIME,
        _ => MsFlags::empty(),
    }
}

/// The kernel writes a blank, tab, newline and backslash as three octal digits.
fn unescape(text: &str) -> PathBuf {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, after @ ..] = rest {
        let code = after.get(..3).filter(|_| *first == b'\\').and_then(|digits| std::str::from_utf8(digits).ok());
        match code.and_then(|digits| u8::from_str_radix(digits, 8).ok()) {
            Some(byte) => {
                bytes.push(byte);
                rest = &after[3..];
            }
            None => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    OsString::from_vec(bytes).into()
}

/// Other names of a path: the same folder of the same filesystem may be mounted in several places.
pub(super) fn other_names(path: &Path, mounts: &[Mount]) -> Vec<PathBuf> {
    let own = mounts
        .iter()
        .rev()
        .filter(|mount| path.starts_with(&mount.at))
        .max_by_key(|mount| mount.at.components().count());
    let Some((own, rest)) = own.and_then(|own| Some((own, path.strip_prefix(&own.at).ok()?))) else {
        return Vec::new();
    };
    let inside = own.root.join(rest);
    let same = mounts.iter().filter(|mount| mount.device == own.device);
    let names = same.filter_map(|mount| Some(joined(&mount.at, inside.strip_prefix(&mount.root).ok()?)));
    names.filter(|name| name != path).collect()
}

/// Joined without the slash that an empty rest would add.
fn joined(at: &Path, rest: &Path) -> PathBuf {
    if rest.as_os_str().is_empty() { at.to_path_buf() } else { at.join(rest) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &str = "\
22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw
30 22 8:2 / /home rw,nosuid,nodev,relatime - ext4 /dev/sda2 rw
31 22 8:2 /ada/data /srv/a\\040copy ro,noexec - ext4 /dev/sda2 rw
32 22 0:5 / /dev rw - devtmpfs udev rw";

    #[test]
    fn a_table_is_read_with_flags_and_blanks() {
        let mounts = parse(TABLE);

        assert_eq!(mounts[2].at, Path::new("/srv/a copy"));
        assert_eq!(mounts[2].flags, MsFlags::MS_RDONLY | MsFlags::MS_NOEXEC);
        assert_eq!(mounts[1].flags, MsFlags::MS_NOSUID | MsFlags::MS_NODEV | MsFlags::MS_RELATIME);
    }

    #[test]
    fn a_path_that_is_mounted_elsewhere_too_is_found_there() {
        let mounts = parse(TABLE);

        assert_eq!(other_names(Path::new("/home/ada/data/ledger"), &mounts), [Path::new("/srv/a copy/ledger")]);
        assert_eq!(other_names(Path::new("/home/ada/data"), &mounts), [Path::new("/srv/a copy")]);
        assert!(other_names(Path::new("/home/ada/work"), &mounts).is_empty());
    }
}
