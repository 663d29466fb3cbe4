//! Which call a piece of a call belongs to. The format says: the one with its `index`. Servers leave the index out, or write 0 always,
//! or give two calls one id, or each piece a new one; so every sign is weighed.

use serde::de::IgnoredAny;

use super::chunk::{CallDelta, FunctionDelta};
use crate::draft::{Draft, DraftArguments, DraftCall};
use crate::wire::{Content, Number, Text};

/// The calls of one reply, as the wire numbers them.
#[derive(Debug)]
pub(super) struct Calls {
    /// The names of the tools that were offered.
    declared: Vec<String>,
    /// For each call of the draft, in the same order.
    slots: Vec<Slot>,
    chunk: u64,
}

#[derive(Debug)]
struct Slot {
    index: Option<u64>,
    /// The chunk that last added to it.
    chunk: u64,
}

/// Where a piece goes.
#[derive(Debug, PartialEq)]
enum Route {
    NewCall,
    Call(usize),
    /// It was there before.
    Nowhere,
}

/// A piece, however its server wraps it.
struct Piece<'p> {
    index: Option<u64>,
    id: &'p str,
    name: &'p str,
    arguments: Arguments<'p>,
}

/// The piece of arguments as text; one that came as an object is whole.
enum Arguments<'p> {
    Text(&'p str),
    Whole(String),
}

impl Arguments<'_> {
    fn as_str(&self) -> &str {
        match self {
            Self::Text(text) => text,
            Self::Whole(text) => text,
        }
    }
}

impl Calls {
    pub(super) fn new(declared: Vec<String>) -> Self {
        Self { declared, slots: Vec::new(), chunk: 0 }
    }

    /// Notes that the pieces that follow stand in one chunk: there no call has two.
    pub(super) fn begin_chunk(&mut self) {
        self.chunk += 1;
    }

    /// Takes a piece of a call.
    pub(super) fn take(&mut self, delta: &CallDelta<'_>, draft: &mut Draft) {
        let empty = FunctionDelta::default();
        let function = delta.function.as_ref().unwrap_or(&empty);
        self.take_piece(&piece(&delta.id, delta.index, function), draft);
    }

    /// Takes a piece of the one call of the older form.
    pub(super) fn take_function(&mut self, function: &FunctionDelta<'_>, draft: &mut Draft) {
        let id = Text::default();
        self.take_piece(&piece(&id, Number(Some(u64::MAX)), function), draft);
    }

    fn take_piece(&mut self, piece: &Piece<'_>, draft: &mut Draft) {
        match self.route(piece, &draft.calls) {
            Route::Nowhere => {}
            Route::Call(at) => self.add(at, piece, draft),
            Route::NewCall => {
                self.slots.push(Slot { index: piece.index, chunk: self.chunk });
                draft.calls.push(DraftCall::default());
                self.add(draft.calls.len() - 1, piece, draft);
            }
        }
    }

    fn add(&mut self, at: usize, piece: &Piece<'_>, draft: &mut Draft) {
        self.slots[at].chunk = self.chunk;
        let call = &mut draft.calls[at];
        if call.id.is_empty() {
            piece.id.clone_into(&mut call.id);
        }
        call.name = self.join_names(std::mem::take(&mut call.name), piece.name);
        let more = piece.arguments.as_str();
        // An empty object in front is what some servers begin with, not a part of the arguments.
        if text_of(call).trim() == "{}" && more.starts_with('{') {
            call.arguments = DraftArguments::default();
        }
        draft.add_arguments(at, more);
    }

    fn route(&self, piece: &Piece<'_>, calls: &[DraftCall]) -> Route {
        let Some(last) = calls.len().checked_sub(1) else { return Route::NewCall };
        let same_index = piece.index.and_then(|index| self.slots.iter().rposition(|slot| slot.index == Some(index)));
        let same_id = calls.iter().rposition(|call| !piece.id.is_empty() && call.id == piece.id);
        let call = match (same_index, same_id) {
            (Some(at), _) => at,
            // The same id at another index, or twice in one chunk, is another call that was given no id of its own.
            (None, Some(at)) if piece.index.is_none() && self.slots[at].chunk != self.chunk => at,
            (None, None) if self.continues(piece, &calls[last]) => last,
            _ => return Route::NewCall,
        };
        self.weigh(call, piece, &calls[call])
    }

