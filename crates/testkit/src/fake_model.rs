//! A model in process, for tests under paused time: it waits by tokio's clock alone.
//!
//! It speaks [`llm::ChatModel`] and answers by the same steps as a [`crate::ScriptedModel`].

use std::sync::Arc;

use chat::{ErrorClass, History, Message, ModelError};
use futures_util::StreamExt;
use llm::{ChatModel, ModelName, ModelRequest, ReplyStream};

use crate::script::{Asked, Script};
use crate::step::Step;

mod reply;
#[cfg(test)]
mod tests;

/// A test's hold on a model that answers by a script. When it is dropped it fails the test if a request was malformed, if
/// steps were left over, or if there was a request without a step.
pub struct FakeModel {
    model: Arc<InProcess>,
}

/// What is asked.
struct InProcess {
    name: ModelName,
    script: Script<ModelRequest>,
}

impl FakeModel {
    /// Makes a model with these answers.
    #[must_use]
    pub fn script(steps: impl IntoIterator<Item = Step>) -> Self {
        Self::named("fake", "scripted", steps)
    }

    /// Makes a model of another name.
    #[must_use]
    pub fn named(vendor: &str, model: &str, steps: impl IntoIterator<Item = Step>) -> Self {
        let name = ModelName { vendor: vendor.to_owned(), model: model.to_owned() };
        let script = Script::new();
        script.add(steps);
        Self { model: Arc::new(InProcess { name, script }) }
    }

    /// The model to hand to what is tested.
    #[must_use]
    pub fn model(&self) -> Arc<dyn ChatModel> {
        self.model.clone()
    }

    /// Adds answers to requests that no [`FakeModel::when`] takes.
    pub fn then(&self, steps: impl IntoIterator<Item = Step>) {
        self.model.script.add(steps);
    }

    /// Adds answers to the requests of turns in which the person said something with this text in it.
    pub fn when(&self, said: &str, steps: impl IntoIterator<Item = Step>) {
        self.model.script.add_when(said, steps);
    }

    /// Decides on the answer to requests for which there is no step.
    pub fn respond_with(&self, responder: impl Fn(&ModelRequest) -> Step + Send + Sync + 'static) {
        self.model.script.respond_with(responder);
    }

    /// The requests so far.
    #[must_use]
    pub fn requests(&self) -> Vec<Arc<ModelRequest>> {
        self.model.script.requests()
    }

    /// Waits for the request of this number, from 1.
    pub async fn request(&self, number: usize) -> Arc<ModelRequest> {
        self.model.script.request(number).await
    }

    /// Waits until so many requests came.
    pub async fn await_request(&self, number: usize) {
        self.model.script.request(number).await;
    }

    /// Waits until the stream that answers the request of this number is dropped before its end.
    pub async fn await_hangup(&self, number: usize) {
        self.model.script.hangup(number).await;
    }

    /// Ends it, and fails the test if the script was not kept to.
    pub fn finish(self) {
        drop(self);
    }
}

impl Drop for FakeModel {
    fn drop(&mut self) {
        self.model.script.assert_played();
    }
}

impl ChatModel for InProcess {
    fn name(&self) -> &ModelName {
        &self.name
    }

    fn ask(&self, request: ModelRequest) -> ReplyStream {
        if let Err(error) = check(&request) {
            self.script.complain(error.message.clone());
            return reply::failed(error).boxed();
        }
        let number = std::cell::Cell::new(0);
        let (_, step) = self.script.answer(|it| {
            number.set(it);
            request
        });
        reply::play(step, number.get(), self.script.clone()).boxed()
    }
}

impl Asked for ModelRequest {
    /// What the person said since the last message of the model that asked for no tool.
    fn turn_text(&self) -> String {
        let ends_turn =
            |message: &Arc<Message>| message.role == chat::Role::Assistant && message.tool_use_ids().next().is_none();
        let start = self.messages.iter().rposition(ends_turn).map_or(0, |at| at + 1);
        let said = self.messages[start..].iter().filter(|message| message.role == chat::Role::User);
        let texts: Vec<String> = said.map(|message| message.visible_text()).filter(|text| !text.is_empty()).collect();
        texts.join("\n")
    }
}

/// A request is whole turns and a user's message, and every call in it is answered.
fn check(request: &ModelRequest) -> Result<(), ModelError> {
    let mut messages = request.messages.clone();
    messages.push(Arc::new(Message::assistant("the answer")));
    let malformed = |what: String| Err(ModelError::new(ErrorClass::MalformedHistory, what));
    if let Err(error) = History::from_messages(messages) {
        return malformed(error.to_string());
    }
    let mut ids: Vec<&str> = request.messages.iter().flat_map(|message| message.tool_use_ids()).collect();
    ids.sort_unstable();
    match ids.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(pair) => malformed(format!("the id \"{}\" names two calls", pair[0])),
        None => Ok(()),
    }
}
