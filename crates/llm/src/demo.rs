//! The demo model: what a newcomer without a key talks to. It runs in this process, recognises a few wishes in English and Chinese,
//! and fulfils them with the tools it is offered. It never claims to be more than that.
//!
//! # Layout
//!
//! - `lexer`, `lists`, `path`: a text in pieces; lists of words; what the name of a file looks like
//! - `english`, `chinese`: from pieces to wishes
//! - `request`, `wish`: what a text asks for
//! - `situation`: what a request of the agent holds
//! - `named`: names of the working folder in a text, and which names are in doubt
//! - `plan`, `tools`, `shell`: the next call, or the answer
//! - `answer`, `wording`: how results are shown, and everything that is said

mod answer;
mod chinese;
mod english;
mod lexer;
mod lists;
mod named;
mod path;
mod plan;
mod request;
mod shell;
mod situation;
mod tools;
mod wish;
mod wording;

use futures_util::StreamExt;
use futures_util::stream;

use crate::{ChatModel, ModelName, ModelRequest, ReplyEvent, ReplyStream};

/// A model in this process that recognises a few wishes.
#[derive(Debug)]
pub struct DemoModel {
    name: ModelName,
}

impl DemoModel {
    /// The model.
    #[must_use]
    pub fn new() -> Self {
        Self { name: ModelName::demo() }
    }
}

impl Default for DemoModel {
    fn default() -> Self {
        Self::new()
    }
}

impl ChatModel for DemoModel {
    fn name(&self) -> &ModelName {
        &self.name
    }

    fn ask(&self, request: ModelRequest) -> ReplyStream {
        let reply = plan::reply(&request);
        let pieces: Vec<ReplyEvent> = pieces(&reply.text).map(|piece| ReplyEvent::Text(piece.to_owned())).collect();
        stream::iter(pieces.into_iter().chain([ReplyEvent::Finished(reply)])).boxed()
    }
}

/// A text word by word, the space behind each included; Chinese by the character.
fn pieces(text: &str) -> impl Iterator<Item = &str> {
    let ends = |at: usize, c: char| {
        let next = text[at + c.len_utf8()..].chars().next();
        lexer::is_han(c) || (c.is_whitespace() && next.is_some_and(|next| !next.is_whitespace()))
    };
    let ends = text.char_indices().filter(move |(at, c)| ends(*at, *c)).map(|(at, c)| at + c.len_utf8());
    let mut start = 0;
    ends.chain([text.len()]).filter_map(move |end| {
        let piece = &text[start..end];
        start = end;
        (!piece.is_empty()).then_some(piece)
    })
}

#[cfg(test)]
mod tests;
