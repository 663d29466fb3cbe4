//! A reply in the making: what all formats have in common.

use std::collections::{HashSet, VecDeque};

use chat::reply::Reasoning;
use chat::{Arguments, ErrorClass, Finish, ModelError, Provider, Reply, ToolCall, Usage};
use serde_json::{Map, Value};

use crate::arguments::{parse_arguments, refuse_if_rounded};
use crate::error::protocol;
use crate::think::{Piece, ThinkFilter};
use crate::wire::Halves;
use crate::{ModelName, ReplyEvent};

/// How many bytes a reply may have in all.
const LIMIT: usize = 64 << 20;

/// What has come of a reply so far, and the events that are to be told of it.
#[derive(Debug)]
pub(crate) struct Draft {
    name: ModelName,
    think: ThinkFilter,
    text: String,
    reasoning: Vec<Reasoning>,
    /// The calls, in the order in which they began.
    pub(crate) calls: Vec<DraftCall>,
    finish: Option<Finish>,
    is_whole: bool,
    is_closed: bool,
    usage: Option<Usage>,
    size: usize,
    events: VecDeque<ReplyEvent>,
    /// What of a character came at the end of an event.
    pub(crate) halves: Halves,
    /// An event held a whole number that is too long to be read as it is.
    pub(crate) has_long_integer: bool,
}

/// A call in the making.
#[derive(Debug, Default)]
pub(crate) struct DraftCall {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) arguments: DraftArguments,
    /// What the vendor wants back with it.
    pub(crate) provider: Option<Value>,
}

/// Arguments as the format brings them.
#[derive(Debug)]
pub(crate) enum DraftArguments {
    /// Text that is JSON when it is whole.
    Text(String),
    /// An object.
    Object(Map<String, Value>),
}

impl Default for DraftArguments {
    fn default() -> Self {
        Self::Text(String::new())
    }
}

impl Draft {
    /// Begins a reply of this model.
    pub(crate) fn new(name: ModelName) -> Self {
        Self {
            name,
            think: ThinkFilter::default(),
            text: String::new(),
            reasoning: Vec::new(),
            calls: Vec::new(),
            finish: None,
            is_whole: false,
            is_closed: false,
            usage: None,
            size: 0,
            events: VecDeque::new(),
            halves: Halves::default(),
            has_long_integer: false,
        }
    }

    /// Takes the next event that is to be told.
    pub(crate) fn next_event(&mut self) -> Option<ReplyEvent> {
        self.events.pop_front()
    }

    /// Whether the last event was made: nothing that follows counts.
    pub(crate) fn is_closed(&self) -> bool {
        self.is_closed
    }

    /// Whether the server gave a sign that the reply is whole.
    pub(crate) fn is_whole(&self) -> bool {
        self.is_whole
    }

    /// The visible text so far.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Whether nothing of the reply came yet.
    pub(crate) fn is_blank(&self) -> bool {
        self.size == 0 && self.reasoning.is_empty() && self.calls.is_empty()
    }

    /// Adds to the text; tags at its start tell reasoning from it.
    pub(crate) fn add_text(&mut self, piece: &str) {
        if self.grow(piece.len()) {
            let mut think = std::mem::take(&mut self.think);
            think.push(piece, &mut |piece| self.add_piece(piece));
            self.think = think;
        }
    }

    /// Adds to the last run of reasoning.
    pub(crate) fn add_reasoning(&mut self, piece: &str) {
        if self.grow(piece.len()) && !piece.is_empty() {
            self.last_run().text.push_str(piece);
            self.events.push_back(ReplyEvent::Reasoning(piece.to_owned()));
        }
    }

    /// Begins a run of reasoning that has vendor data of its own.
    pub(crate) fn begin_reasoning(&mut self) {
        let provider = Some(self.provider(Value::Null));
        self.reasoning.push(Reasoning { text: String::new(), provider });
    }

    /// The vendor data of the last run of reasoning, which is begun where there is none.
    pub(crate) fn reasoning_data(&mut self) -> &mut Value {
        let name = self.name.clone();
        let provider = &mut self.last_run().provider;
        &mut provider.get_or_insert_with(|| provider_of(&name, Value::Null)).data
    }

    /// Adds to the text of a call's arguments; an object that stands there gives way to it.
    pub(crate) fn add_arguments(&mut self, call: usize, piece: &str) {
        if piece.is_empty() || !self.grow(piece.len()) {
            return;
        }
        match &mut self.calls[call].arguments {
            DraftArguments::Text(text) => text.push_str(piece),
            object => *object = DraftArguments::Text(piece.to_owned()),
        }
    }

