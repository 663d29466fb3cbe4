//! One request to one model as a stream of reply events.
//!
//! # Layout
//!
//! - `model`: the contract between a model and who asks it
//! - `endpoint`, `quirks`: where a model is asked, and where its server departs from its format
//! - `vendors`, `settings`: what is known of the vendors, and what a person sets about them
//! - `detect`: which model a run uses
//!
//! # Never
//!
//! Remembers anything between calls, runs a tool, knows a channel.

mod detect;
mod endpoint;
mod model;
mod quirks;
mod settings;
mod vendors;

pub use detect::{Choice, LocalServer, Named, Plan, Reason, detect, plan, probe};
pub use endpoint::{Effort, Endpoint, Format, Key};
pub use model::{ChatModel, ModelName, ModelRequest, ReplyEvent, ReplyStream};
pub use quirks::{Auth, EffortStyle, EmptyContent, OutputLimit, Quirks, ReasoningField, SystemPlace};
pub use settings::{Settings, VendorSettings};
pub use vendors::{
    DEMO, EndpointError, KeyError, KeyReference, KeyVariable, KnownModel, Lookup, NameError, Price, VENDORS, Vendor, endpoint,
};
