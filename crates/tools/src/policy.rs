//! Who may call which tool. Pure: rules, a role, a tool and a call in, a decision out.
//!
//! The first rule that fits decides; where none does, the role does: guests get nothing that reads or writes the machine, trusted
//! people no shell, the owner everything.
//!
//! A rule on a command's text is advice and no fence: a pattern that is to stop `rm -rf /` misses `rm -r -f /` and refuses a
//! harmless `echo shutdown now`. What a command can reach is decided by [`crate::sandbox`], by person, whatever the text.

mod rule;

use chat::PersonRole;
use serde_json::{Map, Value};

use crate::{Access, Registry, Tool, check_arguments};

pub use rule::{Rule, Verdict};

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

/// Decides on one call.
#[must_use]
pub fn decide(rules: &[Rule], role: PersonRole, tool: &dyn Tool, arguments: &Map<String, Value>) -> Decision {
    if role == PersonRole::Stranger {
        return Decision::Deny { reason: "who asked is not known here, and has no tool".to_owned() };
    }
    // Rules see what the tool will see: a value that is only written differently is the same one.
    let canonical = check_arguments(tool.spec(), arguments.clone());
    let arguments = canonical.as_ref().unwrap_or(arguments);
    let name = &tool.spec().name;
    match rules.iter().find(|rule| rule.fits(role, name, arguments)) {
        Some(rule) => by_rule(rule, name),
        None => by_role(role, tool),
    }
}

fn by_rule(rule: &Rule, name: &str) -> Decision {
    let because = match rule.condition() {
        Some((argument, pattern)) => format!("a rule of the settings on {name} with `{argument}` like `{pattern}`"),
        None => format!("a rule of the settings on {name}"),
    };
    match rule.verdict() {
        Verdict::Allow => Decision::Allow,
        Verdict::Ask => Decision::Ask {
            reason: format!("{because} wants a person to be asked first, which this version cannot do; it was not run"),
        },
        Verdict::Deny => Decision::Deny { reason: format!("{because} forbids it") },
    }
}

fn by_role(role: PersonRole, tool: &dyn Tool) -> Decision {
    if tool.needs() <= most(role) {
        return Decision::Allow;
    }
    let what = match tool.needs() {
        Access::Nothing | Access::Files => "reads or writes files of this machine",
        Access::Shell => "can do anything on this machine",
    };
    Decision::Deny { reason: format!("{} {what}; the person who asked may not have that done", tool.spec().name) }
}

/// The tools that are worth offering to a person of this role: those of which some call can be allowed.
#[must_use]
pub fn offered(rules: &[Rule], role: PersonRole, tools: &Registry) -> Registry {
    Registry::new(tools.iter().filter(|tool| can_be_allowed(rules, role, tool.as_ref())).cloned().collect())
}

fn can_be_allowed(rules: &[Rule], role: PersonRole, tool: &dyn Tool) -> bool {
    if role == PersonRole::Stranger {
        return false;
    }
    for rule in rules.iter().filter(|rule| rule.is_about(role, &tool.spec().name)) {
        match (rule.verdict(), rule.condition()) {
            (Verdict::Allow, _) => return true,
            // It fits every call, so nothing behind it counts.
            (Verdict::Ask | Verdict::Deny, None) => return false,
            (Verdict::Ask | Verdict::Deny, Some(_)) => {}
        }
    }
    tool.needs() <= most(role)
}

