//! Which model is asked: the first of the list whose breaker is closed. All turns of the process share what is known of a model.

mod roster;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use chat::ErrorClass;
use chat::estimate::Calibration;
use llm::ChatModel;
use ractor::{Actor, ActorCell, ActorProcessingErr, ActorRef, MessagingErr, SpawnErr, SupervisionEvent};
use tokio::sync::watch;
use tokio::time::Instant;
use tracing::warn;

use self::roster::Roster;
use crate::executor::ExecutorMessage;

/// The actor that knows the models.
pub(crate) struct Models;

/// What can happen to it.
pub(crate) enum ModelsMessage {
    /// Which model is to be asked now? Answered by [`ExecutorMessage::ModelChosen`].
    Choose { asker: ActorRef<ExecutorMessage>, call: u64 },
    /// A model failed a call. Answered by [`ExecutorMessage::ModelFailureNoted`].
    Failed { asker: ActorRef<ExecutorMessage>, call: u64, model: usize, class: ErrorClass },
    /// A model answered a call: the tokens that the request was expected to have, and those that were counted, where that was told.
    Answered { model: usize, expected: u64, counted: Option<u64> },
}

/// How the actor is spoken to, with a copy of what it expects.
#[derive(Clone)]
pub(crate) struct ModelList {
    actor: ActorRef<ModelsMessage>,
    outlook: watch::Receiver<Outlook>,
}

/// What a turn that begins is fitted to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Outlook {
    /// The place of the model that is likely to be asked: the one that was asked last.
    pub(crate) model: usize,
    /// How far estimates are from what that one counts.
    pub(crate) calibration: Calibration,
}

/// The model for a call.
pub(crate) struct Chosen {
    /// Its place in the list.
    pub(crate) place: usize,
    /// The model.
    pub(crate) model: Arc<dyn ChatModel>,
    /// What a person is to know of it.
    pub(crate) switch: Option<Switch>,
}

/// That another model is asked from now on; told once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Switch {
    /// The model that was asked so far.
    pub(crate) from: String,
    /// The model that is asked now.
    pub(crate) to: String,
    /// Whether this is the first of the list, which was out for a while.
    pub(crate) is_back: bool,
}

/// What it knows.
pub(crate) struct ModelsState {
    models: Vec<Arc<dyn ChatModel>>,
    roster: Roster,
    current: usize,
    /// What was learnt of each from its reports. It is not kept on disk: a view that was fitted by it is, and a few replies teach it
    /// anew.
    calibrations: Vec<Calibration>,
    outlook: watch::Sender<Outlook>,
}

/// What it starts with.
pub(crate) struct ModelsArguments {
    models: Vec<Arc<dyn ChatModel>>,
    outlook: watch::Sender<Outlook>,
}

impl ModelList {
    /// Starts the actor of these models, of which there is at least one.
    pub(crate) async fn spawn(models: Vec<Arc<dyn ChatModel>>, root: ActorCell) -> Result<Self, SpawnErr> {
        let (sender, outlook) = watch::channel(Outlook::default());
        let arguments = ModelsArguments { models, outlook: sender };
        let (actor, _) = Actor::spawn_linked(None, Models, arguments, root).await?;
        Ok(Self { actor, outlook })
    }

    pub(crate) fn cast(&self, message: ModelsMessage) -> Result<(), MessagingErr<ModelsMessage>> {
        self.actor.cast(message)
    }

    pub(crate) fn outlook(&self) -> Outlook {
        *self.outlook.borrow()
    }
}

impl Actor for Models {
    type Msg = ModelsMessage;
    type State = ModelsState;
    type Arguments = ModelsArguments;

    async fn pre_start(
        &self,
        _: ActorRef<Self::Msg>,
        ModelsArguments { models, outlook }: ModelsArguments,
    ) -> Result<Self::State, ActorProcessingErr> {
        if models.is_empty() {
            return Err("there is no model to ask".into());
        }
        Ok(ModelsState::new(models, outlook))
    }

    async fn handle(
        &self,
        _: ActorRef<Self::Msg>,
        message: Self::Msg,
        state: &mut Self::State,
    ) -> Result<(), ActorProcessingErr> {
        match message {
            ModelsMessage::Choose { asker, call } => {
                let chosen = state.choose();
                // Who asked may have ended meanwhile.
                let _ = asker.cast(ExecutorMessage::ModelChosen { call, chosen });
            }
            ModelsMessage::Failed { asker, call, model, class } => {
                state.roster.failed(model, class, Instant::now());
                warn!(model = %state.models[model].name(), class = class.name(), "a model call failed");
                let another = state.roster.another_than(model, class, Instant::now());
                let _ = asker.cast(ExecutorMessage::ModelFailureNoted { call, another });
            }
            ModelsMessage::Answered { model, expected, counted } => state.answered(model, expected, counted),
        }
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

impl ModelsState {
    fn new(models: Vec<Arc<dyn ChatModel>>, outlook: watch::Sender<Outlook>) -> Self {
        let (roster, calibrations) = (Roster::new(models.len()), vec![Calibration::default(); models.len()]);
        Self { models, roster, current: 0, calibrations, outlook }
    }

    fn answered(&mut self, model: usize, expected: u64, counted: Option<u64>) {
        self.roster.answered(model);
        if let (Some(calibration), Some(counted)) = (self.calibrations.get_mut(model), counted) {
            *calibration = calibration.learn(expected, counted);
            self.tell_outlook();
        }
    }

    fn tell_outlook(&self) {
        self.outlook.send_replace(Outlook { model: self.current, calibration: self.calibrations[self.current] });
    }

    fn choose(&mut self) -> Chosen {
        let place = self.roster.choose(Instant::now());
        let model = Arc::clone(&self.models[place]);
        let before = std::mem::replace(&mut self.current, place);
        if before != place {
            self.tell_outlook();
        }
        let switch = (before != place).then(|| Switch {
            from: self.models[before].name().to_string(),
            to: model.name().to_string(),
            is_back: place < before,
        });
        Chosen { place, model, switch }
    }
}
