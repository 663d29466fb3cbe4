//! A reply with calls and the results it waits for: the pair that enters the history whole or not at all.

use std::collections::BTreeSet;
use std::sync::Arc;

use chat::reply::Reasoning;
use chat::{Arguments, Block, Message, Picture, Reply, Role, ToolCall, ToolResult};
use serde_json::{Map, Value};

use crate::breaker::CallKey;
use crate::wording::for_model;

/// A reply whose calls are being worked on. Only [`OpenStep::close`] turns it into messages, both at once.
#[derive(Clone, Debug)]
pub(crate) struct OpenStep {
    message: Message,
    calls: Vec<OpenCall>,
}

/// One call of it.
#[derive(Clone, Debug)]
pub(crate) struct OpenCall {
    pub(crate) call: ToolCall,
    pub(crate) key: CallKey,
    state: CallState,
}

#[derive(Clone, Debug)]
enum CallState {
    Waiting,
    Running {
        /// Whether it is on record that it started.
        is_started: bool,
    },
    Answered(ToolResult),
}

/// A call that runs, or ran when the program ended.
#[derive(Clone, Debug, PartialEq)]
pub struct InFlight {
    /// The call.
    pub call: ToolCall,
    /// Whether [`crate::Input::ToolStarted`] told that it started.
    pub is_started: bool,
}

impl OpenStep {
    /// Takes a reply; `key` tells what the loop breaker knows a call by.
    pub(crate) fn new(reply: Reply, key: impl Fn(&ToolCall) -> CallKey) -> Self {
        let message = assistant_message(&reply);
        let open = |call: ToolCall| OpenCall { key: key(&call), call, state: CallState::Waiting };
        Self { message, calls: reply.calls.into_iter().map(open).collect() }
    }

    /// The first call that was not started yet.
    pub(crate) fn next_waiting(&self) -> Option<&OpenCall> {
        self.calls.iter().find(|open| matches!(open.state, CallState::Waiting))
    }

    /// Whether a call runs.
    pub(crate) fn is_running(&self) -> bool {
        self.calls.iter().any(|open| matches!(open.state, CallState::Running { .. }))
    }

    /// The calls that run.
    pub(crate) fn in_flight(&self) -> Vec<InFlight> {
        let running = self.calls.iter().filter_map(|open| match open.state {
            CallState::Running { is_started } => Some(InFlight { call: open.call.clone(), is_started }),
            _ => None,
        });
        running.collect()
    }

    /// It is on record that a call started.
    pub(crate) fn mark_started(&mut self, id: &str) {
        if let Some(open) = self.calls.iter_mut().find(|open| open.call.id == id)
            && let CallState::Running { is_started } = &mut open.state
        {
            *is_started = true;
        }
    }

    /// The first waiting call runs from now on.
    pub(crate) fn start_next(&mut self) {
        if let Some(open) = self.calls.iter_mut().find(|open| matches!(open.state, CallState::Waiting)) {
            open.state = CallState::Running { is_started: false };
        }
    }

    /// The first waiting call is answered without having run.
    pub(crate) fn answer_next(&mut self, result: ToolResult) {
        if let Some(open) = self.calls.iter_mut().find(|open| matches!(open.state, CallState::Waiting)) {
            open.state = CallState::Answered(result);
        }
    }

    /// Takes the result of a call that has none yet; `None` where there is no such call.
    ///
    /// It need not be running: a journal that another version wrote may have run calls in another order.
    pub(crate) fn finish(&mut self, id: &str, result: ToolResult) -> Option<&OpenCall> {
        let open = self.calls.iter_mut().find(|open| open.call.id == id)?;
        if matches!(open.state, CallState::Answered(_)) {
            return None;
        }
        open.state = CallState::Answered(result);
        Some(open)
    }

    /// Answers all calls that have not started.
    pub(crate) fn answer_waiting(&mut self, text: &str) {
        for open in self.calls.iter_mut().filter(|open| matches!(open.state, CallState::Waiting)) {
            open.state = CallState::Answered(ToolResult::error(text));
        }
    }

