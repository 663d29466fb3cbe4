//! A place where a fake waits until the test lets it go on.

use std::sync::Arc;

use tokio::sync::watch;

use crate::bound::within_limit;

/// Holds a stream, a model or a tool back until it is opened, and tells when someone has come to it.
#[derive(Clone, Debug)]
pub struct Gate {
    state: Arc<watch::Sender<State>>,
}

#[derive(Clone, Copy, Debug, Default)]
struct State {
    open: bool,
    arrivals: usize,
}

impl Default for Gate {
    fn default() -> Self {
        Self::new()
    }
}

impl Gate {
    /// Makes a closed gate.
    #[must_use]
    pub fn new() -> Self {
        Self { state: Arc::new(watch::Sender::new(State::default())) }
    }

    /// Lets all pass, now and later.
    pub fn open(&self) {
        self.state.send_modify(|state| state.open = true);
    }

    /// Waits until someone has come to the gate.
    pub async fn reached(&self) {
        self.reached_by(1).await;
    }

    /// Waits until so many have come to the gate.
    pub async fn reached_by(&self, arrivals: usize) {
        let mut changes = self.state.subscribe();
        let arrived = changes.wait_for(|state| state.arrivals >= arrivals);
        within_limit("coming to a gate", arrived).await.expect("the sender is held by self");
    }

    /// Comes to the gate and waits until it is open: what fakes do.
    pub async fn pass(&self) {
        self.state.send_modify(|state| state.arrivals += 1);
        self.state.subscribe().wait_for(|state| state.open).await.expect("the sender is held by self");
    }
}
