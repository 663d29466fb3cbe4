//! Histories as they are written in bug reports.

use chat::{Block, Message, Role};
use serde::Deserialize;
use serde_json::{Value, json};

use super::parse;
use crate::exit::Failure;

/// A message as it is written: its content is a text, or blocks.
#[derive(Deserialize)]
struct Written {
    role: Role,
    content: Content,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Content {
    Text(String),
    Blocks(Vec<Block>),
}

/// Reads a history; beside each message what was written.
pub(super) fn read(bytes: &[u8]) -> Result<Vec<(Message, Value)>, Failure> {
    let Value::Array(written) = parse(bytes, "the history")? else {
        return Err(Failure::usage("the history has to be an array of {role, content}"));
    };
    written.into_iter().enumerate().map(|(at, value)| Ok((message(at, &value)?, value))).collect()
}

fn message(at: usize, value: &Value) -> Result<Message, Failure> {
    let written: Written = serde_json::from_value(value.clone()).map_err(|error| {
        Failure::usage(format!(
            "message {at} of the history cannot be read ({error}); see `cowhand debug repair --help`"
        ))
    })?;
    let blocks = match written.content {
        Content::Text(text) => vec![Block::text(text)],
        Content::Blocks(blocks) => blocks,
    };
    Ok(Message { role: written.role, blocks })
}

/// The repaired history; a message that had nothing to repair as it was written.
pub(super) fn repaired(bytes: &[u8]) -> Result<Value, Failure> {
    let (messages, mut written): (Vec<Message>, Vec<Value>) = read(bytes)?.into_iter().unzip();
    let (repaired, _) = chat::repair::repair(messages.clone());
    let mut originals = messages.into_iter().zip(written.drain(..)).collect::<Vec<_>>().into_iter();
    let values = repaired.iter().map(|message| as_written(message, &mut originals)).collect();
    Ok(Value::Array(values))
}

fn as_written(message: &Message, originals: &mut std::vec::IntoIter<(Message, Value)>) -> Value {
    let found = originals.as_slice().iter().position(|(original, _)| original == message);
    match found.and_then(|at| originals.nth(at)) {
        Some((_, written)) => written,
        None => json!(message),
    }
}
