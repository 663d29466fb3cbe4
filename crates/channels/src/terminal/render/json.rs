//! One JSON object a line, for scripts. What stands here is promised to them.

use std::borrow::Cow;

use chat::{Outcome, OutgoingFile, Progress, TurnError, Usage};
use serde::Serialize;
use serde_json::{Map, Value};

use crate::terminal::turns::{Event, Finished, Missing};

/// Writes events as JSON.
#[derive(Debug)]
pub(in crate::terminal) struct Json;

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Object<'a> {
    TurnStarted {
        turn: u32,
        message: &'a str,
    },
    StepStarted {
        turn: u32,
        step: u32,
    },
    TextDelta {
        turn: u32,
        step: u32,
        text: &'a str,
    },
    ReasoningDelta {
        turn: u32,
        step: u32,
        text: &'a str,
    },
    TextReset {
        turn: u32,
        step: u32,
    },
    ToolStarted {
        turn: u32,
        id: &'a str,
        name: &'a str,
        arguments: Option<&'a Map<String, Value>>,
    },
    ToolProgress {
        turn: u32,
        id: &'a str,
        text: &'a str,
    },
    ToolFinished {
        turn: u32,
        id: &'a str,
        name: &'a str,
        is_error: bool,
        ms: u64,
    },
    Notice {
        #[serde(skip_serializing_if = "Option::is_none")]
        turn: Option<u32>,
        text: &'a str,
    },
    File {
        #[serde(skip_serializing_if = "Option::is_none")]
        turn: Option<u32>,
        name: &'a str,
        path: Cow<'a, str>,
        bytes: u64,
    },
    TurnFinished(TurnFinished<'a>),
}

#[derive(Serialize)]
struct TurnFinished<'a> {
    turn: u32,
    outcome: chat::OutcomeKind,
    text: &'a str,
    steps: u32,
    usage: Option<UsageObject>,
    error: Option<ErrorObject<'a>>,
}

#[derive(Serialize)]
struct UsageObject {
    input: u64,
    cached: u64,
    output: u64,
}

#[derive(Serialize)]
struct ErrorObject<'a> {
    class: &'a str,
    message: &'a str,
}

impl Json {
    pub(super) fn event(&self, event: &Event, out: &mut String) {
        match event {
            Event::Progress { turn, progress } => write(&Object::of_progress(*turn, progress), out),
            Event::Finished(finished) => finish(finished, out),
            Event::File(file) => write(&Object::of_file(None, file), out),
            Event::Notice(text) | Event::Answer(text) => write(&Object::Notice { turn: None, text }, out),
        }
    }
}

impl<'a> Object<'a> {
    fn of_file(turn: Option<u32>, file: &'a OutgoingFile) -> Self {
        Self::File { turn, name: &file.name, path: file.path.to_string_lossy(), bytes: file.bytes }
    }

    fn of_progress(turn: u32, progress: &'a Progress) -> Self {
        match progress {
            Progress::TurnStarted { message } => Self::TurnStarted { turn, message },
            Progress::StepStarted { step } => Self::StepStarted { turn, step: *step },
            Progress::TextDelta { step, text } => Self::TextDelta { turn, step: *step, text },
            Progress::ReasoningDelta { step, text } => Self::ReasoningDelta { turn, step: *step, text },
            Progress::TextReset { step } => Self::TextReset { turn, step: *step },
            Progress::ToolStarted { id, name, arguments } => {
                Self::ToolStarted { turn, id, name, arguments: arguments.as_ref() }
            }
            Progress::ToolProgress { id, text } => Self::ToolProgress { turn, id, text },
            Progress::ToolFinished { id, name, is_error, ms, display: _ } => {
                Self::ToolFinished { turn, id, name, is_error: *is_error, ms: *ms }
            }
            Progress::Notice { text } => Self::Notice { turn: Some(turn), text },
        }
    }
}

/// Whoever joins the deltas of the last step gets the text at the end, however the turn ended.
fn finish(finished: &Finished, out: &mut String) {
    let Finished { turn, step, .. } = *finished;
    let text = match finished.missing() {
        Missing::Rest(rest) => rest,
        Missing::All(text) => {
            write(&Object::TextReset { turn, step }, out);
            text
        }
    };
    if !text.is_empty() {
        write(&Object::TextDelta { turn, step, text }, out);
    }
    for file in &finished.outcome.files {
        write(&Object::of_file(Some(turn), file), out);
    }
    write(&Object::TurnFinished(TurnFinished::new(turn, &finished.outcome)), out);
}

impl<'a> TurnFinished<'a> {
    fn new(turn: u32, outcome: &'a Outcome) -> Self {
        let Outcome { kind, text, steps, usage, error, files: _ } = outcome;
        let usage = usage.map(|Usage { input, cached, output }| UsageObject { input, cached, output });
        let error = error.as_ref().map(|TurnError { class, message }| ErrorObject { class, message });
        Self { turn, outcome: *kind, text, steps: *steps, usage, error }
    }
}

fn write(object: &Object<'_>, out: &mut String) {
    let line = serde_json::to_string(object).expect("strings, numbers and JSON values can be written as JSON");
    out.push_str(&line);
    out.push('\n');
}
