//! Where a model is asked, and how.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::{ModelName, Quirks};

/// A model that can be asked over the network.
#[derive(Clone, Debug)]
pub struct Endpoint {
    /// Which model it is.
    pub name: ModelName,
    /// What its server speaks.
    pub format: Format,
    /// The server. For OpenAI it ends where `/chat/completions` is to follow (`https://api.openai.com/v1`); for the other formats
    /// the version may be left out.
    pub base_url: String,
    /// What the server is shown; `None` where it asks for nothing.
    pub key: Option<Key>,
    /// Where the server departs from the format.
    pub quirks: Quirks,
    /// How many tokens prompt and reply may have together, where that is known.
    pub window: Option<u32>,
    /// How many tokens a reply may have; where it is absent the server's own limit holds.
    pub max_output: Option<u32>,
    /// How much the model is to think; where it is absent nothing is said about it.
    pub effort: Option<Effort>,
    /// Headers that every request carries besides those of the format.
    pub headers: Vec<(String, String)>,
}

/// A wire format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Format {
    /// OpenAI's chat completions.
    OpenAi,
    /// Anthropic's messages.
    Anthropic,
    /// Gemini's `streamGenerateContent`.
    Gemini,
}

impl Format {
    /// Its name in settings and on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::OpenAi => "openai",
            Self::Anthropic => "anthropic",
            Self::Gemini => "gemini",
        }
    }
}

/// How much a model is to think before it answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Effort {
    /// Not at all, where the vendor allows that.
    Off,
    /// As little as possible.
    Minimal,
    /// A little.
    Low,
    /// Some.
    Medium,
    /// Much.
    High,
    /// As much as the vendor allows.
    Max,
}

/// A secret that opens a vendor's server. It is never printed.
#[derive(Clone, PartialEq, Eq)]
pub struct Key(String);

impl Key {
    /// Takes a key as it was configured; white space around it is a mistake of copying.
    #[must_use]
    pub fn new(secret: &str) -> Self {
        Self(secret.trim().to_owned())
    }

    /// The secret itself: for the request that shows it, and for whoever takes it out of texts.
    #[must_use]
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Key(***)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_not_printed() {
        assert_eq!(format!("{:?}", Key::new(" sk-very-secret\n")), "Key(***)");
        assert_eq!(Key::new(" sk-very-secret\n"), Key::new("sk-very-secret"));
    }
}
