//! Which model is asked: the first of the list whose breaker is closed. All turns of the process share what is known of a model.

mod roster;

use std::sync::Arc;

use chat::ErrorClass;
use llm::ChatModel;
use ractor::{Actor, ActorProcessingErr, ActorRef, SupervisionEvent};
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
    /// A model answered a call.
    Answered { model: usize },
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
}

impl Actor for Models {
    type Msg = ModelsMessage;
    type State = ModelsState;
    type Arguments = Vec<Arc<dyn ChatModel>>;

    async fn pre_start(
        &self,
        _: ActorRef<Self::Msg>,
        models: Vec<Arc<dyn ChatModel>>,
    ) -> Result<Self::State, ActorProcessingErr> {
        if models.is_empty() {
            return Err("there is no model to ask".into());
        }
        Ok(ModelsState { roster: Roster::new(models.len()), models, current: 0 })
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
            ModelsMessage::Answered { model } => state.roster.answered(model),
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
    fn choose(&mut self) -> Chosen {
        let place = self.roster.choose(Instant::now());
        let model = Arc::clone(&self.models[place]);
        let before = std::mem::replace(&mut self.current, place);
        let switch = (before != place).then(|| Switch {
            from: self.models[before].name().to_string(),
            to: model.name().to_string(),
            is_back: place < before,
        });
        Chosen { place, model, switch }
    }
}
