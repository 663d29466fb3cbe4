//! The powers of root.

use std::io;

use rustix::io::Errno;
use rustix::thread::{
    CapabilitySet, CapabilitySets, capabilities, clear_ambient_capability_set, remove_capability_from_bounding_set,
    set_capabilities,
};

/// What the owner's commands keep where Cowhand is root: plain work with files, and becoming another user.
const OF_FILES: [CapabilitySet; 8] = [
    CapabilitySet::CHOWN,
    CapabilitySet::DAC_OVERRIDE,
    CapabilitySet::DAC_READ_SEARCH,
    CapabilitySet::FOWNER,
    CapabilitySet::FSETID,
    CapabilitySet::KILL,
    CapabilitySet::SETGID,
    CapabilitySet::SETUID,
];

/// Gives up all powers, or all but those of plain work, for good.
pub(super) fn drop(all: bool) -> io::Result<String> {
    let kept = if all { CapabilitySet::empty() } else { OF_FILES.into_iter().collect() };
    let held = capabilities(None)?;
    for capability in (0..u64::BITS).map(|number| CapabilitySet::from_bits_retain(1 << number)) {
        if !kept.contains(capability) {
            forbid(capability, held.permitted)?;
        }
    }
    // There is nothing to clear on a kernel without such a set.
    let _ = clear_ambient_capability_set();
    let rest = CapabilitySets {
        effective: held.effective & kept,
        permitted: held.permitted & kept,
        inheritable: CapabilitySet::empty(),
    };
    set_capabilities(None, rest)?;
    Ok(if all { "none left" } else { "those of plain work with files at most" }.to_owned())
}

/// Takes it from all that is started from here on. Who has no power at all gets none that way, for no program gives any.
fn forbid(capability: CapabilitySet, held: CapabilitySet) -> io::Result<()> {
    match remove_capability_from_bounding_set(capability) {
        Ok(()) | Err(Errno::INVAL) => Ok(()),
        Err(Errno::PERM) if held.is_empty() => Ok(()),
        Err(error) => Err(error.into()),
    }
}
