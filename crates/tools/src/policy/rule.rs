//! One rule, as it is written in settings.

use std::path::{Component, Path};

use chat::PersonRole;
use regex::Regex;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Stands for every tool.
pub(super) const ANY: &str = "*";

/// What a rule says of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// It runs.
    Allow,
    /// It runs once a person has agreed.
    Ask,
    /// It does not run.
    Deny,
}

/// Whose calls of which tool are to be allowed, asked about or denied.
///
/// A pattern is a regular expression that has to fit the whole value of the argument. A value that is no text is matched as JSON
/// writes it; a path without `.`, `..` and doubled slashes.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(try_from = "Written", into = "Written")]
pub struct Rule {
    written: Written,
    pattern: Option<Regex>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    role: Option<PersonRole>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    roles: Option<Vec<PersonRole>>,
    tool: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    argument: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pattern: Option<String>,
    decision: Verdict,
}

impl Rule {
    /// The tool that it is about, or `*`.
    #[must_use]
    pub fn tool(&self) -> &str {
        &self.written.tool
    }

    /// What it says.
    #[must_use]
    pub fn verdict(&self) -> Verdict {
        self.written.decision
    }

    /// The argument that it looks at, and the pattern that has to fit; `None` where it fits every call.
    #[must_use]
    pub fn condition(&self) -> Option<(&str, &str)> {
        Some((self.written.argument.as_deref()?, self.written.pattern.as_deref()?))
    }

    /// Whether it is about this tool when it works for this role.
    pub(super) fn is_about(&self, role: PersonRole, tool: &str) -> bool {
        let Written { role: one, roles, .. } = &self.written;
        let everybody = one.is_none() && roles.is_none();
        let named = one.iter().chain(roles.iter().flatten()).any(|named| *named == role);
        (everybody || named) && (self.tool() == ANY || self.tool() == tool)
    }

    /// Whether it fits this call.
    pub(super) fn fits(&self, role: PersonRole, tool: &str, arguments: &Map<String, Value>) -> bool {
        let value_fits = || match (&self.written.argument, &self.pattern) {
            (Some(name), Some(pattern)) => {
                arguments.get(name).is_some_and(|value| pattern.is_match(&canonical(name, value)))
            }
            _ => true,
        };
        self.is_about(role, tool) && value_fits()
    }
}

fn canonical(name: &str, value: &Value) -> String {
    match value {
        Value::String(text) if name == "path" => plain_path(text),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// The path without detours, as far as its text tells; a link may lead elsewhere.
fn plain_path(text: &str) -> String {
    let mut plain: Vec<Component<'_>> = Vec::new();
    for part in Path::new(text).components() {
        match (part, plain.last()) {
            (Component::CurDir, _) | (Component::ParentDir, Some(Component::RootDir)) => {}
            (Component::ParentDir, Some(Component::Normal(_))) => _ = plain.pop(),
            _ => plain.push(part),
        }
    }
    plain.iter().collect::<std::path::PathBuf>().to_string_lossy().into_owned()
}

impl PartialEq for Rule {
    fn eq(&self, other: &Self) -> bool {
        self.written == other.written
    }
}

impl From<Rule> for Written {
    fn from(rule: Rule) -> Self {
        rule.written
    }
}

impl TryFrom<Written> for Rule {
    type Error = String;

    fn try_from(written: Written) -> Result<Self, String> {
        let of = &written.tool;
        if written.role.is_some() && written.roles.is_some() {
            return Err(format!("the rule on `{of}` has both `role` and `roles`; one is enough"));
        }
        if written.role.iter().chain(written.roles.iter().flatten()).any(|role| *role == PersonRole::Stranger) {
            return Err(format!("the rule on `{of}` is for strangers, who have no tools"));
        }
        if written.argument.is_some() != written.pattern.is_some() {
            return Err(format!("the rule on `{of}` needs both `argument` and `pattern`, or neither"));
        }
        let compiled = |text: &String| {
            Regex::new(text)
                .map_err(|_| format!("the rule on `{of}` has a pattern that is no regular expression: `{text}`"))?;
            Regex::new(&format!(r"\A(?:{text})\z"))
                .map_err(|_| format!("the rule on `{of}` has a pattern that is no regular expression: `{text}`"))
        };
        let pattern = written.pattern.as_ref().map(compiled).transpose()?;
        Ok(Self { written, pattern })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_rule_that_makes_no_sense_says_what_is_wrong() {
        let wrong = |rule| serde_json::from_value::<Rule>(rule).unwrap_err().to_string();

        assert!(wrong(json!({"tool": "bash", "decision": "maybe"})).contains("`maybe`"));
        assert!(wrong(json!({"tool": "bash", "role": "king", "decision": "deny"})).contains("`king`"));
        assert!(
            wrong(json!({"tool": "bash", "pattern": "x", "decision": "deny"}))
                .contains("both `argument` and `pattern`")
        );
        assert!(wrong(json!({"tool": "ls", "role": "stranger", "decision": "allow"})).contains("strangers"));
        let pattern = wrong(json!({"tool": "bash", "argument": "command", "pattern": "a)|(b", "decision": "deny"}));
        assert!(pattern.contains("`bash`") && pattern.contains("`a)|(b`"), "{pattern}");
        assert!(wrong(json!({"tool": "bash", "deision": "deny", "decision": "deny"})).contains("deision"));
    }

    #[test]
    fn a_rule_is_written_as_it_was_read() {
        let rule = json!({"roles": ["guest", "trusted"], "tool": "ls", "decision": "deny"});

        let read: Rule = serde_json::from_value(rule.clone()).unwrap();

        assert_eq!(serde_json::to_value(read).unwrap(), rule);
    }
}
