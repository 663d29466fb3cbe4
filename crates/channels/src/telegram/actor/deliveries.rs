//! Answers out: rendered, put on disk in parts, and sent part by part, in order within a conversation.

use std::collections::{HashMap, VecDeque};

use chat::{ConversationKey, DeliveryId, Outbound, OutboundBody, PartState, Receipt, StoredPart, TurnId};
use tokio::time::Duration;
use tracing::{debug, warn};

use super::Message;
use super::courier::{Call, Done, FileContent, What};
use super::session::{Purpose, Session};
use super::turns::Ended;
use crate::pacing::Class;
use crate::telegram::client::Trouble;
use crate::telegram::render::{self, Content, Part, Target};
use crate::wording::Text;

/// What is not allowed is tried so often, with growing pauses: rights come back.
const MOST_ATTEMPTS: u32 = 10;

/// What is being delivered.
#[derive(Default)]
pub(super) struct Deliveries {
    open: HashMap<DeliveryId, Delivery>,
    /// The deliveries of each conversation; the first is under way.
    order: HashMap<ConversationKey, VecDeque<DeliveryId>>,
}

struct Delivery {
    outbound: Outbound,
    /// The message of its turn, known from an earlier process.
    placeholder: Option<i32>,
    stored: Vec<StoredPart>,
    parts: Vec<(Part, PartState)>,
    attempts: u32,
    /// The message to shrink when all is out.
    shrink: Option<i32>,
    is_sending: bool,
}

impl Delivery {
    fn turn(&self) -> Option<TurnId> {
        match self.outbound.body {
            OutboundBody::TurnFinished { turn, .. } => Some(turn),
            _ => None,
        }
    }

    /// The part that is sent next.
    fn next(&self) -> Option<usize> {
        self.parts.iter().position(|(_, state)| !matches!(state, PartState::Sent(_)))
    }
}

impl Session {
    pub(super) fn deliver(&mut self, outbound: Outbound, placeholder: Option<String>, stored: Vec<StoredPart>) {
        let (id, key) = (outbound.id, outbound.key.clone());
        if self.deliveries.open.contains_key(&id) {
            return;
        }
        let delivery = Delivery {
            outbound,
            placeholder: placeholder.and_then(|id| id.parse().ok()),
            stored,
            parts: Vec::new(),
            attempts: 0,
            shrink: None,
            is_sending: false,
        };
        // What is shown of a turn ends at once, even where its answer waits for another.
        if let Some(turn) = delivery.turn().filter(|turn| self.turns.contains_key(turn)) {
            let _ = self.end_turn(turn);
        }
        self.deliveries.open.insert(id, delivery);
        let order = self.deliveries.order.entry(key).or_default();
        order.push_back(id);
        if order.len() == 1 {
            self.begin_delivery(id);
        }
    }

    fn begin_delivery(&mut self, id: DeliveryId) {
        let Some(delivery) = self.deliveries.open.get(&id) else { return };
        let ended = match delivery.turn().map(|turn| self.end_turn(turn)) {
            None => Ended::default(),
            Some(Ok(ended)) => ended,
            // It goes on when it is known what became of the placeholder.
            Some(Err(())) => return,
        };
        self.render(id, ended);
    }

    /// It is known now whether a turn that is over has a message.
    pub(super) fn placeholder_settled(&mut self, turn: TurnId) {
        let mut deliveries = self.deliveries.open.iter();
        let waiting = deliveries.find(|(_, it)| it.turn() == Some(turn) && it.parts.is_empty()).map(|(id, _)| *id);
        let is_first = |id: &DeliveryId| self.deliveries.order.values().any(|order| order.front() == Some(id));
        if let Some(id) = waiting.filter(is_first) {
            self.begin_delivery(id);
        }
    }

