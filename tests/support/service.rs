//! A chat service in the test's hands: an adapter that speaks the whole vocabulary, and people who write in it.

use std::collections::HashMap;

use agent::{Adapter, Doors};
use chat::{
    Arrival, ChannelName, ChannelNews, ConversationKey, DeliveryId, Inbound, Language, MessageId, Outbound,
    OutboundBody, PartState, Person, PersonRole, Place, Press, Receipt, StoredPart, ToChannel,
};
use ractor::{Actor, ActorCell, ActorProcessingErr, ActorRef};
use testkit::bound::within_limit;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

/// What splits an answer into parts.
const SEAM: &str = "\n---\n";

/// An adapter and the people behind it.
pub(crate) struct Service {
    name: ChannelName,
    doors: Doors,
    actor: ActorRef<ToChannel>,
    told: UnboundedReceiver<ToChannel>,
    /// The number of the last message.
    pub(crate) next_id: u64,
}

/// How an adapter behaves.
#[derive(Clone, Default)]
pub(crate) struct Manner {
    /// It dies once so many parts are out.
    pub(crate) dies_after: Option<usize>,
}

/// One who writes, and where.
#[derive(Clone)]
pub(crate) struct Writer {
    pub(crate) id: &'static str,
    pub(crate) name: &'static str,
    pub(crate) chat: String,
    pub(crate) place: Place,
}

impl Writer {
    pub(crate) fn private(id: &'static str) -> Self {
        Self { id, name: "somebody", chat: id.to_owned(), place: Place::Private }
    }

    /// In a group, with the bot meant.
    pub(crate) fn in_group(id: &'static str, chat: &str) -> Self {
        let place = Place::Group { addressed: true };
        Self { id, name: "somebody", chat: chat.to_owned(), place }
    }

    pub(crate) fn named(self, name: &'static str) -> Self {
        Self { name, ..self }
    }

    pub(crate) fn among_others(self) -> Self {
        Self { place: Place::Group { addressed: false }, ..self }
    }

    fn person(&self) -> Person {
        let (id, name) = (self.id.to_owned(), self.name.to_owned());
        Person { id, name, role: PersonRole::Stranger, language: Language::English }
    }
}

impl Service {
    pub(crate) async fn start(name: &str, doors: Doors, manner: Manner) -> Self {
        let (log, told) = unbounded_channel();
        let state = State { doors: doors.clone(), log, manner, parts: HashMap::new(), out: 0 };
        let (actor, _) = Actor::spawn(None, Fake, state).await.expect("an actor that does nothing at its start");
        Self { name: ChannelName(name.to_owned()), doors, actor, told, next_id: 0 }
    }

    pub(crate) fn name(&self) -> ChannelName {
        self.name.clone()
    }

    pub(crate) fn actor(&self) -> &ActorRef<ToChannel> {
        &self.actor
    }

    pub(crate) fn key(&self, chat: &str) -> ConversationKey {
        ConversationKey { channel: self.name.clone(), bot: "bot".into(), chat: chat.into(), thread: None, person: None }
    }

    /// A message as the adapter decodes it.
    pub(crate) fn inbound(&mut self, writer: &Writer, text: &str) -> Inbound {
        self.next_id += 1;
        let id = MessageId(format!("{}-{}", writer.chat, self.next_id));
        Inbound { place: writer.place, ..Inbound::new(self.key(&writer.chat), id, writer.person(), text) }
    }

    pub(crate) fn says(&mut self, writer: &Writer, text: &str) -> MessageId {
        let inbound = self.inbound(writer, text);
        let id = inbound.id.clone();
        self.arrives(Arrival::Message(inbound));
        id
    }

    /// Changes a message.
    pub(crate) fn edits(&mut self, writer: &Writer, id: &MessageId, text: &str) {
        let mut inbound = self.inbound(writer, text);
        inbound.id = id.clone();
        inbound.edit = Some(self.next_id);
        self.arrives(Arrival::Edited(inbound));
    }

    pub(crate) fn presses(&mut self, writer: &Writer, data: &str) {
        self.next_id += 1;
        let id = MessageId(format!("press-{}", self.next_id));
        let (key, person) = (self.key(&writer.chat), writer.person());
        self.arrives(Arrival::Pressed(Press { key, id, person, place: writer.place, data: data.to_owned() }));
    }

    pub(crate) fn fares(&self, trouble: Option<&str>) {
        let news = ChannelNews::Attempted { trouble: trouble.map(str::to_owned) };
        self.arrives(Arrival::Channel { channel: self.name.clone(), news });
    }

    pub(crate) fn arrives(&self, arrival: Arrival) {
        self.doors.intake.send_message(arrival).expect("intake is up");
    }

    /// The next thing the adapter is told.
    pub(crate) async fn next(&mut self) -> ToChannel {
        within_limit("the adapter is told something", self.told.recv()).await.expect("the adapter runs")
    }

    /// The next thing that passes.
    pub(crate) async fn next_where<T>(&mut self, wanted: impl Fn(ToChannel) -> Option<T>) -> T {
        loop {
            if let Some(found) = wanted(self.next().await) {
                return found;
            }
        }
    }

