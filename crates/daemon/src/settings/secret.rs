//! Secrets, which settings only refer to.

/// How a secret is written, for who wrote it otherwise.
pub(crate) const WRITTEN_HOW: &str = "a secret is not written into settings; put it into a file that only you can read and \
     write `file:/PATH/OF/IT`, or into a variable and write `env:NAME`, or into a systemd credential and write `cred:NAME`";
