//! A model server on a real socket. It speaks the wire formats of real services, answers by a script, and checks every request
//! as strictly as the service would.
//!
//! ```no_run
//! # use serde_json::json;
//! # use testkit::{ScriptedModel, Step};
//! # async fn example() {
//! let model = ScriptedModel::start().await;
//! model.script([Step::calls([("ls", json!({"path": "."}))]), Step::text("There are two files.")]);
//! // … point the system at `model.openai_url()` with `model.key()` and let it work …
//! assert_eq!(model.request(2).await.turn_text(), "what is here?");
//! model.finish();
//! # }
//! ```

use std::net::SocketAddr;
use std::sync::Arc;

use tokio::sync::oneshot;

use crate::script::Script;
use crate::step::Step;

mod anthropic;
mod format;
mod gemini;
mod openai;
mod received;
mod refusal;
mod response;
mod rules;
mod server;
mod stream;
#[cfg(test)]
mod tests;

pub use format::Format;
pub use received::{Line, Received};
pub use rules::Rules;
pub(crate) use stream::cut_text;

/// A model server that answers by a script. When it is dropped it fails the test if a request broke a rule of the format, if
/// steps were left over, or if there was a request without a step.
pub struct ScriptedModel {
    address: SocketAddr,
    key: String,
    script: Script<Received>,
    /// The server ends when this is dropped.
    _running: oneshot::Sender<()>,
}

impl ScriptedModel {
    /// Starts a server with an empty script.
    pub async fn start() -> Self {
        Self::start_with(Rules::default())
    }

    /// Starts a server that is strict in another way, also outside of a runtime: it has its own thread.
    #[must_use]
    pub fn start_with(rules: Rules) -> Self {
        let key = rules.key.clone();
        let script = Script::new();
        let (address, running) = server::start(rules, script.clone());
        Self { address, key, script, _running: running }
    }

    /// The base URL for OpenAI's format.
    #[must_use]
    pub fn openai_url(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    /// The base URL for Anthropic's format.
    #[must_use]
    pub fn anthropic_url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The base URL for Gemini's format.
    #[must_use]
    pub fn gemini_url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The key that it accepts.
    #[must_use]
    pub fn key(&self) -> &str {
        &self.key
    }

    /// Adds answers to requests that no [`ScriptedModel::when`] takes, in the order in which requests come.
    pub fn script(&self, steps: impl IntoIterator<Item = Step>) {
        self.script.add(steps);
    }

    /// Adds answers to the requests of turns in which the person said something with this text in it.
    pub fn when(&self, said: &str, steps: impl IntoIterator<Item = Step>) {
        self.script.add_when(said, steps);
    }

    /// Decides on the answer to requests for which there is no step.
    pub fn respond_with(&self, responder: impl Fn(&Received) -> Step + Send + Sync + 'static) {
        self.script.respond_with(responder);
    }

    /// The requests so far, without those that broke a rule.
    #[must_use]
    pub fn requests(&self) -> Vec<Arc<Received>> {
        self.script.requests()
    }

    /// Waits for the request of this number, from 1.
    pub async fn request(&self, number: usize) -> Arc<Received> {
        self.script.request(number).await
    }

    /// Waits until so many requests came.
    pub async fn await_request(&self, number: usize) {
        self.script.request(number).await;
    }

    /// Waits until who made the request of this number goes away before the answer is complete.
    pub async fn await_hangup(&self, number: usize) {
        self.script.hangup(number).await;
    }

    /// Gives what was refused so far to a test that expected it; it fails the test no more.
    #[must_use]
    pub fn take_refusals(&self) -> Vec<String> {
        self.script.take_complaints()
    }

    /// What the test would fail for if it ended now.
    #[must_use]
    pub fn problems(&self) -> Vec<String> {
        self.script.problems()
    }

    /// Ends it, and fails the test if the script was not kept to.
    pub fn finish(self) {
        drop(self);
    }
}

impl Drop for ScriptedModel {
    fn drop(&mut self) {
        self.script.assert_played();
    }
}
