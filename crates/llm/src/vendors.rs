//! The vendors whose models can be asked: a table, a person's own entries on top of it, and what both make of a model's name.

pub(crate) mod base_url;
mod key;
mod name;
mod table;

pub use base_url::UrlError;
pub use key::{KeyError, KeyReference};
pub use name::NameError;
pub(crate) use name::default_model;
pub use table::VENDORS;

use crate::{Effort, Endpoint, Format, ModelName, Quirks, VendorSettings};

/// The vendor that is no server: the demo model.
pub const DEMO: &str = "demo";

/// Looks a variable up. An empty one counts as not set, whatever this returns for it.
pub type Lookup<'a> = &'a (dyn Fn(&str) -> Option<String> + Send + Sync);

/// What is known of a vendor. What is not known is absent.
#[derive(Debug)]
pub struct Vendor {
    /// Its name in settings and in front of its models.
    pub name: &'static str,
    /// What its server speaks.
    pub format: Format,
    /// Its server.
    pub base_url: &'static str,
    /// The variables that name another server, the first that is set being taken.
    pub base_url_variables: &'static [&'static str],
    /// The variables that hold its key, the first that is set being taken.
    pub keys: &'static [KeyVariable],
    /// Its models that are known, the default one first.
    pub models: &'static [KnownModel],
    /// Where its server departs from the format.
    pub quirks: Quirks,
    /// How much its models are to think, where that has to be said.
    pub effort: Option<Effort>,
}

/// A variable that holds a key.
#[derive(Debug)]
pub struct KeyVariable {
    /// Its name.
    pub name: &'static str,
    /// The server that takes such keys, where it is another than the vendor's.
    pub base_url: Option<&'static str>,
}

/// What is known of a model.
#[derive(Debug)]
pub struct KnownModel {
    /// Its name, as the vendor writes it.
    pub name: &'static str,
    /// How many tokens prompt and reply may have together.
    pub window: Option<u32>,
    /// What it costs.
    pub price: Option<Price>,
}

/// What a model costs, in thousandths of a US dollar for a million tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Price {
    /// Of the prompt.
    pub input: u32,
    /// Of the part of the prompt that the vendor had cached.
    pub cached: Option<u32>,
    /// Of the reply.
    pub output: u32,
}

impl Vendor {
    /// The vendor of this name in the table.
    #[must_use]
    pub fn find(name: &str) -> Option<&'static Self> {
        VENDORS.iter().find(|vendor| vendor.name == name)
    }

    /// The model that is asked where none is named.
    #[must_use]
    pub fn default_model(&self) -> Option<&'static str> {
        self.models.first().map(|model| model.name)
    }

    /// What is known of one of its models.
    #[must_use]
    pub fn model(&self, name: &str) -> Option<&'static KnownModel> {
        self.models.iter().find(|model| model.name == name)
    }

    /// The first of its keys' variables that is set.
    pub(crate) fn key_variable(&self, lookup: Lookup<'_>) -> Option<&'static KeyVariable> {
        self.keys.iter().find(|key| set(lookup, key.name).is_some())
    }

    /// Whether its server runs on this machine.
    fn is_local(&self) -> bool {
        self.base_url.starts_with("http://127.0.0.1")
    }
}

/// A variable's value, where it has one.
pub(crate) fn set(lookup: Lookup<'_>, variable: &str) -> Option<String> {
    lookup(variable).map(|value| value.trim().to_owned()).filter(|value| !value.is_empty())
}

/// Why a model cannot be asked.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum EndpointError {
    /// Neither the table nor the settings know its vendor's server.
    #[error("`models.vendors.{0}` needs a `base_url`")]
    NoServer(String),
    /// What names its server is no address.
    #[error("{by}: {error}")]
    BadServer {
        /// The variable or setting.
        by: String,
        /// What is wrong.
        error: UrlError,
    },
    /// Its key is nowhere.
    #[error("{vendor} needs a key: set {variables}, or `models.vendors.{vendor}.key`")]
    NoKey {
        /// The vendor.
        vendor: String,
        /// The variables that would do.
        variables: String,
    },
    /// Its key is not where the settings say.
    #[error("the key of {vendor} is missing")]
    Key {
        /// The vendor.
        vendor: String,
        /// What is wrong.
        #[source]
        error: KeyError,
    },
}

/// Says where a model is asked, by the table, the vendor's own settings and the environment: settings rank above variables,
/// variables above the table.
///
/// # Errors
///
/// When the server or its key is not known.
pub fn endpoint(
    name: &ModelName,
    settings: Option<&VendorSettings>,
    lookup: Lookup<'_>,
) -> Result<Endpoint, EndpointError> {
    let vendor = Vendor::find(&name.vendor);
    let none = VendorSettings::default();
    let settings = settings.unwrap_or(&none);
    let variable = vendor.and_then(|vendor| vendor.key_variable(lookup));
    let named_url = named_url(name, settings, lookup)?;
    let usual_url =
        || variable.and_then(|key| key.base_url).or(vendor.map(|vendor| vendor.base_url)).map(str::to_owned);
    let key = match (&settings.key, variable) {
        (Some(reference), _) => {
            let key = reference.resolve(lookup);
            Some(key.map_err(|error| EndpointError::Key { vendor: name.vendor.clone(), error })?)
        }
        (None, Some(variable)) => set(lookup, variable.name).map(|key| crate::Key::new(&key)),
        (None, None) => None,
    };
    if let Some(vendor) = vendor.filter(|vendor| key.is_none() && named_url.is_none() && !vendor.is_local()) {
        let variables: Vec<&str> = vendor.keys.iter().map(|key| key.name).collect();
        return Err(EndpointError::NoKey { vendor: name.vendor.clone(), variables: variables.join(" or ") });
    }
    let model = vendor.and_then(|vendor| vendor.model(&name.model));
    Ok(Endpoint {
        name: name.clone(),
        format: settings.format.or(vendor.map(|vendor| vendor.format)).unwrap_or(Format::OpenAi),
        base_url: named_url.or_else(usual_url).ok_or_else(|| EndpointError::NoServer(name.vendor.clone()))?,
        key,
        quirks: settings.quirks.or(vendor.map(|vendor| vendor.quirks)).unwrap_or(Quirks::NONE),
        window: settings.window.or(model.and_then(|model| model.window)),
        max_output: settings.max_output,
        effort: settings.effort.or(vendor.and_then(|vendor| vendor.effort)),
        headers: Vec::new(),
    })
}

/// The server that a person named, in settings or by a variable.
fn named_url(name: &ModelName, settings: &VendorSettings, lookup: Lookup<'_>) -> Result<Option<String>, EndpointError> {
    let configured = settings.base_url.clone().map(|url| (format!("`models.vendors.{}.base_url`", name.vendor), url));
    let variables = Vendor::find(&name.vendor).map_or(&[][..], |vendor| vendor.base_url_variables);
    let by_variable = || variables.iter().find_map(|name| Some(((*name).to_owned(), set(lookup, name)?)));
    let Some((by, url)) = configured.or_else(by_variable) else { return Ok(None) };
    match base_url::check(&url) {
        Ok(()) => Ok(Some(url)),
        Err(error) => Err(EndpointError::BadServer { by, error }),
    }
}

#[cfg(test)]
mod tests;
