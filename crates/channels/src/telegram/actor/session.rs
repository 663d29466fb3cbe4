//! What the actor knows, and whom it asks.

use std::collections::{HashMap, HashSet, VecDeque};
use std::hash::{DefaultHasher, Hash, Hasher};

use chat::{Arrival, ChannelNews, ConversationKey, DeliveryId, Language, MessageId, Receipt, ToChannel, TurnId};
use ractor::ActorRef;
use tokio::sync::{oneshot, watch};
use tokio::task::AbortHandle;
use tracing::{debug, warn};

use super::Message;
use super::courier::{Call, Done, Telegraph, What, lane};
use super::deliveries::Deliveries;
use super::turns::Turn;
use crate::pacing::{Class, Job, PacingMessage, Ticket};
use crate::telegram::client::{Client, Trouble};
use crate::telegram::decode::{Bot, Context};
use crate::telegram::intake::Waiting;
use crate::telegram::poll::{Episode, Offsets, Poller, Standing};
use crate::telegram::{Arguments, render};

/// So many conversations are remembered; of others the language of the last message is forgotten.
const MOST_KNOWN: usize = 10_000;

/// So many messages of a group are remembered, to answer the right one.
const MOST_RECENT: usize = 32;

pub(crate) struct Session {
    pub(super) arguments: Arguments,
    pub(super) client: Client,
    pub(super) myself: ActorRef<Message>,
    pacing: ActorRef<PacingMessage<Telegraph>>,
    pub(super) context: Context,
    pub(super) offsets: Offsets,
    standing: watch::Sender<Standing>,
    poller: Option<AbortHandle>,
    pub(super) waiting: Waiting,
    /// What was handed in and is not safe, by the updates in which it came.
    pub(super) handed: HashMap<(ConversationKey, MessageId), Vec<i64>>,
    pub(super) conversations: HashMap<ConversationKey, Conversation>,
    tickets: u64,
    purposes: HashMap<Ticket, Purpose>,
    pub(super) turns: HashMap<TurnId, Turn>,
    /// The messages in which an earlier process showed turns that have not been heard of since.
    pub(super) adopted: HashMap<TurnId, i32>,
    pub(super) deliveries: Deliveries,
    /// Parts that wait until that they are being sent is on disk.
    clearances: HashMap<(DeliveryId, u32), oneshot::Sender<()>>,
    /// The new numbers of chats that moved.
    pub(super) moved: HashMap<i64, i64>,
    /// Groups in which an anonymous admin was not answered.
    pub(super) anonymous: HashSet<i64>,
}

/// What is remembered of a conversation.
#[derive(Debug, Default)]
pub(super) struct Conversation {
    pub(super) language: Language,
    /// The last message of the bot.
    pub(super) last_said: Option<i32>,
    /// The last messages of people, each with a hash of its text.
    recent: VecDeque<(i32, u64)>,
}

/// Why a call was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Purpose {
    /// To show a turn for the first time.
    Placeholder(TurnId),
    /// To show it anew.
    Preview(TurnId),
    /// To send a part of a delivery.
    Part(DeliveryId),
}

impl Drop for Session {
    fn drop(&mut self) {
        if let Some(poller) = self.poller.take() {
            poller.abort();
        }
    }
}

impl Session {
    pub(super) fn new(
        arguments: Arguments,
        client: Client,
        pacing: ActorRef<PacingMessage<Telegraph>>,
        myself: ActorRef<Message>,
    ) -> Self {
        let settings = &arguments.settings;
        let context = Context {
            bot: Bot::default(),
            channel: arguments.channel.clone(),
            language: arguments.language,
            shared_groups: settings.shared_groups,
            bare_commands: settings.bare_commands,
            anonymous_admins: settings.anonymous_admins.clone(),
        };
        let standing = watch::Sender::new(Standing { next: 0, is_settled: true });
        let waiting = Waiting::new(arguments.tempo.join);
        Self {
            arguments,
            client,
            myself,
            pacing,
            context,
            offsets: Offsets::default(),
            standing,
            poller: None,
            waiting,
            handed: HashMap::new(),
            conversations: HashMap::new(),
            tickets: 0,
            purposes: HashMap::new(),
            turns: HashMap::new(),
            adopted: HashMap::new(),
            deliveries: Deliveries::default(),
            clearances: HashMap::new(),
            moved: HashMap::new(),
            anonymous: HashSet::new(),
        }
    }

