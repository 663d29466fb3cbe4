//! A request as it came in.

use std::fmt;

use serde_json::Value;

use super::format::Format;
use crate::script::Asked;

/// A request that a [`crate::ScriptedModel`] took.
#[derive(Clone, Debug)]
pub struct Received {
    /// Its number, from 1, in the order of arrival.
    pub number: usize,
    /// In which format it came.
    pub format: Format,
    /// Where it was sent to.
    pub path: String,
    /// Its headers; names are in lower case.
    pub headers: Vec<(String, String)>,
    /// Its body.
    pub body: Value,
    /// How many bytes the body had.
    pub bytes: usize,
}

/// One thing that is said in a request, in whichever format it came.
#[derive(Clone, Debug, PartialEq)]
pub enum Line {
    /// A system prompt.
    System(String),
    /// A text of the person.
    User(String),
    /// A picture of this MIME type.
    Image(String),
    /// A text of the model.
    Assistant(String),
    /// A tool call of the model.
    Call {
        /// Its id.
        id: String,
        /// The tool.
        name: String,
        /// Its arguments.
        arguments: Value,
    },
    /// What a tool gave back.
    Result {
        /// The id of the call.
        id: String,
        /// The text.
        content: String,
    },
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::System(text) => write!(f, "system: {text}"),
            Self::User(text) => write!(f, "user: {text}"),
            Self::Image(media_type) => write!(f, "image: {media_type}"),
            Self::Assistant(text) => write!(f, "assistant: {text}"),
            Self::Call { id, name, arguments } => write!(f, "call {id}: {name} {arguments}"),
            Self::Result { id, content } => write!(f, "result {id}: {content}"),
        }
    }
}

impl Received {
    /// All that is said in it, in order.
    #[must_use]
    pub fn lines(&self) -> Vec<Line> {
        self.format.lines(&self.body)
    }

    /// All that is said in it but the system prompt, a line each: for comparing.
    #[must_use]
    pub fn transcript(&self) -> String {
        let lines = self.lines().into_iter().filter(|line| !matches!(line, Line::System(_)));
        lines.map(|line| line.to_string()).collect::<Vec<_>>().join("\n")
    }

    /// The system prompt; empty if there is none.
    #[must_use]
    pub fn system(&self) -> String {
        let texts = self.lines().into_iter().filter_map(|line| match line {
            Line::System(text) => Some(text),
            _ => None,
        });
        texts.collect::<Vec<_>>().join("\n")
    }

    /// What the person said since the last answer that asked for no tool, texts joined by newlines.
    #[must_use]
    pub fn turn_text(&self) -> String {
        let lines = self.lines();
        let answer = lines.iter().enumerate().rposition(|(at, line)| {
            matches!(line, Line::Assistant(_)) && !matches!(lines.get(at + 1), Some(Line::Call { .. }))
        });
        let texts = lines[answer.map_or(0, |at| at + 1)..].iter().filter_map(|line| match line {
            Line::User(text) => Some(text.as_str()),
            _ => None,
        });
        texts.collect::<Vec<_>>().join("\n")
    }

    /// The texts of the tool results in it, oldest first.
    #[must_use]
    pub fn tool_results(&self) -> Vec<String> {
        let results = self.lines().into_iter().filter_map(|line| match line {
            Line::Result { content, .. } => Some(content),
            _ => None,
        });
        results.collect()
    }

    /// The names of the tools that it offers.
    #[must_use]
    pub fn tool_names(&self) -> Vec<String> {
        self.format.tool_names(&self.body)
    }

    /// The value of a header, by its name in lower case.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(header, _)| header == name).map(|(_, value)| value.as_str())
    }
}

impl Asked for Received {
    fn turn_text(&self) -> String {
        Self::turn_text(self)
    }
}
