//! Fakes and probes for Cowhand's tests: each checks what it is given as strictly as the real thing would.
//!
//! # Layout
//!
//! - [`step`]: what a model answers to one request; one vocabulary for all fake models
//! - [`script_file`]: steps and scripts as JSON
//! - [`gate`]: a place where a fake waits until the test lets it go on
//! - [`script`]: the answers that are still to come, by conversation, and what was asked
//! - [`scripted_model`]: a model server on a real socket
//! - [`fake_model`]: a model in process, for tests under paused time
//! - [`fake_telegram`]: Telegram's Bot API on a real socket
//! - [`probe`]: an actor that hands its messages to the test
//! - [`supervisor`]: a parent of actors that fails the test when one of them dies unexpectedly
//! - [`probe_tool`]: a tool that panics, waits, counts or takes its time
//! - [`bound`]: waiting for an event, with a limit that no healthy test reaches
//!
//! # Never
//!
//! Is more than a dev-dependency. The unit tests of chat, llm, tools and store do without it.

pub mod bound;
pub mod fake_model;
pub mod fake_telegram;
pub mod gate;
pub mod probe;
pub mod probe_tool;
pub mod script;
pub mod script_file;
pub mod scripted_model;
pub mod step;
pub mod supervisor;

pub use fake_model::FakeModel;
pub use fake_telegram::FakeTelegram;
pub use gate::Gate;
pub use probe::Probe;
pub use probe_tool::ProbeTool;
pub use script_file::ScriptFile;
pub use scripted_model::{Received, Rules, ScriptedModel};
pub use step::Step;
pub use supervisor::TestSupervisor;