    pub(super) fn start(&mut self) {
        if self.poller.is_some() {
            return;
        }
        let poller = Poller {
            client: self.client.clone(),
            actor: self.myself.clone(),
            standing: self.standing.subscribe(),
            tempo: self.arguments.tempo,
            wait: self.arguments.settings.poll_s,
            episode: Episode::default(),
        };
        self.poller = Some(tokio::spawn(poller.run()).abort_handle());
    }

    pub(super) fn told(&mut self, told: ToChannel) {
        match told {
            ToChannel::Accepted { key, id } => self.settle(&key, &id),
            ToChannel::Refused { key, id, text, .. } => {
                self.settle(&key, &id);
                self.say(&key, &text, Some(&id));
            }
            ToChannel::Joined { key, id, .. } => self.react(&key, &id, "✍"),
            ToChannel::Noticed { key, id } => self.react(&key, &id, "👀"),
            ToChannel::CommandAnswered { key, id, text } => self.say(&key, &text, Some(&id)),
            ToChannel::Progress { key, turn, progress } => self.progress(key, turn, progress),
            ToChannel::Placeholder { turn, platform_id, .. } => self.adopt_placeholder(turn, &platform_id),
            ToChannel::Deliver(outbound) => self.deliver(outbound, None, Vec::new()),
            ToChannel::Resume { outbound, placeholder, parts } => self.deliver(outbound, placeholder, parts),
            ToChannel::PartsStored { delivery, .. } => self.parts_stored(delivery),
            ToChannel::PartCleared { delivery, part, .. } => self.cleared(delivery, part),
            ToChannel::PressAnswered { key, id, text } => self.answer_press(&key, &id, text),
        }
    }

    pub(super) fn known(&mut self, bot: Bot) {
        let names = (bot.id.to_string(), bot.username.clone());
        self.context.bot = bot;
        self.news(ChannelNews::Ready { bot: names });
    }

    pub(super) fn news(&self, news: ChannelNews) {
        self.hand_in(Arrival::Channel { channel: self.arguments.channel.clone(), news });
    }

    /// Hands something in. Where nobody takes it the bot goes down; what it was comes again at the next start.
    pub(super) fn hand_in(&self, arrival: Arrival) {
        if self.arguments.intake.send_message(arrival).is_err() {
            debug!("nobody takes what arrives");
        }
    }

    pub(super) fn tell(&self, receipt: Receipt) {
        if self.arguments.delivery.send_message(receipt).is_err() {
            debug!("nobody takes receipts");
        }
    }

    /// Lets the poller know where it is.
    pub(super) fn publish_standing(&self) {
        let now = self.offsets.standing();
        self.standing.send_if_modified(|standing| std::mem::replace(standing, now) != now);
    }

    /// Lets a call be made when its time has come.
    pub(super) fn submit(&mut self, class: Class, purpose: Option<Purpose>, call: Call) -> Ticket {
        self.tickets += 1;
        let ticket = Ticket(self.tickets);
        if let Some(purpose) = purpose {
            self.purposes.insert(ticket, purpose);
        }
        let replaces = match (purpose, class) {
            (Some(Purpose::Preview(turn)), _) => Some(turn.to_string()),
            (_, Class::Typing) => Some("typing".into()),
            _ => None,
        };
        let job = Job { ticket, lane: lane(call.chat), class, replaces, call };
        // Without its pacing this actor is about to end.
        let _ = self.pacing.cast(PacingMessage::Submit(job));
        ticket
    }

    /// Gives up a call, unless it is being made; either way what became of it is told.
    pub(super) fn cancel(&self, ticket: Ticket) {
        let _ = self.pacing.cast(PacingMessage::Cancel(ticket));
    }