    /// Whether a piece with neither a known index nor a known id may belong to the last call.
    fn continues(&self, piece: &Piece<'_>, last: &DraftCall) -> bool {
        match (piece.index, piece.id.is_empty()) {
            (None, true) => true,
            // Without a name it is no call of its own.
            (None, false) => piece.name.is_empty(),
            (Some(_), true) => piece.name.is_empty() && !text_of(last).is_empty() && !text_of(last).ends_with('}'),
            (Some(_), false) => false,
        }
    }

    /// Decides between the call that index or id point to, and a new one.
    fn weigh(&self, at: usize, piece: &Piece<'_>, call: &DraftCall) -> Route {
        if piece.name.is_empty() {
            return if is_repeat(piece, call) { Route::Nowhere } else { Route::Call(at) };
        }
        let other_id = !piece.id.is_empty() && !call.id.is_empty() && piece.id != call.id;
        let begins_again = piece.arguments.as_str().trim_start().starts_with('{') && is_complete(call);
        let is_unmarked = piece.id.is_empty() && piece.index.is_none();
        let shares_chunk = self.slots[at].chunk == self.chunk && (is_unmarked || begins_again);
        if other_id || shares_chunk || self.is_other_name(piece.name, call) {
            return Route::NewCall;
        }
        let is_seeded = text_of(call).trim() == "{}" && !piece.id.is_empty();
        match begins_again {
            true if is_repeat(piece, call) => Route::Nowhere,
            true if !is_seeded => Route::NewCall,
            _ => Route::Call(at),
        }
    }

    /// Whether a name cannot be a repeat or a part of the name of `call`.
    fn is_other_name(&self, name: &str, call: &DraftCall) -> bool {
        let known = call.name.as_str();
        let fits = known.is_empty()
            || known == name
            || (name.starts_with(known) && !self.is_declared(known))
            || self.is_begin(&format!("{known}{name}"));
        !fits && (self.is_declared(name) || is_complete(call))
    }

    /// Joins a name and a piece of a name: most often that is the whole name again.
    fn join_names(&self, known: String, piece: &str) -> String {
        let joined = format!("{known}{piece}");
        if known == piece || piece.is_empty() {
            known
        } else if known.is_empty() || self.is_begin(&joined) {
            joined
        } else if piece.starts_with(&known) && !self.is_declared(&known) {
            piece.to_owned()
        } else {
            known
        }
    }

    fn is_declared(&self, name: &str) -> bool {
        self.declared.iter().any(|declared| declared == name)
    }

    fn is_begin(&self, name: &str) -> bool {
        self.declared.iter().any(|declared| declared.starts_with(name))
    }
}

fn piece<'p>(id: &'p Text<'_>, index: Number, function: &'p FunctionDelta<'_>) -> Piece<'p> {
    let arguments = match &function.arguments {
        Content::Nothing => Arguments::Text(""),
        Content::Text(text) => Arguments::Text(text),
        Content::Value(value) => Arguments::Whole(value.to_string()),
    };
    Piece { index: index.0, id: id.as_str(), name: function.name.as_str(), arguments }
}

fn text_of(call: &DraftCall) -> &str {
    match &call.arguments {
        DraftArguments::Text(text) => text,
        DraftArguments::Object(_) => "",
    }
}

/// Whether a piece says all of a finished call's arguments again.
fn is_repeat(piece: &Piece<'_>, call: &DraftCall) -> bool {
    let arguments = piece.arguments.as_str();
    !arguments.is_empty() && arguments == text_of(call) && is_complete(call)
}

/// Whether the arguments of a call are a whole object.
fn is_complete(call: &DraftCall) -> bool {
    let text = text_of(call).trim();
    text.starts_with('{') && text.ends_with('}') && serde_json::from_str::<IgnoredAny>(text).is_ok()
}
