//! What is set for a completion besides messages and tools.

use serde_json::{Map, Value, json};

use crate::{Effort, EffortStyle, Endpoint, OutputLimit};

/// What is set for a request besides messages and tools.
pub(super) fn settings(endpoint: &Endpoint) -> Map<String, Value> {
    let mut settings = Map::new();
    if endpoint.quirks.stream_usage {
        settings.insert("stream_options".into(), json!({ "include_usage": true }));
    }
    if let Some(limit) = endpoint.max_output {
        let name = match endpoint.quirks.output_limit {
            OutputLimit::MaxTokens => "max_tokens",
            OutputLimit::MaxCompletionTokens => "max_completion_tokens",
        };
        settings.insert(name.into(), limit.into());
    }
    if let Some(effort) = endpoint.effort {
        add_effort(effort, endpoint.quirks.effort, &mut settings);
    }
    settings
}

fn add_effort(effort: Effort, style: EffortStyle, settings: &mut Map<String, Value>) {
    let thinks = effort != Effort::Off;
    let mut set = |name: &str, value: Value| settings.insert(name.to_owned(), value);
    match style {
        EffortStyle::ReasoningEffort => {
            set("reasoning_effort", effort_name(effort, "xhigh").into());
        }
        EffortStyle::Reasoning => {
            set("reasoning", json!({ "effort": effort_name(effort, "xhigh") }));
        }
        EffortStyle::Thinking | EffortStyle::ThinkingAndEffort => {
            set("thinking", json!({ "type": if thinks { "enabled" } else { "disabled" } }));
            if thinks && style == EffortStyle::ThinkingAndEffort {
                set("reasoning_effort", effort_name(effort, "max").into());
            }
        }
        EffortStyle::EnableThinking => {
            set("enable_thinking", thinks.into());
        }
        EffortStyle::Ignored | EffortStyle::Budget | EffortStyle::Adaptive | EffortStyle::Level => {}
    }
}

fn effort_name(effort: Effort, max: &'static str) -> &'static str {
    match effort {
        Effort::Off => "none",
        Effort::Minimal => "minimal",
        Effort::Low => "low",
        Effort::Medium => "medium",
        Effort::High => "high",
        Effort::Max => max,
    }
}