    pub(super) fn made(&mut self, ticket: Ticket, done: Done) {
        match (self.purposes.remove(&ticket), done) {
            (Some(Purpose::Placeholder(turn)), done) => self.placeholder_made(turn, done),
            (Some(Purpose::Preview(turn)), done) => self.preview_made(turn, &done),
            (Some(Purpose::Part(delivery)), done) => self.part_made(delivery, done),
            (None, Ok(_) | Err(Trouble::NotModified | Trouble::Cancelled)) => {}
            (None, Err(trouble)) => debug!(%trouble, "a call came to nothing"),
        }
    }

    /// Says something that is not kept.
    fn say(&mut self, key: &ConversationKey, markdown: &str, reply_to: Option<&MessageId>) {
        let Some((chat, thread)) = self.place(key) else { return };
        let mut reply_to = reply_to.filter(|_| chat < 0).and_then(|id| id.0.parse().ok());
        for html in render::parts(markdown) {
            let what = What::Send { thread, html, reply_to: reply_to.take(), buttons: Vec::new() };
            self.submit(Class::Status, None, Call { chat, clearance: None, what });
        }
    }

    fn react(&mut self, key: &ConversationKey, id: &MessageId, emoji: &'static str) {
        let (Some((chat, _)), Ok(message)) = (self.place(key), id.0.parse()) else { return };
        self.submit(Class::Status, None, Call { chat, clearance: None, what: What::React { message, emoji } });
    }

    fn answer_press(&mut self, key: &ConversationKey, id: &MessageId, text: Option<String>) {
        let Some((chat, _)) = self.place(key) else { return };
        let what = What::AnswerPress { id: id.0.clone(), text };
        self.submit(Class::Question, None, Call { chat, clearance: None, what });
    }

    /// Where a conversation takes place: the chat, and the topic in it.
    pub(super) fn place(&self, key: &ConversationKey) -> Option<(i64, Option<i32>)> {
        let Ok(chat) = key.chat.parse::<i64>() else {
            warn!(%key, "this is no chat of Telegram");
            return None;
        };
        let chat = self.moved.get(&chat).copied().unwrap_or(chat);
        Some((chat, key.thread.as_ref().and_then(|thread| thread.parse().ok())))
    }

    pub(super) fn language(&self, key: &ConversationKey) -> Language {
        let known = self.conversations.get(key).map(|conversation| conversation.language);
        self.arguments.language.or(known).unwrap_or_default()
    }

    pub(super) fn conversation(&mut self, key: &ConversationKey) -> &mut Conversation {
        if self.conversations.len() >= MOST_KNOWN && !self.conversations.contains_key(key) {
            self.conversations.clear();
        }
        self.conversations.entry(key.clone()).or_default()
    }

    /// A part is about to be sent.
    pub(super) fn clear(&mut self, delivery: DeliveryId, part: u32, tell: oneshot::Sender<()>) {
        self.clearances.insert((delivery, part), tell);
        self.tell(Receipt::PartSending { delivery, part });
    }

    fn cleared(&mut self, delivery: DeliveryId, part: u32) {
        if let Some(tell) = self.clearances.remove(&(delivery, part)) {
            // A call that is gone waits for nothing.
            let _ = tell.send(());
        }
    }
}

impl Conversation {
    /// Takes note of a person's message.
    pub(super) fn heard(&mut self, id: &MessageId, text: &str) {
        if self.recent.len() >= MOST_RECENT {
            self.recent.pop_front();
        }
        self.recent.extend(id.0.parse().ok().map(|id| (id, hash(text))));
    }

    /// The message that has this text, else the last one.
    pub(super) fn message_of(&self, text: &str) -> Option<i32> {
        let wanted = hash(text);
        let same = self.recent.iter().rev().find(|(_, hash)| *hash == wanted);
        same.or(self.recent.back()).map(|(id, _)| *id)
    }
}

fn hash(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}