    /// Notes why the reply ended; only the first reason counts. `None` where the server gives a sign of the end without a reason.
    pub(crate) fn end(&mut self, finish: Option<Finish>) {
        self.is_whole = true;
        self.finish = self.finish.or(finish);
    }

    /// The tokens that were told so far.
    pub(crate) fn usage(&mut self) -> &mut Usage {
        self.usage.get_or_insert_default()
    }

    /// Ends the reply with an error, unless it is over.
    pub(crate) fn fail(&mut self, error: ModelError) {
        if !self.is_closed {
            self.flush_text();
            self.is_closed = true;
            let partial = std::mem::take(&mut self.text);
            self.events.push_back(ReplyEvent::Failed { error, partial });
        }
    }

    /// Ends the reply: nothing follows. What is not whole then fails with `error`.
    pub(crate) fn close(&mut self, error: impl FnOnce() -> ModelError) {
        if self.is_closed {
            return;
        }
        if !self.is_whole {
            return self.fail(error());
        }
        self.flush_text();
        self.is_closed = true;
        let reply = self.take_reply();
        self.events.push_back(ReplyEvent::Finished(reply));
    }

    fn take_reply(&mut self) -> Reply {
        let finish = self.finish;
        // The server said that this is the end, though perhaps not why: what is no JSON then was not cut off here.
        let known_finish = finish.or(Some(Finish::Stop));
        let drafts = std::mem::take(&mut self.calls);
        let named = drafts.into_iter().filter(|draft| !(draft.name.is_empty() && draft.arguments.is_empty()));
        let mut ids = HashSet::new();
        let calls: Vec<ToolCall> = named
            .map(|draft| ToolCall {
                id: unique_id(draft.id, &mut ids),
                name: draft.name.trim().to_owned(),
                arguments: self.checked(draft.arguments.finish(known_finish)),
                provider: draft.provider.map(|data| self.provider(data)),
            })
            .collect();
        let finish = if calls.is_empty() { finish } else { Some(Finish::ToolCalls) };
        let mut reasoning = std::mem::take(&mut self.reasoning);
        reasoning.retain(|run| !run.text.is_empty() || run.provider.as_ref().is_some_and(|own| !own.data.is_null()));
        Reply { text: std::mem::take(&mut self.text), reasoning, calls, finish, usage: self.usage }
    }

    fn checked(&self, arguments: Arguments) -> Arguments {
        if self.has_long_integer { refuse_if_rounded(arguments) } else { arguments }
    }

    fn add_piece(&mut self, piece: Piece<'_>) {
        match piece {
            Piece::Text(piece) => {
                self.text.push_str(piece);
                self.events.push_back(ReplyEvent::Text(piece.to_owned()));
            }
            Piece::Reasoning(piece) => {
                self.last_run().text.push_str(piece);
                self.events.push_back(ReplyEvent::Reasoning(piece.to_owned()));
            }
        }
    }

    fn flush_text(&mut self) {
        let mut think = std::mem::take(&mut self.think);
        think.finish(&mut |piece| self.add_piece(piece));
    }

    fn last_run(&mut self) -> &mut Reasoning {
        if self.reasoning.is_empty() {
            self.begin_reasoning();
        }
        self.reasoning.last_mut().expect("it was begun above")
    }

    /// Counts what comes, and whether it still does.
    fn grow(&mut self, more: usize) -> bool {
        self.size += more;
        if self.size > LIMIT {
            self.fail(protocol("the reply is larger than 64 MiB"));
        }
        !self.is_closed
    }

    fn provider(&self, data: Value) -> Provider {
        provider_of(&self.name, data)
    }
}

fn provider_of(name: &ModelName, data: Value) -> Provider {
    Provider { vendor: name.vendor.clone(), model: name.model.clone(), data }
}

impl DraftArguments {
    fn is_empty(&self) -> bool {
        match self {
            Self::Text(text) => text.trim().is_empty(),
            Self::Object(object) => object.is_empty(),
        }
    }

    fn finish(self, finish: Option<Finish>) -> Arguments {
        match self {
            Self::Text(text) => parse_arguments(&text, finish),
            Self::Object(object) => Arguments::Object(object),
        }
    }
}

/// Keeps an id that is there and new, and makes one otherwise.
fn unique_id(id: String, ids: &mut HashSet<String>) -> String {
    let mut id = id;
    while id.is_empty() || ids.contains(&id) {
        id = format!("call_{:016x}{:08x}", fastrand::u64(..), fastrand::u32(..));
    }
    ids.insert(id.clone());
    id
}

/// The error of a reply whose end never came.
pub(crate) fn truncated() -> ModelError {
    ModelError::new(ErrorClass::Truncated, "the reply was cut off before its end")
}
