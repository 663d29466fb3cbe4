//! Makes any list of messages into one that every model accepts.
//!
//! Total, and the identity on what is valid already. Every word of a person stays; every result stays with its own call.

use std::collections::HashSet;

use crate::{Block, Message, Role};

/// What a model reads in place of a result that is missing.
pub const MISSING_RESULT: &str =
    "Error: this call was interrupted; its result is not known, and it may have taken effect.";
/// What stands for the beginning of a conversation that is missing.
pub const MISSING_BEGINNING: &str = "[The beginning of this conversation is missing.]";

/// Something that had to be changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Repair {
    /// A call had no result; it was answered as interrupted.
    AnsweredCall(String),
    /// A result stood elsewhere than behind its call.
    MovedResult(String),
    /// A result had no call, or was the second one for it.
    DroppedResult(String),
    /// Two calls had the same id, or one had none.
    RenamedCall(String),
    /// A block was empty, or of a kind that its role cannot have.
    DroppedBlock,
    /// A message was empty.
    DroppedMessage,
    /// Two messages of the same role met.
    JoinedMessages,
    /// The first message was the assistant's.
    AddedBeginning,
}

/// Repairs a list of messages: the first is then a user's, roles alternate, no block or message is empty, ids are unique, and
/// each call is answered by exactly one result at the head of the message that follows. It may end with either role.
#[must_use]
pub fn repair(messages: Vec<Message>) -> (Vec<Message>, Vec<Repair>) {
    let mut repairs = Vec::new();
    let mut parts = take_apart(messages, &mut repairs);
    pair(&mut parts, &mut repairs);
    let messages = put_together(parts, &mut repairs);
    (messages, repairs)
}

/// A message without its results, which are held by the calls that they answer.
struct Part {
    role: Role,
    blocks: Vec<Block>,
    calls: Vec<Call>,
    results: Vec<Answer>,
    /// Whether it was nothing but results.
    was_results: bool,
}

struct Call {
    id: String,
    /// Where its result stood: the message and the place in it.
    answer: Option<(usize, usize)>,
}

struct Answer {
    id: String,
    content: String,
    is_error: bool,
}

fn take_apart(messages: Vec<Message>, repairs: &mut Vec<Repair>) -> Vec<Part> {
    messages.into_iter().map(|message| part(message, repairs)).collect()
}

fn part(message: Message, repairs: &mut Vec<Repair>) -> Part {
    let role = message.role;
    let mut part = Part { role, blocks: Vec::new(), calls: Vec::new(), results: Vec::new(), was_results: false };
    let mut results_are_first = true;
    for block in message.blocks {
        match block {
            Block::ToolResult { tool_use_id, content, is_error } => {
                if !results_are_first || role == Role::Assistant {
                    repairs.push(Repair::MovedResult(tool_use_id.clone()));
                }
                part.results.push(Answer { id: tool_use_id, content, is_error });
                continue;
            }
            block if !belongs(&block, role) => repairs.push(Repair::DroppedBlock),
            block => {
                if let Block::ToolUse { id, .. } = &block {
                    part.calls.push(Call { id: id.clone(), answer: None });
                }
                part.blocks.push(block);
            }
        }
        results_are_first = false;
    }
    part.was_results = !part.results.is_empty();
    part
}

fn belongs(block: &Block, role: Role) -> bool {
    match block {
        Block::Text { text, .. } => !text.trim().is_empty(),
        Block::Thinking { thinking, provider } => {
            role == Role::Assistant && (provider.is_some() || !thinking.trim().is_empty())
        }
        Block::Image { data, .. } => role == Role::User && !data.is_empty(),
        Block::ToolUse { .. } => role == Role::Assistant,
        Block::ToolResult { .. } => role == Role::User,
    }
}

/// Gives each result to the call it answers: of all calls of its id that came before and are unanswered, one of the latest
/// message that has any, and in that message the first.
fn pair(parts: &mut [Part], repairs: &mut Vec<Repair>) {
    for at in 0..parts.len() {
        for place in 0..parts[at].results.len() {
            let id = parts[at].results[place].id.clone();
            let call = parts[..at]
                .iter_mut()
                .rev()
                .find_map(|part| part.calls.iter_mut().find(|call| call.id == id && call.answer.is_none()));
            match call {
                Some(call) => call.answer = Some((at, place)),
                None => repairs.push(Repair::DroppedResult(id)),
            }
        }
    }
}