    /// Waits for something to be delivered.
    pub(crate) async fn delivered(&mut self) -> Outbound {
        self.next_where(|told| match told {
            ToChannel::Deliver(outbound) | ToChannel::Resume { outbound, .. } => Some(outbound),
            _ => None,
        })
        .await
    }

    /// Waits for an answer: the chat and the text.
    pub(crate) async fn answer(&mut self) -> (String, String) {
        loop {
            let outbound = self.delivered().await;
            if let OutboundBody::TurnFinished { outcome, .. } = outbound.body {
                return (outbound.key.chat, outcome.text);
            }
        }
    }

    pub(crate) async fn hears(&mut self, text: &str) {
        assert_eq!(self.answer().await.1, text);
    }

    /// Waits for what a command answers.
    pub(crate) async fn command_answer(&mut self) -> String {
        self.next_where(|told| match told {
            ToChannel::CommandAnswered { text, .. } => Some(text),
            _ => None,
        })
        .await
    }

    /// Waits until a message is refused; what its person is told.
    pub(crate) async fn refusal(&mut self) -> String {
        self.next_where(|told| match told {
            ToChannel::Refused { text, .. } => Some(text),
            _ => None,
        })
        .await
    }

    /// Waits until a press is answered.
    pub(crate) async fn press_answer(&mut self) -> Option<String> {
        self.next_where(|told| match told {
            ToChannel::PressAnswered { text, .. } => Some(text),
            _ => None,
        })
        .await
    }

    /// Waits for a question: its text and what its buttons stand for.
    pub(crate) async fn question(&mut self) -> (String, Vec<String>) {
        loop {
            if let OutboundBody::Question { text, buttons } = self.delivered().await.body {
                return (text, buttons.into_iter().flatten().map(|button| button.data).collect());
            }
        }
    }

    /// Waits for a notice.
    pub(crate) async fn notice(&mut self) -> (String, String) {
        loop {
            let outbound = self.delivered().await;
            if let OutboundBody::Notice { text } = outbound.body {
                return (outbound.key.chat, text);
            }
        }
    }
}

impl Service {
    /// How a keeper starts it: what it is told goes to this log.
    pub(crate) async fn adapter(
        doors: Doors,
        parent: ActorCell,
        log: UnboundedSender<ToChannel>,
        manner: Manner,
    ) -> Adapter {
        let state = State { doors, log, manner, parts: HashMap::new(), out: 0 };
        let (actor, _) = Actor::spawn_linked(None, Fake, state, parent).await.expect("it does nothing at its start");
        Adapter { actor: actor.get_derived(), begin: Box::new(|| {}) }
    }
}

struct Fake;

struct State {
    doors: Doors,
    log: UnboundedSender<ToChannel>,
    manner: Manner,
    parts: HashMap<DeliveryId, Vec<StoredPart>>,
    out: usize,
}

impl Actor for Fake {
    type Msg = ToChannel;
    type State = State;
    type Arguments = State;

    async fn pre_start(&self, _: ActorRef<ToChannel>, state: State) -> Result<State, ActorProcessingErr> {
        Ok(state)
    }

    async fn handle(
        &self,
        _: ActorRef<ToChannel>,
        told: ToChannel,
        state: &mut State,
    ) -> Result<(), ActorProcessingErr> {
        // A test that is over wants to know nothing more.
        let _ = state.log.send(told.clone());
        match told {
            ToChannel::Deliver(outbound) => state.render(&outbound),
            ToChannel::Resume { outbound, parts, .. } if parts.is_empty() => state.render(&outbound),
            ToChannel::Resume { outbound, parts, .. } => {
                state.parts.insert(outbound.id, parts);
                return state.send(outbound.id);
            }
            ToChannel::PartsStored { delivery, .. } => return state.send(delivery),
            _ => {}
        }
        Ok(())
    }
}

impl State {
    fn render(&mut self, outbound: &Outbound) {
        let text = match &outbound.body {
            OutboundBody::TurnFinished { outcome, .. } => outcome.text.clone(),
            OutboundBody::Notice { text } | OutboundBody::Question { text, .. } => text.clone(),
        };
        let parts: Vec<String> = text.split(SEAM).map(str::to_owned).collect();
        let planned = |payload: &String| StoredPart { payload: payload.clone(), state: PartState::Planned };
        self.parts.insert(outbound.id, parts.iter().map(planned).collect());
        self.tells(Receipt::Rendered { delivery: outbound.id, parts });
    }

    fn send(&mut self, delivery: DeliveryId) -> Result<(), ActorProcessingErr> {
        let parts = self.parts.remove(&delivery).expect("it was rendered");
        for (part, stored) in (0..).zip(parts) {
            if matches!(stored.state, PartState::Sent(_)) {
                continue;
            }
            self.tells(Receipt::PartSending { delivery, part });
            if self.manner.dies_after == Some(self.out) {
                return Err("the adapter died".into());
            }
            self.out += 1;
            self.tells(Receipt::PartSent { delivery, part, platform_id: format!("{delivery}/{part}") });
        }
        self.tells(Receipt::Sent(delivery));
        Ok(())
    }

    fn tells(&self, receipt: Receipt) {
        self.doors.delivery.send_message(receipt).expect("delivery is up");
    }
}
