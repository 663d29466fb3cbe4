//! What a request holds: the texts of the turn it belongs to, and the calls made in it so far.

use std::sync::Arc;

use chat::{Block, Language, Message, Role};
use serde_json::Value;

use super::request::language_of;
use crate::ModelRequest;

/// The turn that a request belongs to.
pub(super) struct Situation {
    /// What the person said in it, in order.
    pub(super) texts: Vec<String>,
    /// Whether there was a picture among it.
    pub(super) has_image: bool,
    /// The calls made in it, in order.
    pub(super) calls: Vec<Past>,
    /// The file that was last read or written before it.
    pub(super) file: Option<String>,
    /// The language that was last spoken before it.
    pub(super) language: Option<Language>,
    /// The number of the next call.
    pub(super) next_call: u64,
}

/// A call that was made, and what came of it.
#[derive(Clone, Debug)]
pub(super) struct Past {
    pub(super) name: String,
    pub(super) input: Value,
    pub(super) outcome: Outcome,
}

/// What came of a call.
#[derive(Clone, Debug)]
pub(super) struct Outcome {
    pub(super) content: String,
    pub(super) is_error: bool,
}

impl Situation {
    /// Reads a request. The turn begins with the last message of a person that answers no calls.
    pub(super) fn of(request: &ModelRequest) -> Self {
        let messages = &request.messages;
        let begins = |message: &Arc<Message>| message.role == Role::User && message.tool_result_ids().next().is_none();
        let start = messages.iter().rposition(begins).unwrap_or(0);
        let (before, turn) = messages.split_at(start);
        let said = turn.iter().filter(|message| message.role == Role::User);
        let texts = said.clone().map(|message| message.visible_text()).filter(|text| !text.trim().is_empty());
        let spoken = before.iter().rev().filter(|message| message.role == Role::User);
        Self {
            texts: texts.collect(),
            has_image: said.flat_map(|message| &message.blocks).any(|block| matches!(block, Block::Image { .. })),
            calls: calls(turn),
            file: before.iter().rev().find_map(|message| file_of(message)),
            language: spoken.take(20).find_map(|message| language_of(&message.visible_text())),
            next_call: messages.iter().flat_map(|message| message.tool_use_ids()).filter_map(number).max().unwrap_or(0)
                + 1,
        }
    }
}

fn calls(turn: &[Arc<Message>]) -> Vec<Past> {
    let mut calls = Vec::new();
    for block in turn.iter().flat_map(|message| &message.blocks) {
        let Block::ToolUse { id, name, input, .. } = block else { continue };
        let answer = turn.iter().flat_map(|message| &message.blocks).find_map(|block| match block {
            Block::ToolResult { tool_use_id, content, is_error } if tool_use_id == id => {
                Some(Outcome { content: content.clone(), is_error: *is_error })
            }
            _ => None,
        });
        if let Some(outcome) = answer {
            calls.push(Past { name: name.clone(), input: input.clone(), outcome });
        }
    }
    calls
}

/// The file that a message's call was about.
fn file_of(message: &Message) -> Option<String> {
    message.blocks.iter().rev().find_map(|block| match block {
        Block::ToolUse { name, input, .. } if name == "read" || name == "write" => {
            Some(input.get("path")?.as_str()?.to_owned())
        }
        _ => None,
    })
}

fn number(id: &str) -> Option<u64> {
    id.strip_prefix("demo-")?.parse().ok().filter(|number| *number < u64::MAX / 2)
}
