//! The address of a server, as a person writes it.

use reqwest::Url;
use serde::{Deserialize, Deserializer, de};

/// Why a text is no address of a server. The text itself is not repeated, as a password may stand in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UrlError {
    /// It has another scheme, or none.
    #[error("a server's address begins with http:// or https://, as in http://127.0.0.1:9000/v1")]
    Scheme,
    /// Nothing in it names a machine, or the whole is written wrongly.
    #[error("this is no address of a server; one is written like http://127.0.0.1:9000/v1")]
    Malformed,
    /// Something follows a `#`, behind which no path can be put.
    #[error("a server's address has no part behind a `#`")]
    Fragment,
}

/// Looks whether requests can be sent to this address.
pub(super) fn check(text: &str) -> Result<(), UrlError> {
    let text = text.trim();
    let has_scheme = |scheme: &str| text.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme));
    if !has_scheme("http://") && !has_scheme("https://") {
        return Err(UrlError::Scheme);
    }
    match Url::parse(text) {
        Ok(url) if url.fragment().is_some() => Err(UrlError::Fragment),
        Ok(url) if url.has_host() && !text.contains(char::is_whitespace) => Ok(()),
        _ => Err(UrlError::Malformed),
    }
}

/// Reads an address of settings.
pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    let text = String::deserialize(deserializer)?;
    check(&text).map_err(de::Error::custom)?;
    Ok(Some(text.trim().to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_has_a_scheme_that_is_spoken_and_a_host() {
        for good in
            ["http://127.0.0.1:9000/v1", "https://me:pw@house/v1?api-version=1", "HTTP://[::1]:8/", " http://a "]
        {
            assert_eq!(check(good), Ok(()), "{good}");
        }
        for (bad, error) in [
            ("", UrlError::Scheme),
            ("notaurl", UrlError::Scheme),
            ("localhost:8080/v1", UrlError::Scheme),
            ("ftp://house/v1", UrlError::Scheme),
            ("http:/house", UrlError::Scheme),
            ("http://", UrlError::Malformed),
            ("https://:8080/v1", UrlError::Malformed),
            ("http://house:port/v1", UrlError::Malformed),
            ("http://ho use/v1", UrlError::Malformed),
            ("http://house/v1#part", UrlError::Fragment),
        ] {
            assert_eq!(check(bad), Err(error), "{bad}");
        }
    }
}
