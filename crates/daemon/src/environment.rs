//! The variables that the process was started with.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

/// The variables of one process, read once. Everything takes them from here, so that tests bring their own.
///
/// It has no `Debug`: some of them are secrets.
#[derive(Clone, Default)]
pub(crate) struct Environment {
    variables: BTreeMap<OsString, OsString>,
}

impl Environment {
    /// Those of this process.
    pub(crate) fn of_process() -> Self {
        std::env::vars_os().collect()
    }

    /// A variable's text. One that is empty or no UTF-8 counts as not set.
    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        self.value(name).and_then(OsStr::to_str)
    }

    /// A variable's value as a path. An empty one counts as not set.
    pub(crate) fn path(&self, name: &str) -> Option<PathBuf> {
        self.value(name).map(PathBuf::from)
    }

    /// The variables whose names start so, in order; the empty ones are left out.
    pub(crate) fn starting_with<'a>(&'a self, prefix: &'a str) -> impl Iterator<Item = (&'a str, &'a OsStr)> {
        self.variables
            .iter()
            .filter_map(|(name, value)| Some((name.to_str()?, value.as_os_str())))
            .filter(move |(name, value)| name.starts_with(prefix) && !value.is_empty())
    }

    fn value(&self, name: &str) -> Option<&OsStr> {
        self.variables.get(OsStr::new(name)).map(OsString::as_os_str).filter(|value| !value.is_empty())
    }
}

impl<N: Into<OsString>, V: Into<OsString>> FromIterator<(N, V)> for Environment {
    fn from_iter<I: IntoIterator<Item = (N, V)>>(variables: I) -> Self {
        let variables = variables.into_iter().map(|(name, value)| (name.into(), value.into())).collect();
        Self { variables }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_variable_counts_as_not_set() {
        let environment = Environment::from_iter([("COWHAND_MODEL", ""), ("COWHAND__A", "")]);

        assert_eq!(environment.text("COWHAND_MODEL"), None);
        assert_eq!(environment.path("COWHAND_MODEL"), None);
        assert_eq!(environment.starting_with("COWHAND__").count(), 0);
    }
}
