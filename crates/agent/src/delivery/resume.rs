//! What was not known to be out goes on where it was left: at a start, and when a channel's adapter was started anew.

use chat::{ChannelName, ConversationKey, Outbound, ToChannel, TurnId};
use ractor::DerivedActorRef;
use store::{Ledger, OpenDelivery};
use tracing::{error, info};

use super::{Channel, ChannelKind, DeliveryActorState, DeliveryMessage, Then};

impl DeliveryActorState {
    pub(super) fn attach(
        &mut self,
        channel: ChannelName,
        adapter: DerivedActorRef<ToChannel>,
        kind: ChannelKind,
        then: Then,
    ) {
        self.channels.insert(channel.clone(), Channel { adapter, kind });
        if kind == ChannelKind::Plain {
            return then();
        }
        // Whoever had these is gone.
        self.open.retain(|_, key| key.channel != channel);
        self.then.push((channel.clone(), then));
        self.look_for_open(channel);
    }

    /// Hands over what an earlier process did not get out. Of a chat service's the ledger knows more than who asks.
    pub(super) fn resend(&mut self, outbounds: Vec<Outbound>) {
        let mut services: Vec<ChannelName> = Vec::new();
        for outbound in outbounds {
            let channel = &outbound.key.channel;
            match self.channels.get(channel).map(|known| known.kind) {
                Some(ChannelKind::Service) if self.open.contains_key(&outbound.id) => {}
                Some(ChannelKind::Service) if services.contains(channel) => {}
                Some(ChannelKind::Service) => services.push(channel.clone()),
                Some(ChannelKind::Plain) | None => self.deliver(outbound),
            }
        }
        services.into_iter().for_each(|channel| self.look_for_open(channel));
    }

    fn look_for_open(&mut self, channel: ChannelName) {
        if let Some(again) = self.reading.get_mut(&channel) {
            *again = true;
            return;
        }
        self.reading.insert(channel.clone(), false);
        let (ledger, myself) = (self.ledger.clone(), self.myself.clone());
        tokio::spawn(async move {
            let (open, showing) = read(ledger, channel.clone()).await.unwrap_or_else(|error| {
                error!(%channel, error, "what is open on a channel cannot be read; it stays open");
                (Vec::new(), Vec::new())
            });
            let _ = myself.cast(DeliveryMessage::Found { channel, open, showing });
        });
    }

    pub(super) fn found(
        &mut self,
        channel: &ChannelName,
        open: Vec<OpenDelivery>,
        showing: Vec<(ConversationKey, TurnId, String)>,
    ) {
        let (now, later) = std::mem::take(&mut self.then).into_iter().partition(|(of, _)| of == channel);
        self.then = later;
        let now: Vec<(ChannelName, Then)> = now;
        if !now.is_empty() {
            for (key, turn, platform_id) in showing {
                self.say(ToChannel::Placeholder { key, turn, platform_id });
            }
            now.into_iter().for_each(|(_, then)| then());
        }
        let is_news = |open: &OpenDelivery| {
            !self.open.contains_key(&open.outbound.id) && !self.settled.contains(&open.outbound.id)
        };
        let open: Vec<OpenDelivery> = open.into_iter().filter(is_news).collect();
        if !open.is_empty() {
            info!(%channel, deliveries = open.len(), "going on with what was not known to be out");
        }
        for OpenDelivery { outbound, placeholder, parts } in open {
            self.open.insert(outbound.id, outbound.key.clone());
            self.say(ToChannel::Resume { outbound, placeholder, parts });
        }
        if self.reading.remove(channel) == Some(true) {
            self.look_for_open(channel.clone());
        }
        if self.reading.is_empty() {
            self.settled.clear();
        }
    }
}

/// Deliveries that are open, and the messages that show turns at work.
type Found = (Vec<OpenDelivery>, Vec<(ConversationKey, TurnId, String)>);

/// Reads after all that was written so far.
async fn read(ledger: Ledger, channel: ChannelName) -> Result<Found, String> {
    ledger.flushed().await.map_err(|error| error.to_string())?;
    let read = tokio::task::spawn_blocking(move || {
        let open = ledger.open_deliveries(&channel)?;
        Ok::<_, store::ReadError>((open, ledger.placeholders(&channel)?))
    });
    read.await.map_err(|error| error.to_string())?.map_err(|error| error.to_string())
}
