//! What waits to be handed in: pieces that belong together become one message, files are fetched first, and nothing overtakes
//! another message of its conversation.

#[cfg(test)]
mod tests;

use std::collections::{HashMap, VecDeque};

use chat::{Attachment, ConversationKey, Inbound, Place};
use tokio::time::{Duration, Instant};

use super::decode::{FileRef, Piece};

/// What is to be done next.
#[derive(Debug, PartialEq)]
pub(super) enum Step {
    /// A message is whole; it came in these updates.
    Hand(Box<Inbound>, Vec<i64>),
    /// Its files are to be fetched.
    Fetch { serial: u64, files: Vec<FileRef> },
    /// More of it may come until then.
    WaitUntil(Instant),
}

/// All that waits.
#[derive(Debug)]
pub(super) struct Waiting {
    join: Duration,
    conversations: HashMap<ConversationKey, VecDeque<Pending>>,
    serials: u64,
}

#[derive(Debug)]
struct Pending {
    serial: u64,
    piece: Piece,
    updates: Vec<i64>,
    state: State,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Joining(Instant),
    Fetching,
    Whole,
}

impl Waiting {
    pub(super) fn new(join: Duration) -> Self {
        Self { join, conversations: HashMap::new(), serials: 0 }
    }

    /// Takes in a piece; what follows from it is told by [`Waiting::advance`].
    pub(super) fn add(&mut self, piece: Piece, update: i64, now: Instant) {
        self.serials += 1;
        let queue = self.conversations.entry(piece.inbound.key.clone()).or_default();
        let until = now + self.join;
        if let Some(last) = queue.back_mut()
            && matches!(last.state, State::Joining(_))
        {
            if belongs_to(&last.piece, &piece) {
                last.state = State::Joining(until);
                last.updates.push(update);
                return merge(&mut last.piece, piece);
            }
            last.state = State::Joining(now);
        }
        // More may follow an album's picture, a text that was cut off, and what is passed on from elsewhere.
        let may_grow = piece.album.is_some() || piece.is_long || piece.is_forwarded;
        let state = State::Joining(if may_grow { until } else { now });
        queue.push_back(Pending { serial: self.serials, piece, updates: vec![update], state });
    }

    /// The files of a message are here.
    pub(super) fn fetched(&mut self, key: &ConversationKey, serial: u64, attachments: Vec<Attachment>) {
        let queue = self.conversations.get_mut(key);
        if let Some(pending) = queue.and_then(|queue| queue.iter_mut().find(|pending| pending.serial == serial)) {
            pending.piece.inbound.attachments = attachments;
            pending.state = State::Whole;
        }
    }

    /// What is to be done in a conversation now.
    pub(super) fn advance(&mut self, key: &ConversationKey, now: Instant) -> Vec<Step> {
        let mut steps = Vec::new();
        let Some(queue) = self.conversations.get_mut(key) else { return steps };
        for pending in queue.iter_mut() {
            match pending.state {
                State::Joining(until) if until > now => steps.push(Step::WaitUntil(until)),
                State::Joining(_) if pending.piece.files.is_empty() => pending.state = State::Whole,
                State::Joining(_) => {
                    pending.state = State::Fetching;
                    steps.push(Step::Fetch { serial: pending.serial, files: pending.piece.files.clone() });
                }
                State::Fetching | State::Whole => {}
            }
        }
        while queue.front().is_some_and(|first| first.state == State::Whole) {
            let whole = queue.pop_front().into_iter();
            steps.extend(whole.map(|whole| Step::Hand(Box::new(whole.piece.inbound), whole.updates)));
        }
        if queue.is_empty() {
            self.conversations.remove(key);
        }
        steps
    }
}

/// Whether a piece is more of what came before it.
fn belongs_to(before: &Piece, piece: &Piece) -> bool {
    let is_album = before.album.is_some() && before.album == piece.album;
    let is_rest = before.is_long && piece.album.is_none() && piece.files.is_empty();
    let is_passed_on = before.is_forwarded && piece.is_forwarded;
    before.inbound.person.id == piece.inbound.person.id && (is_album || is_rest || is_passed_on)
}

fn merge(before: &mut Piece, piece: Piece) {
    let (inbound, more) = (&mut before.inbound, piece.inbound);
    if !inbound.text.is_empty() && !more.text.is_empty() {
        inbound.text.push('\n');
    }
    inbound.text += &more.text;
    if more.place == (Place::Group { addressed: true }) {
        inbound.place = more.place;
    }
    if inbound.quoted.is_none() {
        inbound.quoted = more.quoted;
    }
    before.files.extend(piece.files);
    before.is_long = piece.is_long;
}
