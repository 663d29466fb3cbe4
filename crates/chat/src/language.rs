//! The languages in which the bot itself speaks.

use serde::{Deserialize, Serialize};

/// A language of the bot's own texts. What a model writes is in whatever language the model chose.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Language {
    /// English.
    #[default]
    #[serde(rename = "en")]
    English,
    /// Chinese, simplified.
    #[serde(rename = "zh")]
    Chinese,
}

impl Language {
    /// Reads a POSIX locale name (`zh_CN.UTF-8`) or a language tag (`zh-Hans`); anything that is not Chinese is English.
    #[must_use]
    pub fn from_locale(locale: &str) -> Self {
        let chinese = locale.get(..2).is_some_and(|start| start.eq_ignore_ascii_case("zh"));
        if chinese { Self::Chinese } else { Self::English }
    }
}
