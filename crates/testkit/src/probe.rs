//! An actor that hands its messages to the test.

use std::time::Duration;

use ractor::{Actor, ActorProcessingErr, ActorRef, Message};
use tokio::sync::mpsc;

use crate::bound::within_limit;

/// A test's end of an actor whose messages it reads.
pub struct Probe<T: Message> {
    actor: ActorRef<T>,
    received: mpsc::UnboundedReceiver<T>,
}

impl<T: Message> Probe<T> {
    /// Starts the actor, linked to nobody.
    pub async fn spawn() -> Self {
        let (sender, received) = mpsc::unbounded_channel();
        let started = Actor::spawn(None, Forwarder(std::marker::PhantomData), sender).await;
        let (actor, _) = started.expect("an unnamed actor that does nothing at its start can be spawned");
        Self { actor, received }
    }

    /// The actor to hand to what is tested.
    #[must_use]
    pub fn actor(&self) -> ActorRef<T> {
        self.actor.clone()
    }

    /// Waits for the next message.
    pub async fn next(&mut self) -> T {
        let message = within_limit("the next message to a probe", self.received.recv()).await;
        message.expect("the actor lives as long as the probe")
    }

    /// Waits for the first message that is wanted; those before it are dropped.
    pub async fn next_where(&mut self, mut is_wanted: impl FnMut(&T) -> bool) -> T {
        loop {
            let message = self.next().await;
            if is_wanted(&message) {
                return message;
            }
        }
    }

    /// The next message, if it is there by now.
    pub fn try_next(&mut self) -> Option<T> {
        self.received.try_recv().ok()
    }

    /// Fails the test if a message comes within this time. It is meant for paused time, where all that is due happens in it and
    /// no real time passes.
    pub async fn expect_no_message(&mut self, time: Duration) {
        let came = tokio::time::timeout(time, self.received.recv()).await;
        assert!(came.is_err(), "a message came to a probe that expected none");
    }
}

impl<T: Message> Drop for Probe<T> {
    fn drop(&mut self) {
        self.actor.stop(None);
    }
}

struct Forwarder<T>(std::marker::PhantomData<fn() -> T>);

impl<T: Message> Actor for Forwarder<T> {
    type Msg = T;
    type State = mpsc::UnboundedSender<T>;
    type Arguments = mpsc::UnboundedSender<T>;

    async fn pre_start(&self, _me: ActorRef<T>, sender: Self::State) -> Result<Self::State, ActorProcessingErr> {
        Ok(sender)
    }

    async fn handle(&self, _me: ActorRef<T>, message: T, sender: &mut Self::State) -> Result<(), ActorProcessingErr> {
        // A probe that is gone wants no more messages.
        let _ = sender.send(message);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn messages_come_in_order() {
        let mut probe = Probe::<u32>::spawn().await;

        probe.actor().cast(1).expect("it runs");
        probe.actor().cast(2).expect("it runs");

        assert_eq!((probe.next().await, probe.next().await), (1, 2));
        assert_eq!(probe.try_next(), None);
    }

    #[tokio::test]
    async fn messages_before_the_wanted_one_are_dropped() {
        let mut probe = Probe::<u32>::spawn().await;

        for message in [1, 2, 3] {
            probe.actor().cast(message).expect("it runs");
        }

        assert_eq!(probe.next_where(|message| *message > 1).await, 2);
        assert_eq!(probe.next().await, 3);
    }

    #[tokio::test(start_paused = true)]
    async fn silence_is_silence_for_as_long_as_it_was_asked_for() {
        let mut probe = Probe::<u32>::spawn().await;
        let _timer = probe.actor().send_after(Duration::from_secs(60), || 1);

        probe.expect_no_message(Duration::from_secs(59)).await;

        assert_eq!(probe.next().await, 1);
    }

    #[tokio::test(start_paused = true)]
    #[should_panic(expected = "expected none")]
    async fn a_message_where_none_was_expected_fails_the_test() {
        let mut probe = Probe::<u32>::spawn().await;
        let _timer = probe.actor().send_after(Duration::from_secs(60), || 1);

        probe.expect_no_message(Duration::from_secs(61)).await;
    }
}
