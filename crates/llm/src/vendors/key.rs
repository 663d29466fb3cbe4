//! Where a key is, and the key itself.

use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use super::{Lookup, set};
use crate::Key;

/// No key is longer.
const MOST_BYTES: u64 = 64 * 1024;

/// Where a key is: settings never hold one themselves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeyReference {
    /// `env:NAME`: in a variable.
    Variable(String),
    /// `file:/path`: in a file.
    File(PathBuf),
    /// `cred:NAME`: in a systemd credential.
    Credential(String),
}

/// Why there is no key. It never holds a part of one.
#[derive(Debug, thiserror::Error)]
pub enum KeyError {
    /// A reference that is none; what was written is not repeated, as it may be a key.
    #[error("a key is not written into settings: write `env:NAME`, `file:/path` or `cred:NAME`, where it is")]
    NotAReference,
    /// The variable has no value.
    #[error("the variable {0} is not set")]
    NotSet(String),
    /// The file cannot be read.
    #[error("{} cannot be read", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        error: io::Error,
    },
    /// The file does not hold a key.
    #[error("{} does not hold one line of text", .0.display())]
    NoKey(PathBuf),
}

impl PartialEq for KeyError {
    fn eq(&self, other: &Self) -> bool {
        self.to_string() == other.to_string()
    }
}

impl Eq for KeyError {}

impl KeyReference {
    /// Fetches the key.
    ///
    /// # Errors
    ///
    /// When it is not there.
    pub fn resolve(&self, lookup: Lookup<'_>) -> Result<Key, KeyError> {
        match self {
            Self::Variable(name) => {
                set(lookup, name).map(|key| Key::new(&key)).ok_or_else(|| KeyError::NotSet(name.clone()))
            }
            Self::File(path) => match path.strip_prefix("~") {
                Ok(rest) => read(&PathBuf::from(variable(lookup, "HOME")?).join(rest)),
                Err(_) => read(path),
            },
            Self::Credential(name) => read(&Path::new(&variable(lookup, "CREDENTIALS_DIRECTORY")?).join(name)),
        }
    }
}

fn variable(lookup: Lookup<'_>, name: &str) -> Result<String, KeyError> {
    set(lookup, name).ok_or_else(|| KeyError::NotSet(name.to_owned()))
}

fn read(path: &Path) -> Result<Key, KeyError> {
    let mut text = String::new();
    let read = File::open(path).and_then(|file| file.take(MOST_BYTES + 1).read_to_string(&mut text));
    read.map_err(|error| KeyError::Unreadable { path: path.to_owned(), error })?;
    let key = text.trim();
    let fits = text.len() as u64 <= MOST_BYTES && !key.is_empty() && !key.contains(['\n', '\r', '\0']);
    if fits { Ok(Key::new(key)) } else { Err(KeyError::NoKey(path.to_owned())) }
}

impl FromStr for KeyReference {
    type Err = KeyError;

    fn from_str(text: &str) -> Result<Self, KeyError> {
        let is_name = |name: &&str| !name.is_empty() && !name.contains('/');
        let variable = text.strip_prefix("env:").filter(is_name).map(|name| Self::Variable(name.to_owned()));
        let credential = || text.strip_prefix("cred:").filter(is_name).map(|name| Self::Credential(name.to_owned()));
        let path = |path: &&str| path.starts_with('/') || path.starts_with("~/");
        let file = || text.strip_prefix("file:").filter(path).map(|path| Self::File(path.into()));
        variable.or_else(credential).or_else(file).ok_or(KeyError::NotAReference)
    }
}

impl fmt::Display for KeyReference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Variable(name) => write!(f, "env:{name}"),
            Self::File(path) => write!(f, "file:{}", path.display()),
            Self::Credential(name) => write!(f, "cred:{name}"),
        }
    }
}

impl Serialize for KeyReference {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for KeyReference {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(de::Error::custom)
    }
}
