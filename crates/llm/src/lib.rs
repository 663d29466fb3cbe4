//! One request to one model as a stream of reply events.
//!
//! # Layout
//!
//! - `model`: the contract between a model and who asks it
//! - `endpoint`, `quirks`: where a model is asked, and where its server departs from its format
//! - `vendors`, `settings`: what is known of the vendors, and what a person sets about them
//! - `detect`: which model a run uses
//! - `demo`: the model of who has none
//! - `sse`, `body`: bytes of an answer → events of a reply, whatever it is packed in and however it is cut
//! - `openai`, `anthropic`, `gemini`: one wire format each, with the same functions; `format` puts them behind one face
//! - `draft`, `think`, `arguments`: what the formats have in common: the reply in the making, `<think>` tags, arguments of calls
//! - `transcript`, `request`: a history → what all formats send alike → the body of a request
//! - `error`: what a server says went wrong → a class
//! - `client`: a model that is asked over the network
//! - `captured`: an answer from a file, for bug reports
//!
//! # Never
//!
//! Remembers anything between calls, runs a tool, knows a channel.

mod anthropic;
mod arguments;
mod body;
mod captured;
mod client;
mod demo;
mod detect;
mod draft;
mod endpoint;
mod error;
mod format;
mod gemini;
mod model;
mod openai;
mod quirks;
mod request;
#[cfg(test)]
mod samples;
mod settings;
mod sse;
mod think;
mod transcript;
mod vendors;
mod wire;

pub use arguments::parse_arguments;
pub use captured::{CapturedReply, read_body, read_pieces};
pub use client::{Client, ClientError, Deadlines, HttpModel, Reached};
pub use demo::DemoModel;
pub use detect::{Choice, LocalServer, Named, Plan, Reason, connect, detect, plan, probe};
pub use endpoint::{Effort, Endpoint, Format, Key};
pub use model::{ChatModel, ModelName, ModelRequest, ReplyEvent, ReplyStream};
pub use quirks::{Auth, EffortStyle, EmptyContent, OutputLimit, Quirks, ReasoningField, SystemPlace};
pub use request::{build_request, request_bytes};
pub use settings::{Settings, VendorSettings};
pub use vendors::{
    DEMO, EndpointError, KeyError, KeyReference, KeyVariable, KnownModel, Lookup, NameError, Price, UrlError, VENDORS,
    Vendor, endpoint,
};
