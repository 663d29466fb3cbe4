//! What a person writes for a model.

use std::collections::BTreeMap;

use super::{DEMO, VENDORS, Vendor};
use crate::{ModelName, VendorSettings};

/// Why a text names no model.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum NameError {
    /// Nothing in front of the slash is a vendor.
    #[error("there is no vendor \"{vendor}\"{}; there are {known}, and those of `models.vendors`", meant(nearest.as_deref()))]
    UnknownVendor {
        /// What was written.
        vendor: String,
        /// What was perhaps meant.
        nearest: Option<String>,
        /// All there are.
        known: String,
    },
    /// A model without a vendor.
    #[error("\"{text}\" names no vendor: write it as VENDOR/MODEL, such as openai/{text}; the vendors are {known}")]
    NoVendor {
        /// What was written.
        text: String,
        /// All there are.
        known: String,
    },
    /// A vendor that has no default model.
    #[error("{0} has no default model: write {0}/MODEL")]
    NoModel(String),
    /// The demo model is one model.
    #[error("the demo model is written \"demo\", with nothing behind it")]
    DemoAlone,
}

fn meant(nearest: Option<&str>) -> String {
    nearest.map(|nearest| format!(" (\"{nearest}\" perhaps?)")).unwrap_or_default()
}

impl ModelName {
    /// The demo model's.
    #[must_use]
    pub fn demo() -> Self {
        Self { vendor: DEMO.into(), model: String::new() }
    }

    /// Reads `vendor/model`, `demo`, or a vendor alone, whose default model is meant then. `own` are the vendors of the settings.
    ///
    /// # Errors
    ///
    /// When there is no such vendor, or no model is named and the vendor has no default.
    pub fn parse(text: &str, own: &BTreeMap<String, VendorSettings>) -> Result<Self, NameError> {
        let text = text.trim();
        let (vendor, model) = match text.split_once('/') {
            Some((vendor, model)) => (vendor, Some(model).filter(|model| !model.is_empty())),
            None => (text, None),
        };
        if vendor == DEMO {
            return if text == DEMO { Ok(Self::demo()) } else { Err(NameError::DemoAlone) };
        }
        if Vendor::find(vendor).is_none() && !own.contains_key(vendor) {
            return Err(unknown(text, vendor, own));
        }
        let default = || default_model(vendor, own);
        let model = model.map(str::to_owned).or_else(default).ok_or_else(|| NameError::NoModel(vendor.to_owned()))?;
        Ok(Self { vendor: vendor.to_owned(), model })
    }
}

/// The model of a vendor that is asked where none is named.
pub(crate) fn default_model(vendor: &str, own: &BTreeMap<String, VendorSettings>) -> Option<String> {
    let configured = own.get(vendor).and_then(|settings| settings.model.clone());
    configured.or_else(|| Vendor::find(vendor)?.default_model().map(str::to_owned))
}

fn unknown(text: &str, vendor: &str, own: &BTreeMap<String, VendorSettings>) -> NameError {
    let names: Vec<&str> =
        VENDORS.iter().map(|vendor| vendor.name).chain(own.keys().map(String::as_str)).chain([DEMO]).collect();
    let known = names.join(", ");
    let distance = |name: &str| strsim::damerau_levenshtein(name, &vendor.to_lowercase());
    let nearest =
        names.iter().min_by_key(|name| distance(name)).filter(|name| distance(name) <= 2.min(vendor.len() / 2));
    let nearest = nearest.map(|name| (*name).to_owned());
    if nearest.is_none() && !text.contains('/') {
        return NameError::NoVendor { text: text.to_owned(), known };
    }
    NameError::UnknownVendor { vendor: vendor.to_owned(), nearest, known }
}
