//! What a model is told about a tool.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A tool as a model is offered it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToolSpec {
    /// What the model calls it by: letters, digits, `_` and `-`, at most 64.
    pub name: String,
    /// When and how to use it.
    pub description: String,
    /// The JSON Schema of its arguments: an object.
    #[serde(alias = "input_schema")]
    pub parameters: Value,
}
