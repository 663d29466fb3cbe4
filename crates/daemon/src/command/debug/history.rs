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

/// Refuses a history with a call whose input is no object: what would be sent for it is a guess.
pub(super) fn check_inputs(messages: &[Message]) -> Result<(), Failure> {
    let malformed = messages.iter().enumerate().find_map(|(at, message)| Some((at, message.malformed_call()?)));
    let Some((at, (block, name, input))) = malformed else { return Ok(()) };
    Err(Failure::usage(format!(
        "message {at} of the history, block {block}: the input of the call of `{name}` is no object, but {input}"
    )))
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exit::Exit;

    fn history(input: Value) -> Vec<Message> {
        let call = json!({"type": "tool_use", "id": "1", "name": "read", "input": input});
        let text =
            json!([{"role": "user", "content": "hi"}, {"role": "assistant", "content": ["?", call]}]).to_string();
        let text = text.replace("\"?\"", r#"{"type":"text","text":"I read."}"#);
        read(text.as_bytes()).unwrap().into_iter().map(|(message, _)| message).collect()
    }

    #[test]
    fn a_call_whose_input_is_no_object_is_refused_with_its_place() {
        for input in [json!("{\"path\":\"a\"}"), json!([1]), json!(7), json!(true)] {
            let failure = check_inputs(&history(input.clone())).unwrap_err();

            assert_eq!(failure.exit, Exit::Usage);
            assert!(failure.message.starts_with("message 1 of the history, block 1: "), "{failure}");
            assert!(failure.message.ends_with(&input.to_string()), "{failure}");
        }
        assert!(check_inputs(&history(json!({"path": "a"}))).is_ok());
    }

    #[test]
    fn only_what_is_hidden_is_said_to_be() {
        let repaired = repaired(br#"[{"role":"assistant","content":"a"},{"role":"user","content":"b"}]"#).unwrap();

        let repaired = repaired.as_array().unwrap();
        assert_eq!(repaired[0]["content"][0]["hidden"], json!(true));
        assert_eq!(repaired[1..].iter().filter(|message| message.to_string().contains("hidden")).count(), 0);
    }
}