    /// Answers all calls that run, and tells which they were.
    pub(crate) fn answer_running(&mut self, text: &str) -> Vec<ToolCall> {
        let mut running = Vec::new();
        for open in self.calls.iter_mut().filter(|open| matches!(open.state, CallState::Running { .. })) {
            open.state = CallState::Answered(ToolResult::error(text));
            running.push(open.call.clone());
        }
        running
    }

    /// The pair: the reply, and the results in the order of the calls, followed by their pictures and what the person added. A call without a
    /// result is answered by `missing`.
    pub(crate) fn close(self, missing: &str, additions: Vec<Block>) -> [Arc<Message>; 2] {
        let pictures: Vec<Block> = self.calls.iter().flat_map(OpenCall::pictures).collect();
        let mut blocks: Vec<Block> = self.calls.into_iter().map(|open| open.into_block(missing)).collect();
        blocks.extend(pictures);
        blocks.extend(additions);
        [Arc::new(self.message), Arc::new(Message { role: Role::User, blocks })]
    }
}

impl OpenCall {
    /// The pictures of its result, each with what it is: where they stand, they could be taken for the person's.
    fn pictures(&self) -> Vec<Block> {
        let CallState::Answered(result) = &self.state else { return Vec::new() };
        let picture = |Picture { media_type, data }: &Picture| Block::Image {
            media_type: media_type.clone(),
            data: data.clone(),
        };
        let shown = result.images.iter().filter(|picture| !picture.data.is_empty());
        shown.flat_map(|image| [Block::hidden(for_model::picture_of(&self.call.name)), picture(image)]).collect()
    }

    fn into_block(self, missing: &str) -> Block {
        let result = match self.state {
            CallState::Answered(result) => result,
            CallState::Waiting | CallState::Running { .. } => ToolResult::error(missing),
        };
        Block::ToolResult { tool_use_id: self.call.id, content: result.content, is_error: result.is_error }
    }
}

/// A reply as a message of the history: what it thought, what it said, what it asked for.
pub(crate) fn assistant_message(reply: &Reply) -> Message {
    let is_thought = |thought: &&Reasoning| !thought.text.trim().is_empty() || thought.provider.is_some();
    let thoughts = reply
        .reasoning
        .iter()
        .filter(is_thought)
        .map(|thought| Block::Thinking { thinking: thought.text.clone(), provider: thought.provider.clone() });
    // Some vendors refuse a blank text.
    let text = (!reply.text.trim().is_empty()).then(|| Block::text(reply.text.as_str()));
    let calls = reply.calls.iter().map(|call| Block::ToolUse {
        id: call.id.clone(),
        name: call.name.clone(),
        input: input_of(&call.arguments),
        provider: call.provider.clone(),
    });
    Message { role: Role::Assistant, blocks: thoughts.chain(text).chain(calls).collect() }
}

fn input_of(arguments: &Arguments) -> Value {
    match arguments {
        Arguments::Object(arguments) => Value::Object(arguments.clone()),
        Arguments::Refused { .. } => Value::Object(Map::new()),
    }
}

/// The ids of calls that a turn has seen. Some servers give every call the same id, and a request must not hold one twice.
#[derive(Clone, Debug, Default)]
pub(crate) struct CallIds(BTreeSet<String>);

impl CallIds {
    /// Renames calls whose id is blank or was there before.
    pub(crate) fn make_unique(&mut self, calls: &mut [ToolCall]) {
        for call in calls {
            if call.id.trim().is_empty() {
                call.id = "call".to_owned();
            }
            if self.0.contains(&call.id) {
                call.id = self.unused(&call.id);
            }
            self.0.insert(call.id.clone());
        }
    }

    fn unused(&self, id: &str) -> String {
        let mut candidates = (self.0.len() + 1..).map(|number| format!("{id}-{number}"));
        candidates.find(|candidate| !self.0.contains(candidate)).expect("the numbers do not end")
    }
}