/// The rules that name a tool that does not exist.
pub fn on_unknown_tools<'a>(rules: &'a [Rule], known: &'a [String]) -> impl Iterator<Item = &'a str> {
    rules.iter().map(Rule::tool).filter(|tool| *tool != rule::ANY && !known.iter().any(|known| known == tool))
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
    use serde_json::json;

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
        offered(&[], role, &registry()).iter().map(|tool| tool.spec().name.clone()).collect()
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
                let offered = offered(&[], role, &registry).get(&tool.spec().name).is_some();

                let decision = decide(&[], role, tool.as_ref(), &Map::new());

                assert_eq!(decision == Decision::Allow, offered, "{role:?} {}", tool.spec().name);
            }
        }
    }

    fn rules(rules: Value) -> Vec<Rule> {
        serde_json::from_value(rules).unwrap()
    }

    fn decision(rules: &[Rule], role: PersonRole, tool: &str, arguments: Value) -> Decision {
        let Value::Object(arguments) = arguments else { panic!("no object") };
        decide(rules, role, registry().get(tool).unwrap().as_ref(), &arguments)
    }

    #[test]
    fn the_first_rule_that_fits_decides() {
        let rules = rules(json!([
            {"role": "trusted", "tool": "bash", "argument": "command", "pattern": "git (status|log).*", "decision": "allow"},
            {"roles": ["trusted", "owner"], "tool": "bash", "argument": "command", "pattern": "git .*", "decision": "deny"},
            {"tool": "*", "argument": "path", "pattern": "secret/.*", "decision": "ask"},
        ]));
        let run = |role, command: &str| decision(&rules, role, "bash", json!({"command": command}));

        assert_eq!(run(PersonRole::Trusted, "git status -s"), Decision::Allow);
        assert!(
            matches!(run(PersonRole::Owner, "git status"), Decision::Deny { reason } if reason.contains("`git .*`"))
        );
        assert!(matches!(run(PersonRole::Trusted, "ls"), Decision::Deny { .. }));
        assert_eq!(run(PersonRole::Owner, "ls"), Decision::Allow);
        let asked = decision(&rules, PersonRole::Owner, "read", json!({"path": "secret/a"}));
        assert!(matches!(asked, Decision::Ask { reason } if reason.contains("cannot do")));
    }

    #[test]
    fn no_rule_gives_a_stranger_a_tool() {
        let rules = rules(json!([{"tool": "*", "decision": "allow"}]));

        assert!(offered(&rules, PersonRole::Stranger, &registry()).iter().next().is_none());
        let decision = decision(&rules, PersonRole::Stranger, "ls", json!({"path": "."}));
        assert!(matches!(decision, Decision::Deny { .. }));
    }

    #[test]
    fn a_pattern_has_to_fit_the_whole_value() {
        let rules = rules(json!([
            {"role": "trusted", "tool": "bash", "argument": "command", "pattern": "git status", "decision": "allow"},
        ]));
        for command in ["git status; id", "sudo git status", "git status\nid", "git status\n"] {
            let decision = decision(&rules, PersonRole::Trusted, "bash", json!({"command": command}));

            assert!(matches!(decision, Decision::Deny { .. }), "{command:?}");
        }
    }

    #[test]
    fn a_value_that_is_only_written_differently_is_the_same() {
        let rules = rules(json!([
            {"tool": "bash", "argument": "timeout", "pattern": "[0-9]{4,}", "decision": "deny"},
            {"tool": "read", "argument": "path", "pattern": "secret/a", "decision": "deny"},
        ]));
        for timeout in [json!(1000), json!("1000"), json!(1000.0)] {
            let decision = decision(&rules, PersonRole::Owner, "bash", json!({"command": "ls", "timeout": timeout}));

            assert!(matches!(decision, Decision::Deny { .. }), "{timeout}");
        }
        for path in ["secret/a", "./secret//a", "x/../secret/./a"] {
            let decision = decision(&rules, PersonRole::Owner, "read", json!({"path": path}));

            assert!(matches!(decision, Decision::Deny { .. }), "{path}");
        }
    }

    #[test]
    fn a_tool_is_offered_where_some_rule_can_allow_it() {
        let names = |rules: Value, role| {
            let rules = self::rules(rules);
            offered(&rules, role, &registry()).iter().map(|tool| tool.spec().name.clone()).collect::<Vec<_>>()
        };
        let shell = json!([
            {"role": "trusted", "tool": "bash", "argument": "command", "pattern": "rm .*", "decision": "deny"},
            {"role": "trusted", "tool": "bash", "argument": "command", "pattern": "git .*", "decision": "allow"},
        ]);
        let nothing = json!([
            {"role": "trusted", "tool": "bash", "decision": "ask"},
            {"role": "trusted", "tool": "bash", "decision": "allow"},
        ]);

        assert!(names(shell.clone(), PersonRole::Trusted).contains(&"bash".to_owned()));
        assert!(!names(shell, PersonRole::Guest).contains(&"bash".to_owned()));
        assert!(!names(nothing, PersonRole::Trusted).contains(&"bash".to_owned()));
        assert!(names(json!([{"tool": "*", "decision": "deny"}]), PersonRole::Owner).is_empty());
    }

    #[test]
    fn a_rule_on_a_tool_that_does_not_exist_is_found() {
        let rules = rules(json!([{"tool": "bsh", "decision": "deny"}, {"tool": "*", "decision": "deny"}]));

        assert_eq!(on_unknown_tools(&rules, &["bash".to_owned()]).collect::<Vec<_>>(), ["bsh"]);
    }
}