    fn render(&mut self, id: DeliveryId, ended: Ended) {
        let Some(delivery) = self.deliveries.open.get(&id) else { return };
        let key = delivery.outbound.key.clone();
        let language = self.language(&key);
        let placeholder = ended.placeholder.or(delivery.placeholder);
        let is_group = self.place(&key).is_some_and(|(chat, _)| chat < 0);
        let is_long = ended.age >= self.arguments.tempo.long_turn;
        let target = Target {
            edit: placeholder.filter(|_| !is_long),
            reply_to: delivery.outbound.reply_to.as_ref().filter(|_| is_group).and_then(|id| id.0.parse().ok()),
        };
        let rendered = render::delivery(&delivery.outbound, target, language);
        let Some(delivery) = self.deliveries.open.get_mut(&id) else { return };
        let stored: Option<Vec<_>> = std::mem::take(&mut delivery.stored).into_iter().map(read_part).collect();
        let is_stored = stored.as_ref().is_some_and(|parts| !parts.is_empty());
        delivery.parts = match stored.filter(|_| is_stored) {
            Some(parts) => parts,
            None => rendered.into_iter().map(|part| (part, PartState::Planned)).collect(),
        };
        let is_taken = delivery.parts.iter().any(|(part, _)| part.edit.is_some() && part.edit == placeholder);
        delivery.shrink = placeholder.filter(|_| !is_taken);
        if delivery.parts.is_empty() {
            return self.say_nothing(id, placeholder);
        }
        if is_stored {
            return self.send_next(id);
        }
        let parts = delivery.parts.iter().map(|(part, _)| serde_json::to_string(part).unwrap_or_default()).collect();
        self.tell(Receipt::Rendered { delivery: id, parts });
    }

    /// A turn that ends without a word leaves nothing behind.
    fn say_nothing(&mut self, id: DeliveryId, placeholder: Option<i32>) {
        let key = self.deliveries.open.get(&id).map(|it| it.outbound.key.clone());
        if let (Some(message), Some((chat, _))) = (placeholder, key.and_then(|key| self.place(&key))) {
            let call = Call { chat, clearance: None, what: What::Delete { message } };
            self.submit(Class::Status, None, call);
        }
        if let Some(delivery) = self.deliveries.open.get_mut(&id) {
            delivery.shrink = None;
        }
        self.finish(id, Receipt::Sent(id));
    }

    pub(super) fn parts_stored(&mut self, id: DeliveryId) {
        if self.deliveries.open.get(&id).is_some_and(|it| !it.is_sending && it.attempts == 0) {
            self.send_next(id);
        }
    }

    /// Sends the first part that is not out.
    pub(super) fn send_next(&mut self, id: DeliveryId) {
        let Some(delivery) = self.deliveries.open.get(&id).filter(|it| !it.is_sending) else { return };
        let Some(at) = delivery.next() else { return self.finish(id, Receipt::Sent(id)) };
        let key = delivery.outbound.key.clone();
        let Some((chat, thread)) = self.place(&key) else {
            let reason = format!("{key} is no chat of Telegram");
            return self.finish(id, Receipt::Failed { delivery: id, reason });
        };
        let is_question = matches!(delivery.outbound.body, OutboundBody::Question { .. });
        let (part, state) = delivery.parts[at].clone();
        let part_number = u32::try_from(at).unwrap_or(u32::MAX);
        let language = self.language(&key);
        let may_be_repeat = state == PartState::Sending && part.edit.is_none();
        let what = match (part.content, part.edit) {
            (Content::Html(html), Some(message)) => What::Edit { message, html, buttons: part.buttons },
            (Content::Html(html), None) => {
                let html = if may_be_repeat { render::marked(&html, language) } else { html };
                What::Send { thread, html, reply_to: part.reply_to, buttons: part.buttons }
            }
            (Content::File { name, text }, _) => {
                let caption = may_be_repeat.then(|| Text::MayBeRepeat.say(language));
                What::File { thread, name, content: FileContent::Text(text), caption, reply_to: part.reply_to }
            }
            (Content::Copy { name, path, caption }, _) => {
                let mark = may_be_repeat.then(|| Text::MayBeRepeat.say(language));
                let said: Vec<String> = caption.into_iter().chain(mark).collect();
                let caption = (!said.is_empty()).then(|| said.join("\n"));
                What::File { thread, name, content: FileContent::Stored(path), caption, reply_to: part.reply_to }
            }
        };
        // An edit may be made twice; what becomes a new message is on disk as being sent before it is.
        let clearance = part.edit.is_none().then_some((id, part_number));
        if clearance.is_none() {
            self.tell(Receipt::PartSending { delivery: id, part: part_number });
        }
        if let Some(delivery) = self.deliveries.open.get_mut(&id) {
            delivery.is_sending = true;
        }
        let class = if is_question { Class::Approval } else { Class::Final };
        self.submit(class, Some(Purpose::Part(id)), Call { chat, clearance, what });
    }

