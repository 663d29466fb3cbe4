//! The tools that the demo model knows how to use.

use chat::ToolSpec;
use serde_json::{Value, json};

/// A call that is wanted.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Call {
    pub(super) tool: &'static str,
    pub(super) input: Value,
}

impl Call {
    pub(super) fn ls(path: &str) -> Self {
        Self { tool: "ls", input: json!({ "path": path }) }
    }

    pub(super) fn read(path: &str) -> Self {
        Self { tool: "read", input: json!({ "path": path }) }
    }

    pub(super) fn write(path: &str, content: &str) -> Self {
        Self { tool: "write", input: json!({ "path": path, "content": content }) }
    }

    pub(super) fn bash(command: &str) -> Self {
        Self { tool: "bash", input: json!({ "command": command }) }
    }

    /// Whether one of these tools takes such a call: it has the name, and all the arguments.
    pub(super) fn is_offered(&self, tools: &[ToolSpec]) -> bool {
        let takes = |tool: &ToolSpec| {
            let properties = tool.parameters.get("properties").and_then(Value::as_object);
            let names = self.input.as_object().into_iter().flat_map(|input| input.keys());
            properties.is_some_and(|properties| names.into_iter().all(|name| properties.contains_key(name)))
        };
        tools.iter().any(|tool| tool.name == self.tool && takes(tool))
    }
}

/// The tools of [`Call`] that are among these, in the order of the intents.
pub(super) fn offered(tools: &[ToolSpec]) -> Vec<&'static str> {
    let calls = [Call::ls("."), Call::read("x"), Call::write("x", ""), Call::bash("x")];
    calls.iter().filter(|call| call.is_offered(tools)).map(|call| call.tool).collect()
}
