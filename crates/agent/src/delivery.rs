//! The door out. Everything that a channel is told passes through here, so that it arrives in the order in which it was said.

mod receipts;
mod refusals;
mod resume;

use std::collections::{HashMap, HashSet};

use chat::{ChannelName, ConversationKey, DeliveryId, Outbound, Receipt, ToChannel, TurnId};
use ractor::{Actor, ActorProcessingErr, ActorRef, DerivedActorRef, SupervisionEvent};
use store::{Ledger, OpenDelivery, test_point};
use tokio::sync::oneshot;
use tracing::debug;

use self::refusals::Refusals;

/// The actor that hands everything to the channels.
pub(crate) struct Delivery;

/// What can happen to it.
pub(crate) enum DeliveryMessage {
    /// A channel is there, perhaps anew.
    Attach { channel: ChannelName, adapter: DerivedActorRef<ToChannel>, kind: ChannelKind, then: Then },
    /// This is said once and not kept.
    Say(ToChannel),
    /// This is in the ledger and is to go out.
    Deliver(Outbound),
    /// An earlier process did not get these out.
    Resend(Vec<Outbound>),
    /// What of a channel is in the ledger and not known to be out, and which of its messages show turns that go on.
    Found { channel: ChannelName, open: Vec<OpenDelivery>, showing: Vec<(ConversationKey, TurnId, String)> },
    /// Somebody waits until nothing is on its way any more.
    TellWhenSettled(oneshot::Sender<()>),
    /// A channel tells what became of something.
    Receipt(Receipt),
}

/// What is done when a channel knows what an earlier process left there.
pub(crate) type Then = Box<dyn FnOnce() + Send>;

/// What a channel does with what it did not get out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ChannelKind {
    /// It has no memory: what may have been shown is marked and shown again.
    Plain,
    /// A chat service: it goes on where its parts, which are in the ledger, say.
    Service,
}

impl From<Receipt> for DeliveryMessage {
    fn from(receipt: Receipt) -> Self {
        Self::Receipt(receipt)
    }
}

impl TryFrom<DeliveryMessage> for Receipt {
    type Error = &'static str;

    fn try_from(message: DeliveryMessage) -> Result<Self, Self::Error> {
        match message {
            DeliveryMessage::Receipt(receipt) => Ok(receipt),
            _ => Err("not a receipt"),
        }
    }
}

/// What it holds.
pub(crate) struct DeliveryActorState {
    ledger: Ledger,
    myself: ActorRef<DeliveryMessage>,
    channels: HashMap<ChannelName, Channel>,
    /// What was handed to a channel and has no receipt yet.
    open: HashMap<DeliveryId, ConversationKey>,
    /// The channels whose open deliveries are being read, and whether they are to be read again; what got its receipt meanwhile, as
    /// what is being read may still have it as open.
    reading: HashMap<ChannelName, bool>,
    settled: HashSet<DeliveryId>,
    /// What waits until a channel knows what was left there.
    then: Vec<(ChannelName, Then)>,
    refusals: Refusals,
    waiter: Option<oneshot::Sender<()>>,
}

struct Channel {
    adapter: DerivedActorRef<ToChannel>,
    kind: ChannelKind,
}

impl Actor for Delivery {
    type Msg = DeliveryMessage;
    type State = DeliveryActorState;
    type Arguments = Ledger;

    async fn pre_start(&self, myself: ActorRef<Self::Msg>, ledger: Ledger) -> Result<Self::State, ActorProcessingErr> {
        Ok(DeliveryActorState {
            ledger,
            myself,
            channels: HashMap::new(),
            open: HashMap::new(),
            reading: HashMap::new(),
            settled: HashSet::new(),
            then: Vec::new(),
            refusals: Refusals::default(),
            waiter: None,
        })
    }

    async fn handle(
        &self,
        _: ActorRef<Self::Msg>,
        message: Self::Msg,
        state: &mut Self::State,
    ) -> Result<(), ActorProcessingErr> {
        match message {
            DeliveryMessage::Attach { channel, adapter, kind, then } => state.attach(channel, adapter, kind, then),
            DeliveryMessage::Say(told) => state.say(told),
            DeliveryMessage::Deliver(outbound) => state.deliver(outbound),
            DeliveryMessage::Resend(outbounds) => state.resend(outbounds),
            DeliveryMessage::Found { channel, open, showing } => state.found(&channel, open, showing),
            DeliveryMessage::TellWhenSettled(waiter) => state.waiter = Some(waiter),
            DeliveryMessage::Receipt(receipt) => state.receipt(receipt),
        }
        state.tell_if_settled();
        Ok(())
    }

    async fn handle_supervisor_evt(
        &self,
        _: ActorRef<Self::Msg>,
        _: SupervisionEvent,
        _: &mut Self::State,
    ) -> Result<(), ActorProcessingErr> {
        Ok(())
    }
}

impl DeliveryActorState {
    fn say(&mut self, mut told: ToChannel) {
        let Some(channel) = self.channels.get(&told.key().channel) else {
            debug!("nobody listens on this channel");
            return;
        };
        if channel.kind == ChannelKind::Service {
            self.refusals.shorten(&mut told);
        }
        if channel.adapter.send_message(told).is_err() {
            debug!("the channel is down");
        }
    }

    fn deliver(&mut self, outbound: Outbound) {
        if self.open.contains_key(&outbound.id) {
            return;
        }
        self.open.insert(outbound.id, outbound.key.clone());
        test_point("before_send");
        self.say(ToChannel::Deliver(outbound));
    }

    fn tell_if_settled(&mut self) {
        if self.open.is_empty()
            && let Some(waiter) = self.waiter.take()
        {
            // Who asked may have stopped waiting.
            let _ = waiter.send(());
        }
    }
}
