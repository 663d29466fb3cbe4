//! The tools that exist.

use std::sync::Arc;

use chat::ToolSpec;

use crate::Tool;

/// The tools that exist, in the order in which models are offered them.
#[derive(Clone, Default)]
pub struct Registry {
    tools: Vec<Arc<dyn Tool>>,
}

impl Registry {
    /// A registry of these tools; of two with the same name the later one is left out.
    #[must_use]
    pub fn new(tools: Vec<Arc<dyn Tool>>) -> Self {
        let mut registry = Self::default();
        for tool in tools {
            if registry.get(&tool.spec().name).is_none() {
                registry.tools.push(tool);
            }
        }
        registry
    }

    /// The tool of this name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Arc<dyn Tool>> {
        self.tools.iter().find(|tool| tool.spec().name == name)
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<dyn Tool>> {
        self.tools.iter()
    }

    /// What a model is told of them.
    #[must_use]
    pub fn specs(&self) -> Arc<[ToolSpec]> {
        self.tools.iter().map(|tool| tool.spec().clone()).collect()
    }
}
