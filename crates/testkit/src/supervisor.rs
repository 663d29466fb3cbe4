//! A parent of actors that fails the test when one of them dies unexpectedly. A panic in an actor without a parent is silent.

use ractor::{Actor, ActorCell, ActorProcessingErr, ActorRef, SupervisionEvent};
use tokio::sync::watch;

use crate::bound::within_limit;

/// A test's hold on the parent. When it is dropped it fails the test if a child failed that was not asked for by
/// [`TestSupervisor::failure`].
pub struct TestSupervisor {
    actor: ActorRef<()>,
    failures: watch::Sender<Vec<String>>,
}

impl TestSupervisor {
    /// Starts the parent.
    pub async fn spawn() -> Self {
        let failures = watch::Sender::new(Vec::new());
        let started = Actor::spawn(None, Parent, failures.clone()).await;
        let (actor, _) = started.expect("an unnamed actor that does nothing at its start can be spawned");
        Self { actor, failures }
    }

    /// What children are linked to.
    #[must_use]
    pub fn cell(&self) -> ActorCell {
        self.actor.get_cell()
    }

    /// Waits for a failure that the test expects, and gives its text.
    pub async fn failure(&self) -> String {
        let mut changes = self.failures.subscribe();
        let failed = changes.wait_for(|failures| !failures.is_empty());
        within_limit("a child's failure", failed).await.expect("the sender is held by self");
        let mut first = String::new();
        self.failures.send_modify(|failures| first = failures.remove(0));
        first
    }

    /// Stops all children, waits for their end, and fails the test if one had failed unexpectedly.
    pub async fn finish(self) {
        let stopped = self.actor.stop_and_wait(None, None);
        within_limit("the children's end", stopped).await.expect("the parent runs until here");
    }
}

impl Drop for TestSupervisor {
    fn drop(&mut self) {
        self.actor.stop(None);
        let failures = self.failures.borrow();
        if !failures.is_empty() && !std::thread::panicking() {
            panic!("actors failed: {}", failures.join("; "));
        }
    }
}

struct Parent;

impl Actor for Parent {
    type Msg = ();
    type State = watch::Sender<Vec<String>>;
    type Arguments = watch::Sender<Vec<String>>;

    async fn pre_start(&self, _me: ActorRef<()>, failures: Self::State) -> Result<Self::State, ActorProcessingErr> {
        Ok(failures)
    }

    async fn post_stop(&self, me: ActorRef<()>, _failures: &mut Self::State) -> Result<(), ActorProcessingErr> {
        me.stop_children_and_wait(None, None).await;
        Ok(())
    }

    async fn handle_supervisor_evt(
        &self,
        _me: ActorRef<()>,
        event: SupervisionEvent,
        failures: &mut Self::State,
    ) -> Result<(), ActorProcessingErr> {
        if let SupervisionEvent::ActorFailed(child, error) = event {
            let name = child.get_name().unwrap_or_else(|| child.get_id().to_string());
            failures.send_modify(|failures| failures.push(format!("{name}: {error}")));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Child;

    impl Actor for Child {
        type Msg = &'static str;
        type State = ();
        type Arguments = ();

        async fn pre_start(&self, _me: ActorRef<&'static str>, (): ()) -> Result<(), ActorProcessingErr> {
            Ok(())
        }

        async fn handle(
            &self,
            _me: ActorRef<&'static str>,
            message: &'static str,
            (): &mut (),
        ) -> Result<(), ActorProcessingErr> {
            panic!("{message}")
        }
    }

    async fn child(parent: &TestSupervisor) -> ActorRef<&'static str> {
        let (child, _) = Actor::spawn_linked(None, Child, (), parent.cell()).await.expect("it can be spawned");
        child
    }

    #[tokio::test]
    async fn an_expected_failure_is_told_and_forgiven() {
        let parent = TestSupervisor::spawn().await;
        let (one, two) = (child(&parent).await, child(&parent).await);

        one.cast("the first").expect("it runs");
        let failure = parent.failure().await;

        assert!(failure.contains("the first"), "{failure}");
        assert_eq!(two.get_status(), ractor::ActorStatus::Running);
        parent.finish().await;
        assert_eq!(two.get_status(), ractor::ActorStatus::Stopped);
    }

    #[tokio::test]
    #[should_panic(expected = "actors failed")]
    async fn an_unexpected_failure_fails_the_test() {
        let parent = TestSupervisor::spawn().await;

        child(&parent).await.cast("out of the blue").expect("it runs");
        let mut failures = parent.failures.subscribe();
        failures.wait_for(|failures| !failures.is_empty()).await.expect("the parent holds it");

        drop(parent);
    }
}