    pub(super) fn part_made(&mut self, id: DeliveryId, done: Done) {
        let Some(delivery) = self.deliveries.open.get_mut(&id) else { return };
        delivery.is_sending = false;
        let Some(at) = delivery.next() else { return };
        let (part, state) = &mut delivery.parts[at];
        match done {
            Ok(message) => self.part_sent(id, at, message),
            Err(Trouble::NotModified) => {
                let message = part.edit;
                self.part_sent(id, at, message);
            }
            Err(Trouble::NotFound | Trouble::Refused(_) | Trouble::Forbidden(_)) if part.edit.is_some() => {
                // What should have taken the text is gone; it comes anew.
                part.edit = None;
                self.send_next(id);
            }
            Err(Trouble::Unknown(why)) if part.edit.is_none() && *state == PartState::Sending => {
                warn!(delivery = %id, why, "whether a message arrived was not learnt, twice");
                self.finish(id, Receipt::Doubtful { delivery: id, reason: why });
            }
            Err(trouble) => self.part_failed(id, at, trouble),
        }
    }

    fn part_failed(&mut self, id: DeliveryId, at: usize, trouble: Trouble) {
        let Some(delivery) = self.deliveries.open.get_mut(&id) else { return };
        let attempts = delivery.attempts;
        match &trouble {
            Trouble::Unknown(_) => delivery.parts[at].1 = PartState::Sending,
            Trouble::Unreached(_) | Trouble::Unauthorized | Trouble::Conflict(_) | Trouble::Cancelled => {}
            Trouble::Forbidden(_) if attempts < MOST_ATTEMPTS => {}
            _ => {
                let reason = trouble.to_string();
                return self.finish(id, Receipt::Failed { delivery: id, reason });
            }
        }
        delivery.attempts += 1;
        if attempts == 0 {
            warn!(delivery = %id, %trouble, "a message could not be sent; it will be tried again");
        }
        let tempo = &self.arguments.tempo;
        let pause = tempo.first_pause.saturating_mul(1 << attempts.min(16)).min(tempo.longest_pause);
        self.myself.send_after(jittered(pause), move || Message::Retry(id));
    }

    fn part_sent(&mut self, id: DeliveryId, at: usize, message: Option<i32>) {
        let Some(delivery) = self.deliveries.open.get_mut(&id) else { return };
        let number = message.or(delivery.parts[at].0.edit);
        let platform_id = number.map(|number| number.to_string()).unwrap_or_default();
        delivery.parts[at].1 = PartState::Sent(platform_id.clone());
        delivery.attempts = 0;
        let key = delivery.outbound.key.clone();
        self.conversation(&key).last_said = number;
        let part = u32::try_from(at).unwrap_or(u32::MAX);
        self.tell(Receipt::PartSent { delivery: id, part, platform_id });
        self.send_next(id);
    }

    fn finish(&mut self, id: DeliveryId, receipt: Receipt) {
        let Some(delivery) = self.deliveries.open.remove(&id) else { return };
        debug!(delivery = %id, ?receipt, "a delivery is done with");
        self.tell(receipt);
        let key = delivery.outbound.key.clone();
        if let Some(turn) = delivery.turn() {
            self.forget_turn(turn, delivery.shrink, &key);
        }
        let next = self.deliveries.order.get_mut(&key).and_then(|order| {
            order.retain(|other| *other != id);
            order.front().copied()
        });
        match next {
            Some(next) => self.begin_delivery(next),
            None => _ = self.deliveries.order.remove(&key),
        }
    }
}

/// A part as it was kept; `None` where an older program wrote it in another form.
fn read_part(stored: StoredPart) -> Option<(Part, PartState)> {
    Some((serde_json::from_str(&stored.payload).ok()?, stored.state))
}

fn jittered(pause: Duration) -> Duration {
    pause.mul_f64(1.0 + fastrand::f64() / 4.0)
}
