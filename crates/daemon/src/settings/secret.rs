//! Secrets, which settings only refer to.

use std::os::unix::fs::PermissionsExt;

use llm::KeyReference;

use crate::environment::Environment;
use crate::paths::expand_home;

/// How a secret is written, for who wrote it otherwise.
pub(crate) const WRITTEN_HOW: &str = "a secret is not written into settings; put it into a file that only you can read and \
     write `file:/PATH/OF/IT`, or into a variable and write `env:NAME`, or into a systemd credential and write `cred:NAME`";

/// A remark on a secret's file, where others could read it.
pub(crate) fn readable_by_others(reference: &KeyReference, environment: &Environment) -> Option<String> {
    let KeyReference::File(file) = reference else { return None };
    let file = expand_home(file, environment);
    let mode = file.metadata().ok()?.permissions().mode();
    (mode & 0o077 != 0).then(|| format!("others can read {0}; `chmod 600 {0}` stops that", file.display()))
}

#[cfg(test)]
mod tests {
    use std::fs::Permissions;

    use super::*;

    #[test]
    fn a_file_that_others_can_read_is_warned_about() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("key");
        std::fs::write(&file, "sk-test").unwrap();
        let environment = Environment::from_iter([("HOME", folder.path())]);

        for reference in [KeyReference::File(file.clone()), KeyReference::File("~/key".into())] {
            std::fs::set_permissions(&file, Permissions::from_mode(0o600)).unwrap();
            assert_eq!(readable_by_others(&reference, &environment), None);

            std::fs::set_permissions(&file, Permissions::from_mode(0o644)).unwrap();
            assert!(readable_by_others(&reference, &environment).unwrap().contains("chmod 600"));
        }
    }
}
