//! Steps and scripts as JSON, for traces and for the server that is run by hand.

use std::time::Duration;

use chat::{ErrorClass, ModelError, Usage};
use serde::Deserialize;
use serde_json::Value;

use crate::{ScriptedModel, Step};

/// A script in a file: `{"steps": [{"text": "hi"}], "when": [{"said": "plum", "steps": [{"status": 500}]}]}`.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ScriptFile {
    /// Answers to requests that no conversation takes.
    pub steps: Vec<Step>,
    /// Answers by what the person said.
    pub when: Vec<ConversationFile>,
}

/// The answers in one conversation.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ConversationFile {
    /// What the person's words have to hold.
    pub said: String,
    /// The answers.
    pub steps: Vec<Step>,
}

/// A step in a file. Without `status`, `error`, `sse`, `silence` or `disconnect` it is a reply.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct StepFile {
    /// What it thinks first.
    pub reasoning: Option<String>,
    /// What it says.
    pub text: Option<String>,
    /// The tools that it asks for.
    pub calls: Vec<CallFile>,
    /// The vendor's word for why it ends.
    pub finish: Option<String>,
    /// What it costs.
    pub usage: Option<Usage>,
    /// A pause before the first piece, in milliseconds.
    pub pause_ms: Option<u64>,
    /// The most characters in one event.
    pub chars_per_event: Option<usize>,
    /// The most bytes in one write.
    pub bytes_per_write: Option<usize>,
    /// What becomes of it after its pieces in place of an end.
    pub then: Option<Breakage>,
    /// An error of this HTTP status.
    pub status: Option<u16>,
    /// For how long the error asks to be left alone, in seconds.
    pub retry_after_s: Option<u64>,
    /// An error of this class.
    pub error: Option<ErrorClass>,
    /// A body of event stream as it stands.
    pub sse: Option<String>,
    /// No answer at all.
    pub silence: bool,
    /// A closed connection.
    pub disconnect: bool,
}

/// A tool call in a file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CallFile {
    /// Its id; one is made where there is none.
    pub id: Option<String>,
    /// The tool.
    pub name: String,
    /// Its arguments; a text is sent as it stands.
    #[serde(default)]
    pub arguments: Value,
}

/// In which way a reply is not whole.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Breakage {
    /// The connection breaks.
    Cut,
    /// Nothing more comes.
    Stall,
    /// The body ends without a sign that it was whole.
    End,
}

impl ScriptFile {
    /// Adds the script to a model's.
    pub fn add_to(self, model: &ScriptedModel) {
        model.script(self.steps);
        for conversation in self.when {
            model.when(&conversation.said, conversation.steps);
        }
    }
}

/// A step of a file that says two things at once.
#[derive(Debug)]
pub struct AmbiguousStep;

impl std::fmt::Display for AmbiguousStep {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a step is a reply or one of status, error, sse, silence and disconnect")
    }
}

impl TryFrom<StepFile> for Step {
    type Error = AmbiguousStep;

    fn try_from(file: StepFile) -> Result<Self, AmbiguousStep> {
        let is_reply = file.reasoning.is_some() || file.text.is_some() || !file.calls.is_empty();
        match file {
            StepFile { status: None, error: None, sse: None, silence: false, disconnect: false, .. } => Ok(reply(file)),
            _ if is_reply => Err(AmbiguousStep),
            StepFile { status: Some(status), error: None, sse: None, silence: false, disconnect: false, .. } => {
                Ok(file
                    .retry_after_s
                    .map_or_else(|| Self::status(status), |seconds| Self::retry_after(status, seconds)))
            }
            StepFile { status: None, error: Some(class), sse: None, silence: false, disconnect: false, .. } => {
                let retry_after_ms = file.retry_after_s.map(|seconds| seconds * 1000);
                Ok(Self::error(ModelError { retry_after_ms, ..ModelError::new(class, "an error of the script") }))
            }
            StepFile { status: None, error: None, sse: Some(body), silence: false, disconnect: false, .. } => {
                Ok(Self::raw_sse(body))
            }
            StepFile { status: None, error: None, sse: None, silence: true, disconnect: false, .. } => {
                Ok(Self::silence())
            }
            StepFile { status: None, error: None, sse: None, silence: false, disconnect: true, .. } => {
                Ok(Self::disconnect())
            }
            _ => Err(AmbiguousStep),
        }
    }
}

fn reply(file: StepFile) -> Step {
    let mut step = Step::empty();
    if let Some(ms) = file.pause_ms {
        step = step.pause(Duration::from_millis(ms));
    }
    step = file.reasoning.into_iter().fold(step, Step::then_reasoning);
    step = file.text.into_iter().fold(step, Step::then_text);
    step = file.calls.iter().fold(step, then_call);
    step = file.finish.iter().fold(step, |step, word| step.finish(word));
    step = file.usage.into_iter().fold(step, Step::usage);
    step = file.chars_per_event.into_iter().fold(step, Step::chars_per_event);
    step = file.bytes_per_write.into_iter().fold(step, Step::bytes_per_write);
    match file.then {
        Some(Breakage::Cut) => step.cut(),
        Some(Breakage::Stall) => step.stall(),
        Some(Breakage::End) => step.unfinished(),
        None => step,
    }
}

fn then_call(step: Step, call: &CallFile) -> Step {
    let text = match &call.arguments {
        Value::String(text) => text.clone(),
        Value::Null => "{}".to_owned(),
        arguments => arguments.to_string(),
    };
    step.then_call(call.id.as_deref(), &call.name, &text)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn step(file: Value) -> Result<Step, serde_json::Error> {
        serde_json::from_value(file)
    }

    #[test]
    fn a_file_says_what_the_builder_says() {
        let file = json!({
            "reasoning": "hm", "text": "hi", "calls": [{"name": "ls", "arguments": {"path": "."}}],
            "chars_per_event": 2, "then": "cut",
        });
        let built = Step::reasoning("hm").then_text("hi").then_calls([("ls", json!({"path": "."}))]);

        let read = step(file).expect("it is a step");

        assert_eq!(format!("{read:?}"), format!("{:?}", built.chars_per_event(2).cut()));
    }

    #[test]
    fn an_error_may_ask_for_a_pause() {
        let read = step(json!({"status": 429, "retry_after_s": 35})).expect("it is a step");

        assert_eq!(format!("{read:?}"), format!("{:?}", Step::retry_after(429, 35)));
    }

    #[test]
    fn a_step_says_one_thing_and_nothing_unknown() {
        for file in [json!({"text": "hi", "status": 500}), json!({"silence": true, "sse": ""}), json!({"txt": "hi"})] {
            assert!(step(file.clone()).is_err(), "{file}");
        }
    }
}
