//! What a command may reach of the machine: planned where role and settings are known, put in force where the command begins.
//!
//! Five layers of the kernel, each of which stands where another one is missing: a mount namespace in which secrets are covered by
//! empty folders and all but the working folders is read-only; Landlock, which says the same by path and keeps a process from
//! looking into others; seccomp, which takes away the calls that lead around both; no capabilities beyond plain file work; nothing
//! inherited but the three standard streams. None of them looks at the text of a command.

mod capabilities;
mod descriptors;
mod enter;
mod mountinfo;
mod mounts;
mod paths;
mod plan;
mod rules;
mod syscalls;

pub use enter::{Error, InForce, Layer};
pub use plan::{Mode, Places, Plan, plan};
