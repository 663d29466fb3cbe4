//! What is asked of the model at present, and how much smaller than usual.

use crate::{Effect, Shrink};

/// The model call of the present step.
#[derive(Clone, Debug, Default)]
pub(crate) struct Request {
    /// Which it is, from 1.
    pub(crate) step: u32,
    /// Whether the model may ask for tools.
    pub(crate) offer_tools: bool,
    /// What follows the last message in this request alone.
    pub(crate) nudge: Option<String>,
    /// How often it was asked again after a failure that may pass.
    pub(crate) retries: u32,
    /// Whether it was asked again because the reply was empty.
    pub(crate) asked_again_for_nothing: bool,
}

/// What the model's refusals of this turn's requests have led to. It lasts until the turn is over, so that each remedy is tried
/// once in a turn and no more.
#[derive(Clone, Debug, Default)]
pub(crate) struct Remedies {
    /// How much smaller than usual the requests are.
    pub(crate) shrink: Shrink,
    /// Whether the messages go through the repair of foreign histories.
    pub(crate) repair: bool,
}

impl Remedies {
    /// The effect that sends the request.
    pub(crate) fn call(&self, request: &Request) -> Effect {
        Effect::CallModel {
            step: request.step,
            offer_tools: request.offer_tools,
            nudge: request.nudge.clone(),
            shrink: self.shrink,
            repair: self.repair,
        }
    }
}
