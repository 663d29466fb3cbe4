//! The door out. Everything that a channel is told passes through here, so that it arrives in the order in which it was said.

use std::collections::HashMap;

use chat::{ChannelName, ConversationKey, DeliveryId, Outbound, Receipt, ToChannel};
use ractor::{Actor, ActorProcessingErr, ActorRef, DerivedActorRef, SupervisionEvent};
use store::{DeliveryState, Ledger, Operation, test_point};
use tokio::sync::oneshot;
use tracing::{debug, warn};

/// The actor that hands everything to the channels.
pub(crate) struct Delivery;

/// What can happen to it.
pub(crate) enum DeliveryMessage {
    /// A channel is there, perhaps anew.
    Attach { channel: ChannelName, adapter: DerivedActorRef<ToChannel> },
    /// This is said once and not kept.
    Say(ToChannel),
    /// This is in the ledger and is to go out.
    Deliver(Outbound),
    /// An earlier process did not get these out.
    Resend(Vec<Outbound>),
    /// Somebody waits until nothing is on its way any more.
    TellWhenSettled(oneshot::Sender<()>),
    /// A channel tells what became of something.
    Receipt(Receipt),
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
    channels: HashMap<ChannelName, DerivedActorRef<ToChannel>>,
    /// What was handed to a channel and has no receipt yet.
    open: HashMap<DeliveryId, ConversationKey>,
    waiter: Option<oneshot::Sender<()>>,
}

impl Actor for Delivery {
    type Msg = DeliveryMessage;
    type State = DeliveryActorState;
    type Arguments = Ledger;

    async fn pre_start(&self, _: ActorRef<Self::Msg>, ledger: Ledger) -> Result<Self::State, ActorProcessingErr> {
        Ok(DeliveryActorState { ledger, channels: HashMap::new(), open: HashMap::new(), waiter: None })
    }

    async fn handle(
        &self,
        _: ActorRef<Self::Msg>,
        message: Self::Msg,
        state: &mut Self::State,
    ) -> Result<(), ActorProcessingErr> {
        match message {
            DeliveryMessage::Attach { channel, adapter } => _ = state.channels.insert(channel, adapter),
            DeliveryMessage::Say(told) => state.say(told),
            DeliveryMessage::Deliver(outbound) => state.deliver(outbound),
            DeliveryMessage::Resend(outbounds) => outbounds.into_iter().for_each(|outbound| state.deliver(outbound)),
            DeliveryMessage::TellWhenSettled(waiter) => state.waiter = Some(waiter),
            DeliveryMessage::Receipt(receipt) => state.settle(receipt),
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
    fn say(&self, told: ToChannel) {
        let Some(adapter) = self.channels.get(&told.key().channel) else {
            debug!("nobody listens on this channel");
            return;
        };
        if adapter.send_message(told).is_err() {
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

    fn settle(&mut self, receipt: Receipt) {
        let (id, state) = match receipt {
            Receipt::Sent(id) => (id, DeliveryState::Sent { platform_id: None }),
            Receipt::Failed { delivery, reason } => (delivery, DeliveryState::Failed { reason }),
            Receipt::Doubtful { delivery, reason } => (delivery, DeliveryState::Doubtful { reason }),
            // Parts come with the services that have them.
            _ => return,
        };
        if self.open.remove(&id).is_none() {
            return;
        }
        test_point("after_send");
        self.ledger.write(Operation::Delivery { id, state }, move |written| {
            if let Err(error) = written {
                warn!(delivery = %id, %error, "what became of a delivery is not on disk");
            }
        });
    }
}
