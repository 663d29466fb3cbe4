//! What the service knows.

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};

use serde_json::{Value, json};
use tokio::time::{Duration, Instant};

use super::fault::Fault;

/// A call of the bot.
#[derive(Clone, Debug)]
pub struct Call {
    /// The method, as it was written.
    pub method: String,
    /// Its parameters.
    pub body: Value,
    /// Since the start of the server.
    pub at: Duration,
}

/// A message in a chat.
#[derive(Clone, Debug, PartialEq)]
pub struct Message {
    /// Its chat.
    pub chat: i64,
    /// Its number.
    pub id: i64,
    /// Whether the bot wrote it.
    pub is_bots: bool,
    /// What is read.
    pub text: String,
    /// What was sent.
    pub markup: String,
    /// The topic it was sent to.
    pub thread: Option<i64>,
    /// The message that it answers.
    pub reply_to: Option<i64>,
    /// What the buttons under it hand back.
    pub buttons: Vec<String>,
    /// What was read of it before.
    pub versions: Vec<String>,
    /// The name and the content of its file.
    pub file: Option<(String, Vec<u8>)>,
    /// Whether it was taken away.
    pub is_deleted: bool,
}

/// A chat as the service sees it.
#[derive(Clone, Debug, Default)]
pub(super) struct ChatState {
    /// Why nothing can be sent there: a code and a text.
    pub(super) closed: Option<(u16, &'static str)>,
    pub(super) moved_to: Option<i64>,
    pub(super) topics: BTreeSet<i64>,
    /// When something was sent there.
    pub(super) sent: VecDeque<Instant>,
}

pub(super) struct State {
    pub(super) token: &'static str,
    pub(super) started: Instant,
    pub(super) updates: VecDeque<(i64, Value)>,
    next_update: i64,
    next_message: i64,
    pub(super) chats: HashMap<i64, ChatState>,
    pub(super) messages: Vec<Message>,
    pub(super) reactions: BTreeMap<(i64, i64), String>,
    pub(super) presses: BTreeSet<String>,
    /// By id: path and content, or just a size that is too large.
    pub(super) files: HashMap<String, (String, Vec<u8>, u64)>,
    pub(super) calls: Vec<Call>,
    pub(super) refusals: Vec<String>,
    /// Method, how often, what.
    pub(super) faults: Vec<(String, usize, Fault)>,
    pub(super) releases: usize,
    /// The number of the last poll; an older one is ended by it.
    pub(super) polls: usize,
    pub(super) webhook: Option<String>,
    /// When something was sent to any chat.
    pub(super) sent: VecDeque<Instant>,
}

impl State {
    pub(super) fn new(token: &'static str) -> Self {
        Self {
            token,
            started: Instant::now(),
            updates: VecDeque::new(),
            next_update: 1000,
            next_message: 1,
            chats: HashMap::new(),
            messages: Vec::new(),
            reactions: BTreeMap::new(),
            presses: BTreeSet::new(),
            files: HashMap::new(),
            calls: Vec::new(),
            refusals: Vec::new(),
            faults: Vec::new(),
            releases: 0,
            polls: 0,
            webhook: None,
            sent: VecDeque::new(),
        }
    }

    /// Puts an update before the bot.
    pub(super) fn push(&mut self, kind: &str, body: Value) {
        let id = self.next_update;
        self.next_update += 1;
        self.updates.push_back((id, json!({ "update_id": id, kind: body })));
    }

    /// The number of the next message. Private chats count together, which a bot must not rely on either way.
    pub(super) fn number(&mut self) -> i64 {
        self.next_message += 1;
        self.next_message - 1
    }

    pub(super) fn standing(&self) -> impl Iterator<Item = &Message> {
        self.messages.iter().filter(|message| message.is_bots && !message.is_deleted)
    }

    pub(super) fn message(&mut self, chat: i64, id: i64) -> Option<&mut Message> {
        self.messages.iter_mut().find(|message| message.chat == chat && message.id == id && !message.is_deleted)
    }

    /// The fault that the next call of this method has.
    pub(super) fn take_fault(&mut self, method: &str) -> Option<Fault> {
        let at = self.faults.iter().position(|(name, ..)| name.eq_ignore_ascii_case(method))?;
        self.faults[at].1 -= 1;
        if self.faults[at].1 == 0 { Some(self.faults.remove(at).2) } else { Some(self.faults[at].2.clone()) }
    }

    /// How many seconds too early something is sent to a chat, if it is. Bursts are borne as far as the averages of the FAQ allow:
    /// 30 a second in all, 20 a minute in a group, and in a private chat one a second over ten seconds (the last is a guess).
    pub(super) fn flood(&mut self, chat: i64) -> Option<u64> {
        let now = Instant::now();
        let (span, most) = if chat < 0 { (60, 20) } else { (10, 15) };
        let wait_all = too_early(&mut self.sent, now, Duration::from_secs(1), 30);
        let sent = &mut self.chats.entry(chat).or_default().sent;
        let wait = wait_all.or_else(|| too_early(sent, now, Duration::from_secs(span), most));
        if wait.is_none() {
            sent.push_back(now);
            self.sent.push_back(now);
        }
        wait
    }
}

fn too_early(sent: &mut VecDeque<Instant>, now: Instant, span: Duration, most: usize) -> Option<u64> {
    while sent.front().is_some_and(|at| now.duration_since(*at) >= span) {
        sent.pop_front();
    }
    let first = sent.front().filter(|_| sent.len() >= most)?;
    Some((span - now.duration_since(*first)).as_secs() + 1)
}
