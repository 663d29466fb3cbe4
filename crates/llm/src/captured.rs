//! Reading of a captured answer, for bug reports: no network, no clock but for a date in a header.

use chat::{ErrorClass, Finish, ModelError, ToolCall};

use crate::body::BodyReader;
use crate::error;
use crate::{Format, ModelName, ReplyEvent};

#[cfg(test)]
mod fixtures;

/// What was made of a captured answer.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CapturedReply {
    /// The visible text; with an error, what of it came before.
    pub text: String,
    /// What the model thought.
    pub reasoning: String,
    /// The calls; none unless the reply is whole.
    pub calls: Vec<ToolCall>,
    /// Why it ended; `None` where that was never learnt.
    pub finish: Option<Finish>,
    /// What went wrong. A whole reply with neither text nor calls is [`ErrorClass::Empty`] here, though a model hands it out as
    /// [`ReplyEvent::Finished`].
    pub error: Option<ModelError>,
}

/// Reads a captured answer to a request that offered `tools`, as a client would read it from the network.
#[must_use]
pub fn read_body(
    format: Format,
    status: u16,
    headers: &[(String, String)],
    body: &[u8],
    tools: &[String],
) -> CapturedReply {
    if !(200..300).contains(&status) {
        return CapturedReply { error: Some(error::from_response(status, headers, body)), ..CapturedReply::default() };
    }
    read_pieces(format, std::iter::once(body), tools)
}

/// Reads the body of an answer with a status of success, in the pieces in which it came.
#[must_use]
pub fn read_pieces<'a>(format: Format, pieces: impl Iterator<Item = &'a [u8]>, tools: &[String]) -> CapturedReply {
    let name = ModelName { vendor: format.name().to_owned(), model: String::new() };
    let mut reader = BodyReader::new(format, name, tools.to_vec());
    pieces.for_each(|piece| reader.push(piece));
    reader.finish();
    let mut captured = CapturedReply::default();
    while let Some(event) = reader.next_event() {
        captured.take(event);
    }
    captured
}

impl CapturedReply {
    fn take(&mut self, event: ReplyEvent) {
        match event {
            ReplyEvent::Text(_) => {}
            ReplyEvent::Reasoning(text) => self.reasoning.push_str(&text),
            ReplyEvent::Failed { error, partial } => {
                self.error = Some(error);
                self.text = partial;
            }
            ReplyEvent::Finished(reply) => {
                let is_empty = reply.is_empty();
                self.error =
                    is_empty.then(|| ModelError::new(ErrorClass::Empty, "the reply has neither text nor tool calls"));
                self.text = reply.text;
                self.calls = reply.calls;
                self.finish = reply.finish;
            }
        }
    }
}