fn put_together(mut parts: Vec<Part>, repairs: &mut Vec<Repair>) -> Vec<Message> {
    let mut out: Vec<Message> = Vec::new();
    let mut ids = HashSet::new();
    let mut joined_at = None;
    for at in 0..parts.len() {
        let heads = std::mem::take(&mut parts[at].blocks);
        let calls = std::mem::take(&mut parts[at].calls);
        let (role, was_results) = (parts[at].role, parts[at].was_results);
        let (blocks, names) = with_unique_ids(heads, &mut ids, repairs);
        if blocks.is_empty() {
            if !was_results {
                repairs.push(Repair::DroppedMessage);
            }
            continue;
        }
        // The results of the message before open a user's message of their own; what a person says next goes behind them.
        let expected = joined_at.take() == Some(at);
        append(&mut out, role, blocks, expected, repairs);
        if !calls.is_empty() {
            let results = results_of(&calls, &names, &mut parts, at, repairs);
            out.push(Message { role: Role::User, blocks: results });
            joined_at = next_with_content(&parts, at);
        }
    }
    out
}

/// The next message, where it is a user's: its text belongs into the message of results before it.
fn next_with_content(parts: &[Part], at: usize) -> Option<usize> {
    parts.get(at + 1).filter(|next| next.role == Role::User).map(|_| at + 1)
}

fn append(out: &mut Vec<Message>, role: Role, blocks: Vec<Block>, expected: bool, repairs: &mut Vec<Repair>) {
    if out.is_empty() && role == Role::Assistant {
        repairs.push(Repair::AddedBeginning);
        out.push(Message { role: Role::User, blocks: vec![Block::hidden(MISSING_BEGINNING)] });
    }
    match out.last_mut() {
        Some(last) if last.role == role => {
            if !expected {
                repairs.push(Repair::JoinedMessages);
            }
            last.blocks.extend(blocks);
        }
        _ => out.push(Message { role, blocks }),
    }
}

/// Gives calls new ids where theirs were used before; the ids then, in the order of the calls.
fn with_unique_ids(
    blocks: Vec<Block>,
    ids: &mut HashSet<String>,
    repairs: &mut Vec<Repair>,
) -> (Vec<Block>, Vec<String>) {
    let mut names = Vec::new();
    let rename = |block| match block {
        Block::ToolUse { id, name, input, provider } => {
            let unique = unique(&id, ids);
            if unique != id {
                repairs.push(Repair::RenamedCall(id));
            }
            ids.insert(unique.clone());
            names.push(unique.clone());
            Block::ToolUse { id: unique, name, input, provider }
        }
        other => other,
    };
    let blocks = blocks.into_iter().map(rename).collect();
    (blocks, names)
}

fn unique(id: &str, ids: &HashSet<String>) -> String {
    let base = if id.is_empty() { "call" } else { id };
    if !id.is_empty() && !ids.contains(id) {
        return id.to_owned();
    }
    (2..).map(|number| format!("{base}_{number}")).find(|candidate| !ids.contains(candidate)).unwrap_or_default()
}

/// One result for each call: those that are there in the order in which they stood, then those that are missing.
fn results_of(
    calls: &[Call],
    names: &[String],
    parts: &mut [Part],
    at: usize,
    repairs: &mut Vec<Repair>,
) -> Vec<Block> {
    let mut answered: Vec<((usize, usize), &String)> =
        calls.iter().zip(names).filter_map(|(call, name)| Some((call.answer?, name))).collect();
    answered.sort_unstable();
    let mut blocks = Vec::new();
    for ((part, place), name) in answered {
        if part != at + 1 {
            repairs.push(Repair::MovedResult(name.clone()));
        }
        let answer = &mut parts[part].results[place];
        let content = std::mem::take(&mut answer.content);
        blocks.push(Block::ToolResult { tool_use_id: name.clone(), content, is_error: answer.is_error });
    }
    for (call, name) in calls.iter().zip(names).filter(|(call, _)| call.answer.is_none()) {
        repairs.push(Repair::AnsweredCall(call.id.clone()));
        let content = MISSING_RESULT.to_owned();
        blocks.push(Block::ToolResult { tool_use_id: name.clone(), content, is_error: true });
    }
    blocks
}

#[cfg(test)]
mod tests;
