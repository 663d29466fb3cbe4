//! The names of settings.

use std::fmt;

use super::ANY;

/// Where a setting stands: the sections from the outside in, and its own key.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct KeyPath(Vec<String>);

impl KeyPath {
    /// A path of these keys.
    pub(crate) fn new(keys: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self(keys.into_iter().map(Into::into).collect())
    }

    /// Reads what code writes: keys joined by dots.
    pub(crate) fn dotted(path: &str) -> Self {
        Self::new(path.split('.'))
    }

    /// The setting of an environment variable, from what follows `COWHAND__` in its name.
    pub(crate) fn of_variable(name: &str) -> Self {
        Self::new(name.split("__").map(str::to_lowercase))
    }

    /// This path with its `_` as `-` in every key that is one of these names.
    pub(crate) fn with_dashes(self, names: &[&str]) -> Self {
        let dashed = |key: String| {
            names.iter().find(|name| name.replace('-', "_") == key).map_or(key, |name| (*name).to_owned())
        };
        Self(self.0.into_iter().map(dashed).collect())
    }

    /// This path with the names of another one in place of each `*`.
    pub(crate) fn named_as_in(&self, other: &Self) -> Self {
        let named = self.0.iter().enumerate().map(|(index, key)| match other.0.get(index) {
            Some(name) if key == ANY => name,
            _ => key,
        });
        Self(named.cloned().collect())
    }

    /// The environment variable of this setting.
    pub(crate) fn variable(&self) -> String {
        let keys = self.0.iter().map(|key| key.to_uppercase().replace('-', "_"));
        format!("{}{}", super::variables::PREFIX, keys.collect::<Vec<_>>().join("__"))
    }

    /// This path and one key more.
    pub(crate) fn child(&self, key: &str) -> Self {
        let mut path = self.clone();
        path.0.push(key.to_owned());
        path
    }

    /// The keys, from the outside in.
    pub(crate) fn keys(&self) -> &[String] {
        &self.0
    }

    /// The setting's own key.
    pub(crate) fn last(&self) -> &str {
        self.0.last().map_or("", String::as_str)
    }

    /// The section it stands in.
    pub(crate) fn parent(&self) -> Self {
        Self(self.0[..self.0.len().saturating_sub(1)].to_vec())
    }

    /// The first keys of this path, where they match a pattern in which `*` stands for any one key.
    pub(crate) fn start_matching(&self, pattern: &str) -> Option<Self> {
        let pattern: Vec<&str> = pattern.split('.').collect();
        let start = self.0.get(..pattern.len())?;
        let matches = start.iter().zip(&pattern).all(|(key, wanted)| *wanted == ANY || key == wanted);
        matches.then(|| Self(start.to_vec()))
    }

    /// Whether the whole path matches such a pattern.
    pub(crate) fn matches(&self, pattern: &str) -> bool {
        self.start_matching(pattern).is_some_and(|start| start == *self)
    }
}

impl fmt::Display for KeyPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, key) in self.0.iter().enumerate() {
            let dot = if index == 0 { "" } else { "." };
            write!(f, "{dot}{}", toml_key(key))?;
        }
        Ok(())
    }
}

/// A key as TOML writes it: bare where it can be, else in quotes.
pub(crate) fn toml_key(key: &str) -> String {
    let bare = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
    if !key.is_empty() && key.bytes().all(bare) { key.to_owned() } else { format!("{key:?}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_that_is_not_bare_is_shown_in_quotes() {
        assert_eq!(KeyPath::new(["model", "my vendor", "key"]).to_string(), "model.\"my vendor\".key");
    }

    #[test]
    fn a_variable_names_its_setting_and_the_setting_its_variable() {
        let path = KeyPath::dotted("limits.max_steps");

        assert_eq!(KeyPath::of_variable("LIMITS__MAX_STEPS"), path);
        assert_eq!(path.variable(), "COWHAND__LIMITS__MAX_STEPS");
    }

    #[test]
    fn a_star_matches_one_key() {
        let path = KeyPath::dotted("model.vendors.mine.key");

        assert_eq!(path.start_matching("model.vendors.*"), Some(KeyPath::dotted("model.vendors.mine")));
        assert!(path.matches("model.vendors.*.key"));
        assert!(!path.matches("model.vendors.*"));
        assert_eq!(KeyPath::dotted("model.vendors").start_matching("model.vendors.*"), None);
    }
}
