//! What the tests of several modules begin with.

use std::sync::Arc;

use chat::{Block, ErrorClass, Message, Reply, Role};

use crate::body::BodyReader;
use crate::{CapturedReply, Endpoint, Format, ModelName, ModelRequest, Quirks, ReplyEvent};

/// The model `v/m` behind a server that is never asked.
pub(crate) fn endpoint(format: Format) -> Endpoint {
    Endpoint {
        name: name(),
        format,
        base_url: "http://127.0.0.1".into(),
        key: None,
        quirks: Quirks::NONE,
        window: None,
        max_output: None,
        effort: None,
        headers: Vec::new(),
    }
}

pub(crate) fn name() -> ModelName {
    ModelName { vendor: "v".into(), model: "m".into() }
}

pub(crate) fn request(messages: Vec<Message>) -> ModelRequest {
    ModelRequest {
        system: "Be brief.".into(),
        messages: messages.into_iter().map(Arc::new).collect(),
        tools: Arc::new([]),
        nudge: None,
    }
}

pub(crate) fn assistant(blocks: Vec<Block>) -> Message {
    Message { role: Role::Assistant, blocks }
}

pub(crate) fn user(blocks: Vec<Block>) -> Message {
    Message { role: Role::User, blocks }
}

/// What a body is read as, with what a captured reply leaves out.
pub(crate) fn whole_reply(format: Format, body: &str) -> Reply {
    let mut reader = BodyReader::new(format, name(), Vec::new());
    reader.push(body.as_bytes());
    reader.finish();
    let events = std::iter::from_fn(|| reader.next_event());
    let Some(ReplyEvent::Finished(reply)) = events.last() else { panic!("the reply is whole") };
    reply
}

pub(crate) fn class(captured: &CapturedReply) -> Option<ErrorClass> {
    captured.error.as_ref().map(|error| error.class)
}
