//! In which language the bot speaks.

use chat::Language;
use serde::{Deserialize, Serialize};

use crate::environment::Environment;

/// The language of the bot's own texts, as it is set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum LanguageChoice {
    /// The locale's.
    #[default]
    #[serde(rename = "auto")]
    Auto,
    /// English.
    #[serde(rename = "en")]
    English,
    /// Chinese.
    #[serde(rename = "zh")]
    Chinese,
}

impl LanguageChoice {
    /// Its name in settings.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::English => "en",
            Self::Chinese => "zh",
        }
    }

    /// The language that this comes to: a locale is the first of `LC_ALL`, `LC_MESSAGES`, `LANG` that is set.
    pub(crate) fn resolve(self, environment: &Environment) -> Language {
        let locale = || ["LC_ALL", "LC_MESSAGES", "LANG"].into_iter().find_map(|name| environment.text(name));
        match self {
            Self::Auto => locale().map_or(Language::English, Language::from_locale),
            Self::English => Language::English,
            Self::Chinese => Language::Chinese,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn auto(variables: &[(&str, &str)]) -> Language {
        LanguageChoice::Auto.resolve(&variables.iter().copied().collect())
    }

    #[test]
    fn the_first_locale_variable_that_is_set_decides() {
        assert_eq!(auto(&[("LANG", "zh_CN.UTF-8")]), Language::Chinese);
        assert_eq!(auto(&[("LC_MESSAGES", "en_GB.UTF-8"), ("LANG", "zh_CN.UTF-8")]), Language::English);
        assert_eq!(auto(&[("LC_ALL", ""), ("LC_MESSAGES", "zh"), ("LANG", "C")]), Language::Chinese);
        assert_eq!(auto(&[]), Language::English);
    }

    #[test]
    fn a_set_language_counts_more_than_the_locale() {
        let environment = Environment::from_iter([("LANG", "zh_CN.UTF-8")]);

        assert_eq!(LanguageChoice::English.resolve(&environment), Language::English);
    }
}
