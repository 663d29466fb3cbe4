//! A history made fit for one model: what all formats do alike before they write it down.
//!
//! Ids are unique in the request, results stand with their calls, what another vendor or model wanted back is left out, nothing is
//! empty. The same request always gives the same transcript, and a longer history begins with that of a shorter one, so that prompt
//! caches survive.

use std::borrow::Cow;

use chat::{Block, Provider, Role};
use serde_json::Value;

use crate::{Endpoint, ModelRequest};

mod ids;
#[cfg(test)]
mod tests;

use ids::Ids;

/// The messages of a request, fit for one model.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Transcript<'a> {
    /// Roles alternate.
    pub(crate) entries: Vec<Entry<'a>>,
    /// A text that follows the last entry in this request alone.
    pub(crate) nudge: Option<&'a str>,
}

/// One message.
#[derive(Debug, PartialEq)]
pub(crate) enum Entry<'a> {
    User(UserEntry<'a>),
    Assistant(AssistantEntry<'a>),
}

/// What a person and tools say.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct UserEntry<'a> {
    /// In the order of the calls.
    pub(crate) answers: Vec<Answer<'a>>,
    pub(crate) parts: Vec<Part<'a>>,
}

/// What a tool call gave back.
#[derive(Debug, PartialEq)]
pub(crate) struct Answer<'a> {
    pub(crate) call: Call<'a>,
    pub(crate) content: &'a str,
    pub(crate) is_error: bool,
}

/// What a person says.
#[derive(Debug, PartialEq)]
pub(crate) enum Part<'a> {
    Text(&'a str),
    Image { media_type: &'a str, data: &'a str },
}

/// What the model said.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct AssistantEntry<'a> {
    /// Only what this very model thought in the turn that runs.
    pub(crate) thoughts: Vec<Thought<'a>>,
    pub(crate) texts: Vec<&'a str>,
    pub(crate) calls: Vec<Call<'a>>,
}

/// A run of thinking.
#[derive(Debug, PartialEq)]
pub(crate) struct Thought<'a> {
    pub(crate) text: &'a str,
    pub(crate) data: &'a Value,
}

/// A tool call.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Call<'a> {
    /// The id in the history; it pairs the call with its result.
    given_id: &'a str,
    /// The id in the request.
    pub(crate) id: Cow<'a, str>,
    pub(crate) name: Cow<'a, str>,
    pub(crate) input: &'a Value,
    /// What this very model wants back with it.
    pub(crate) data: Option<&'a Value>,
}

/// What stands for a tool's result that says nothing.
const NO_OUTPUT: &str = "(no output)";

/// What stands for a picture where the model sees none.
pub(crate) const NO_PICTURE: &str = "[a picture, which this model cannot see]";

impl<'a> Transcript<'a> {
    /// Makes the messages of a request fit for the model at an endpoint.
    pub(crate) fn new(endpoint: &Endpoint, request: &'a ModelRequest) -> Self {
        let mut transcript = Self { entries: Vec::new(), nudge: request.nudge.as_deref().and_then(said) };
        let mut ids = Ids::new(endpoint.format);
        for message in &request.messages {
            match message.role {
                Role::User => transcript.add_user(&message.blocks, endpoint),
                Role::Assistant => transcript.add_assistant(&message.blocks, endpoint, &mut ids),
            }
        }
        transcript
    }

    /// Whether a tool was called anywhere.
    pub(crate) fn has_calls(&self) -> bool {
        self.entries.iter().any(|entry| matches!(entry, Entry::Assistant(assistant) if !assistant.calls.is_empty()))
    }

    fn add_user(&mut self, blocks: &'a [Block], endpoint: &Endpoint) {
        let answers = self.answers(blocks);
        let parts = blocks.iter().filter_map(|block| match block {
            Block::Text { text, .. } => said(text).map(Part::Text),
            Block::Image { .. } if !endpoint.quirks.images => Some(Part::Text(NO_PICTURE)),
            Block::Image { media_type, data } => Some(Part::Image { media_type, data }),
            _ => None,
        });
        let parts: Vec<Part<'_>> = parts.collect();
        if answers.is_empty() && parts.is_empty() {
            return;
        }
        match self.entries.last_mut() {
            Some(Entry::User(user)) => user.parts.extend(parts),
            _ => self.entries.push(Entry::User(UserEntry { answers, parts })),
        }
    }

    /// The results among these blocks, each with its call: the first of that id in the message before that has none yet.
    fn answers(&self, blocks: &'a [Block]) -> Vec<Answer<'a>> {
        let Some(Entry::Assistant(assistant)) = self.entries.last() else { return Vec::new() };
        let mut open: Vec<Option<Answer<'a>>> = assistant.calls.iter().map(|_| None).collect();
        for block in blocks {
            let Block::ToolResult { tool_use_id, content, is_error } = block else { continue };
            let mut calls = assistant.calls.iter().zip(&mut open);
            if let Some((call, answer)) = calls.find(|(call, answer)| answer.is_none() && call.given_id == tool_use_id)
            {
                let content = said(content).unwrap_or(NO_OUTPUT);
                *answer = Some(Answer { call: call.clone(), content, is_error: *is_error });
            }
        }
        open.into_iter().flatten().collect()
    }

    fn add_assistant(&mut self, blocks: &'a [Block], endpoint: &Endpoint, ids: &mut Ids<'a>) {
        let mut new = AssistantEntry::default();
        let own = |provider: &'a Option<Provider>| own_data(provider.as_ref(), endpoint);
        for block in blocks {
            match block {
                Block::Thinking { thinking, provider } => {
                    new.thoughts.extend(own(provider).map(|data| Thought { text: thinking, data }));
                }
                Block::Text { text, .. } => new.texts.extend(said(text)),
                Block::ToolUse { id, name, input, provider } => {
                    let call = Call { given_id: id, id: ids.fit(id), name: fit_name(name), input, data: own(provider) };
                    new.calls.push(call);
                }
                Block::Image { .. } | Block::ToolResult { .. } => {}
            }
        }
        if new.texts.is_empty() && new.calls.is_empty() {
            return;
        }
        match self.entries.last_mut() {
            Some(Entry::Assistant(assistant)) => {
                assistant.thoughts.extend(new.thoughts);
                assistant.texts.extend(new.texts);
                assistant.calls.extend(new.calls);
            }
            _ => self.entries.push(Entry::Assistant(new)),
        }
    }
}

/// A text that says something.
fn said(text: &str) -> Option<&str> {
    (!text.trim().is_empty()).then_some(text)
}

/// The data of this very model.
fn own_data<'a>(provider: Option<&'a Provider>, endpoint: &Endpoint) -> Option<&'a Value> {
    let is_own = |own: &&Provider| own.vendor == endpoint.name.vendor && own.model == endpoint.name.model;
    provider.filter(is_own).map(|provider| &provider.data)
}

/// A name that every server takes: models make names up, and a history keeps them.
fn fit_name(name: &str) -> Cow<'_, str> {
    let fits = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if !name.is_empty() && name.len() <= 64 && name.chars().all(fits) {
        return Cow::Borrowed(name);
    }
    let fitted: String = name.chars().map(|c| if fits(c) { c } else { '_' }).take(64).collect();
    if fitted.is_empty() { Cow::Borrowed("unknown") } else { Cow::Owned(fitted) }
}
