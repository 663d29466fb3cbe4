//! Which keys settings have.

use serde::de::DeserializeOwned;
use toml::Spanned;
use toml::de::{DeString, DeValue, Deserializer};

use super::KeyPath;
use super::document::{self, Table};
use super::explain::UnknownKey;

/// What stands for any name: a vendor of one's own, say.
pub(crate) const ANY: &str = "*";

/// A setting, or a section of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct KnownKey {
    /// Where it stands.
    pub(crate) path: KeyPath,
    /// Whether it is a section.
    pub(crate) is_section: bool,
}

/// Every key that a type takes, in the order in which it declares them.
///
/// They are found by offering it a key that it cannot have, and reading what it says it has: keys without a default are not in
/// what it serialises to.
pub(crate) fn known_keys<T: DeserializeOwned>() -> Vec<KnownKey> {
    let mut keys = Vec::new();
    collect::<T>(&KeyPath::default(), &mut keys);
    keys
}

fn collect<T: DeserializeOwned>(section: &KeyPath, keys: &mut Vec<KnownKey>) {
    for key in keys_of::<T>(section).unwrap_or_default() {
        let path = section.child(&key);
        let is_section = keys_of::<T>(&path).is_some();
        keys.push(KnownKey { path: path.clone(), is_section });
        collect::<T>(&path, keys);
    }
}

/// The keys of a section; `None` where the path leads to a value.
fn keys_of<T: DeserializeOwned>(section: &KeyPath) -> Option<Vec<String>> {
    let mut table = Table::new();
    let value = Spanned::new(0..0, DeValue::String(DeString::Borrowed(ANY)));
    document::insert(&mut table, &section.child(ANY), value).ok()?;
    let message = match T::deserialize(Deserializer::from(Spanned::new(0..0, table))) {
        Ok(_) => return Some(vec![ANY.to_owned()]),
        Err(error) => error.message().to_owned(),
    };
    match UnknownKey::read(&message) {
        Some(unknown) => Some(unknown.known.into_iter().map(str::to_owned).collect()),
        // The section was taken, just not for a text in it: it has sections by name.
        None if message.starts_with("invalid type: string") => Some(vec![ANY.to_owned()]),
        None => None,
    }
}
