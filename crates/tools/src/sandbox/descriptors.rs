//! What a command would inherit of open files.

use std::fs;
use std::os::fd::RawFd;

/// Closes all but the standard streams; what closes by itself when the command begins is left to do so.
pub(super) fn close_inherited() {
    let names = fs::read_dir("/proc/self/fd").into_iter().flatten().flatten().map(|entry| entry.file_name());
    // Collected first: the folder itself is open while it is read.
    let open: Vec<RawFd> = names.filter_map(|name| name.to_str()?.parse().ok()).collect();
    for descriptor in open.into_iter().filter(|descriptor| *descriptor > 2 && is_inherited(*descriptor)) {
        let _ = nix::unistd::close(descriptor);
    }
}

/// Whether it stays open in what this process becomes. What cannot be told apart counts as such, save what is closed already.
fn is_inherited(descriptor: RawFd) -> bool {
    let Ok(facts) = fs::read_to_string(format!("/proc/self/fdinfo/{descriptor}")) else { return false };
    let flags = facts.lines().find_map(|line| i32::from_str_radix(line.strip_prefix("flags:")?.trim(), 8).ok());
    flags.is_none_or(|flags| flags & libc::O_CLOEXEC == 0)
}
