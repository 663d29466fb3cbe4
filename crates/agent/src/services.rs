//! What the actors share.

use std::path::PathBuf;
use std::sync::Arc;

use chat::{ToolSpec, TurnId};
use llm::ChatModel;
use store::Ledger;
use tools::{Guard, Jobs, Registry};
use turn::Limits;

use crate::Settings;

/// Makes the system prompt for the tools that a turn is offered.
pub type Prompt = Arc<dyn Fn(&[ToolSpec]) -> String + Send + Sync>;

/// What every conversation works with.
#[derive(Clone)]
pub struct Services {
    /// Everything on disk.
    pub ledger: Ledger,
    /// The models, of which the first that answers is asked; at least one.
    pub models: Vec<Arc<dyn ChatModel>>,
    /// The tools that exist.
    pub tools: Registry,
    /// What those have set going in the background.
    pub jobs: Jobs,
    /// Who may call them, and what is kept from models and people.
    pub guard: Guard,
    /// The system prompt.
    pub prompt: Prompt,
    /// The folder that tools work in.
    pub folder: PathBuf,
    /// How far a turn may go.
    pub limits: Limits,
    /// How conversations behave.
    pub settings: Settings,
    /// What `/version` answers.
    pub version: &'static str,
}

/// Where new ids come from; the ledger, outside tests.
pub(crate) trait Ids {
    /// An id that no turn had.
    fn turn(&self) -> TurnId;
    /// An id that no delivery had.
    fn delivery(&self) -> chat::DeliveryId;
}

impl Ids for Ledger {
    fn turn(&self) -> TurnId {
        self.next_turn_id()
    }

    fn delivery(&self) -> chat::DeliveryId {
        self.next_delivery_id()
    }
}
