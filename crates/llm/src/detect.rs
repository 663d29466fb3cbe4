//! Which model a run uses: the one that is named, else one whose key is there, else a server on this machine, else the demo.

mod probe;

use std::fmt;
use std::sync::Arc;

pub use probe::{LocalServer, probe};

use crate::vendors::{Lookup, NameError, VENDORS, default_model};
use crate::{ChatModel, Client, DemoModel, Endpoint, EndpointError, HttpModel, ModelName, Settings, endpoint};

/// A model that was named, and by what (`--model`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    /// The name as it was written.
    pub text: String,
    /// What named it.
    pub by: String,
}

/// The model of a run. Its text is a line for the start: `using demo because …`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// The model.
    pub model: ModelName,
    /// Why it was chosen.
    pub reason: Reason,
}

/// Why a model was chosen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// It was named by this.
    Named(String),
    /// This variable holds its vendor's key.
    Key(String),
    /// The settings of this vendor say where its key is, or which model it has.
    Configured(String),
    /// This server on this machine has it.
    Server(String),
    /// There was nothing else.
    Nothing,
}

impl fmt::Display for Choice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "using {} because ", self.model)?;
        match &self.reason {
            Reason::Named(by) => write!(f, "{by} names it"),
            Reason::Key(variable) => write!(f, "{variable} is set"),
            Reason::Configured(vendor) => write!(f, "models.vendors.{vendor} is configured"),
            Reason::Server(url) => write!(f, "{url} answers"),
            Reason::Nothing => f.write_str("no model is named, no key is set, and no local server answers"),
        }
    }
}

/// What is to be done to find a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Plan {
    /// Nothing: this is it.
    Use(Choice),
    /// Local servers are to be asked.
    Probe,
}

/// Decides on a model as far as that can be done without the network. `named` is what ranks above the settings.
///
/// # Errors
///
/// When a model is named that does not exist: nothing else is tried then.
pub fn plan(named: Option<&Named>, settings: &Settings, lookup: Lookup<'_>) -> Result<Plan, NameError> {
    let configured = settings.model.as_ref().map(|text| Named { text: text.clone(), by: "models.model".into() });
    if let Some(named) = named.cloned().or(configured).filter(|named| !named.text.trim().is_empty()) {
        let model = ModelName::parse(&named.text, &settings.vendors)?;
        return Ok(Plan::Use(Choice { model, reason: Reason::Named(named.by) }));
    }
    Ok(with_key(settings, lookup).or_else(|| own(settings)).map_or(Plan::Probe, Plan::Use))
}

/// The first vendor of the table that has a key and a model.
fn with_key(settings: &Settings, lookup: Lookup<'_>) -> Option<Choice> {
    VENDORS.iter().find_map(|vendor| {
        let own = settings.vendors.get(vendor.name);
        let configured = own.filter(|own| own.key.is_some()).map(|_| Reason::Configured(vendor.name.into()));
        let reason = configured.or_else(|| Some(Reason::Key(vendor.key_variable(lookup)?.name.into())))?;
        let model = default_model(vendor.name, &settings.vendors)?;
        Some(Choice { model: ModelName { vendor: vendor.name.into(), model }, reason })
    })
}

/// The first vendor of a person's own that has a model.
fn own(settings: &Settings) -> Option<Choice> {
    settings.vendors.iter().find_map(|(name, vendor)| {
        let model = vendor.model.clone().filter(|_| vendor.base_url.is_some())?;
        Some(Choice { model: ModelName { vendor: name.clone(), model }, reason: Reason::Configured(name.clone()) })
    })
}

/// Finds the model of a run: as [`plan`] says, else by asking these local servers, else the demo.
///
/// # Errors
///
/// When a model is named that does not exist.
pub async fn detect(
    named: Option<&Named>,
    settings: &Settings,
    lookup: Lookup<'_>,
    servers: &[LocalServer],
) -> Result<Choice, NameError> {
    match plan(named, settings, lookup)? {
        Plan::Use(choice) => Ok(choice),
        Plan::Probe => Ok(probe(servers).await.unwrap_or(Choice { model: ModelName::demo(), reason: Reason::Nothing })),
    }
}

impl Choice {
    /// Where the model is asked; `None` for the demo model.
    ///
    /// # Errors
    ///
    /// When its server or its key is not known.
    pub fn endpoint(&self, settings: &Settings, lookup: Lookup<'_>) -> Result<Option<Endpoint>, EndpointError> {
        if self.model == ModelName::demo() {
            return Ok(None);
        }
        let own = settings.vendors.get(&self.model.vendor);
        let mut endpoint = endpoint(&self.model, own, lookup)?;
        if let Reason::Server(url) = &self.reason {
            endpoint.base_url.clone_from(url);
        }
        Ok(Some(endpoint))
    }
}

/// Makes the model of a choice ready to be asked.
///
/// # Errors
///
/// When its server or its key is not known.
pub fn connect(
    choice: &Choice,
    settings: &Settings,
    lookup: Lookup<'_>,
    client: &Client,
) -> Result<Arc<dyn ChatModel>, EndpointError> {
    Ok(match choice.endpoint(settings, lookup)? {
        Some(endpoint) => Arc::new(HttpModel::new(endpoint, client.clone())),
        None => Arc::new(DemoModel::new()),
    })
}

#[cfg(test)]
mod tests;
