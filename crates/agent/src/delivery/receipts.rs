//! What channels tell of deliveries, on its way to the ledger.

use chat::{ConversationKey, DeliveryId, PartState, Receipt, ToChannel};
use store::{DeliveryState, Operation, test_point};
use tracing::warn;

use super::{DeliveryActorState, DeliveryMessage};

impl DeliveryActorState {
    pub(super) fn receipt(&mut self, receipt: Receipt) {
        match receipt {
            Receipt::Sent(id) => self.settle(id, DeliveryState::Sent { platform_id: None }),
            Receipt::Failed { delivery, reason } => self.settle(delivery, DeliveryState::Failed { reason }),
            Receipt::Doubtful { delivery, reason } => self.settle(delivery, DeliveryState::Doubtful { reason }),
            Receipt::Placeholder { turn, platform_id, .. } => {
                self.keep(Operation::Placeholder { turn, platform_id }, None);
            }
            Receipt::Rendered { delivery, parts } => {
                let stored = self.about(delivery, |key| ToChannel::PartsStored { key, delivery });
                self.keep(Operation::Parts { delivery, parts }, stored);
            }
            Receipt::PartSending { delivery, part } => {
                let cleared = self.about(delivery, |key| ToChannel::PartCleared { key, delivery, part });
                self.keep(Operation::Part { delivery, part, state: PartState::Sending }, cleared);
            }
            Receipt::PartSent { delivery, part, platform_id } => {
                self.keep(Operation::Part { delivery, part, state: PartState::Sent(platform_id) }, None);
            }
        }
    }

    /// What the channel of a delivery is to be told; nothing where it has no delivery of that id.
    fn about(&self, delivery: DeliveryId, told: impl FnOnce(ConversationKey) -> ToChannel) -> Option<ToChannel> {
        self.open.get(&delivery).cloned().map(told)
    }

    /// Writes something, then tells the channel. Where it cannot be written, that is told all the same: a person who waits for an
    /// answer is worse off than one who may see it twice after a crash.
    fn keep(&self, operation: Operation, then: Option<ToChannel>) {
        let myself = self.myself.clone();
        self.ledger.write(operation, move |written| {
            if let Err(error) = written {
                warn!(%error, "how far a delivery is, is not on disk");
            }
            if let Some(told) = then {
                let _ = myself.cast(DeliveryMessage::Say(told));
            }
        });
    }

    /// A receipt of an adapter that is gone is true all the same.
    fn settle(&mut self, id: DeliveryId, state: DeliveryState) {
        self.open.remove(&id);
        if !self.reading.is_empty() {
            self.settled.insert(id);
        }
        test_point("after_send");
        self.ledger.write(Operation::Delivery { id, state }, move |written| {
            if let Err(error) = written {
                warn!(delivery = %id, %error, "what became of a delivery is not on disk");
            }
        });
    }
}
