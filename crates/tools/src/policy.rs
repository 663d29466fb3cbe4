//! Who may call which tool. Pure: a role, a tool and a call in, a decision out.
//!
//! A shell can do all that its user can, so it is decided by person and never by what a command looks like: a pattern that is to
//! stop `rm -rf /` misses `rm -r -f /` and refuses a harmless `echo shutdown now`.

use chat::PersonRole;
use serde_json::{Map, Value};

use crate::{Access, Registry, Tool};

/// What becomes of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decision {
    /// It runs.
    Allow,
    /// It runs once a person has agreed.
    Ask {
        /// Why they are asked.
        reason: String,
    },
    /// It does not run.
    Deny {
        /// Why, for the model.
        reason: String,
    },
}

/// Decides on one call. As yet the arguments change nothing: they are here for rules that ask a person first.
#[must_use]
pub fn decide(role: PersonRole, tool: &dyn Tool, _arguments: &Map<String, Value>) -> Decision {
    if tool.needs() <= most(role) {
        return Decision::Allow;
    }
    let what = match tool.needs() {
        Access::Nothing | Access::Files => "reads or writes files of this machine",
        Access::Shell => "can do anything on this machine",
    };
    Decision::Deny { reason: format!("{} {what}; the person who asked may not have that done", tool.spec().name) }
}

/// The tools that are worth offering to a person of this role.
#[must_use]
pub fn offered(role: PersonRole, tools: &Registry) -> Registry {
    Registry::new(tools.iter().filter(|tool| tool.needs() <= most(role)).cloned().collect())
}

/// The most that a tool may need when it works for this role.
fn most(role: PersonRole) -> Access {
    match role {
        PersonRole::Stranger | PersonRole::Guest => Access::Nothing,
        PersonRole::Trusted => Access::Files,
        PersonRole::Owner => Access::Shell,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use chat::ToolSpec;

    use super::*;
    use crate::{EffectClass, Settings, ToolContext, ToolFuture, builtin};

    /// A tool that says nothing of what it needs.
    struct Silent(ToolSpec);

    impl Tool for Silent {
        fn spec(&self) -> &ToolSpec {
            &self.0
        }

        fn effect(&self) -> EffectClass {
            EffectClass::Pure
        }

        fn run(&self, _: Map<String, Value>, _: ToolContext) -> ToolFuture {
            Box::pin(async { chat::ToolResult::ok("") })
        }
    }

    fn registry() -> Registry {
        let silent = ToolSpec { name: "silent".into(), description: String::new(), parameters: Value::Null };
        let mut tools = builtin(&Settings::default());
        tools.push(Arc::new(Silent(silent)));
        Registry::new(tools)
    }

    fn names_for(role: PersonRole) -> Vec<String> {
        offered(role, &registry()).iter().map(|tool| tool.spec().name.clone()).collect()
    }

    #[test]
    fn the_owner_is_offered_everything() {
        assert_eq!(names_for(PersonRole::Owner), ["ls", "read", "search", "write", "edit", "send", "bash", "silent"]);
    }

    #[test]
    fn a_trusted_person_is_offered_no_shell_and_nothing_undeclared() {
        assert_eq!(names_for(PersonRole::Trusted), ["ls", "read", "search", "write", "edit", "send"]);
    }

    #[test]
    fn a_guest_is_offered_nothing_that_reads_or_writes_the_machine() {
        assert!(names_for(PersonRole::Guest).is_empty());
    }

    #[test]
    fn a_call_of_a_tool_that_was_not_offered_is_denied() {
        let registry = registry();
        for tool in registry.iter() {
            for role in [PersonRole::Guest, PersonRole::Trusted, PersonRole::Owner] {
                let offered = offered(role, &registry).get(&tool.spec().name).is_some();

                let decision = decide(role, tool.as_ref(), &Map::new());

                assert_eq!(decision == Decision::Allow, offered, "{role:?} {}", tool.spec().name);
            }
        }
    }
}
