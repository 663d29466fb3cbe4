//! Where a vendor's server departs from the format it speaks. Data only: the vendor table fills it in, request building obeys it.

use serde::{Deserialize, Serialize};

/// Where a server departs from its format. What does not exist in a format has no effect there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Quirks {
    /// What stands in place of the text of a reply that has only calls.
    pub empty_content: EmptyContent,
    /// In which field the model is given back what it thought in this turn; `None` where it must not be.
    pub reasoning_field: Option<ReasoningField>,
    /// Whether that field has to be there, empty if need be, once the model has called a tool.
    pub reasoning_required: bool,
    /// Whether `stream_options.include_usage` is understood.
    pub stream_usage: bool,
    /// What the limit on output is called.
    pub output_limit: OutputLimit,
    /// Whether a user's message must not follow a tool's result.
    pub alternate_roles: bool,
    /// Where the system prompt goes.
    pub system: SystemPlace,
    /// How the wish for more or less thinking is written.
    pub effort: EffortStyle,
    /// How the key is shown; `None` for the way of the format.
    pub auth: Option<Auth>,
    /// Whether the model sees pictures; where it does not, a line stands in for each.
    pub images: bool,
    /// Whether the end of what stays the same is marked for the prompt cache.
    pub cache_marks: bool,
}

impl Quirks {
    /// A server without any: it does what its format's inventor does.
    pub const NONE: Self = Self {
        empty_content: EmptyContent::Null,
        reasoning_field: None,
        reasoning_required: false,
        stream_usage: true,
        output_limit: OutputLimit::MaxTokens,
        alternate_roles: false,
        system: SystemPlace::System,
        effort: EffortStyle::Ignored,
        auth: None,
        images: true,
        cache_marks: true,
    };
}

impl Default for Quirks {
    fn default() -> Self {
        Self::NONE
    }
}

/// What stands in place of empty text beside tool calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EmptyContent {
    /// `"content": null`
    Null,
    /// `"content": ""`
    EmptyString,
    /// No `content` at all.
    Omitted,
}

/// The field in which a model is given back what it thought.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReasoningField {
    /// `reasoning_content`, a string.
    ReasoningContent,
    /// `reasoning`, a string.
    Reasoning,
    /// `reasoning_details`, the array as it came.
    ReasoningDetails,
}

/// What the limit on output is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OutputLimit {
    /// `max_tokens`
    MaxTokens,
    /// `max_completion_tokens`
    MaxCompletionTokens,
}

/// Where the system prompt goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SystemPlace {
    /// A message of the role `system`.
    System,
    /// A message of the role `developer`.
    Developer,
    /// In front of the first user's message, for models that know no such role.
    FirstUser,
}

/// How the wish for more or less thinking is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EffortStyle {
    /// Not at all.
    Ignored,
    /// OpenAI: `"reasoning_effort": "low"`
    ReasoningEffort,
    /// OpenAI format: `"reasoning": {"effort": "low"}`
    Reasoning,
    /// OpenAI format: `"thinking": {"type": "enabled"}`
    Thinking,
    /// OpenAI format: both `thinking` and `reasoning_effort`.
    ThinkingAndEffort,
    /// OpenAI format: `"enable_thinking": true`
    EnableThinking,
    /// Anthropic and Gemini: a number of tokens.
    Budget,
    /// Anthropic: `"thinking": {"type": "adaptive"}` with `output_config.effort`.
    Adaptive,
    /// Gemini: `thinkingLevel`.
    Level,
}

/// How a key is shown to the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Auth {
    /// `Authorization: Bearer KEY`
    Bearer,
    /// `x-api-key: KEY`
    ApiKey,
    /// `x-goog-api-key: KEY`
    GoogleApiKey,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_named_is_as_without_quirks() {
        let quirks: Quirks =
            serde_json::from_str(r#"{"empty_content":"empty_string","reasoning_field":"reasoning"}"#).unwrap();

        let expected = Quirks {
            empty_content: EmptyContent::EmptyString,
            reasoning_field: Some(ReasoningField::Reasoning),
            ..Quirks::NONE
        };
        assert_eq!(quirks, expected);
    }
}
