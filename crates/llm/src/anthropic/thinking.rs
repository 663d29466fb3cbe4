//! How the wish for more or less thinking is written.

use serde::Serialize;
use serde_json::{Value, json};

use crate::transcript::{Entry, Transcript};
use crate::{Effort, EffortStyle, Endpoint};

#[derive(Serialize)]
pub(super) struct OutputConfig {
    effort: &'static str,
}

/// The least budget that the server takes.
const LEAST_BUDGET: u32 = 1024;

/// Says how much the model is to think.
pub(super) fn thinking(
    endpoint: &Endpoint,
    max_tokens: u32,
    transcript: &Transcript<'_>,
) -> (Option<Value>, Option<OutputConfig>) {
    let Some(effort) = endpoint.effort else { return (None, None) };
    let disabled = json!({ "type": "disabled" });
    match endpoint.quirks.effort {
        EffortStyle::Budget | EffortStyle::Adaptive if effort == Effort::Off => (Some(disabled), None),
        EffortStyle::Adaptive => {
            let thinking = json!({ "type": "adaptive", "display": "summarized" });
            (Some(thinking), Some(OutputConfig { effort: level(effort) }))
        }
        EffortStyle::Budget => {
            let budget = budget(effort).min(max_tokens.saturating_sub(1));
            let can_think = budget >= LEAST_BUDGET && may_think(transcript);
            let enabled = json!({ "type": "enabled", "budget_tokens": budget });
            (Some(if can_think { enabled } else { disabled }), None)
        }
        _ => (None, None),
    }
}

/// With a budget, the server demands that the step which called the tools begins with a signed thought. One that another model
/// took has none.
fn may_think(transcript: &Transcript<'_>) -> bool {
    let [.., Entry::Assistant(step), Entry::User(user)] = transcript.entries.as_slice() else { return true };
    user.answers.is_empty() || step.thoughts.iter().any(|thought| !thought.data.is_null())
}

fn level(effort: Effort) -> &'static str {
    match effort {
        Effort::Off | Effort::Minimal | Effort::Low => "low",
        Effort::Medium => "medium",
        Effort::High => "high",
        Effort::Max => "max",
    }
}

fn budget(effort: Effort) -> u32 {
    match effort {
        Effort::Off | Effort::Minimal => LEAST_BUDGET,
        Effort::Low => 4_096,
        Effort::Medium => 8_192,
        Effort::High => 16_384,
        Effort::Max => 32_768,
    }
}
