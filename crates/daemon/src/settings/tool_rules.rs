//! Rules on tools, held against the tools that exist.

use tools::policy;

use super::{Finding, KeyPath, Place, Reading, Severity, nearest};

/// The rules that name a tool that does not exist: such a rule would guard nothing, and nobody would notice.
pub(crate) fn check(reading: &Reading) -> Vec<Finding> {
    let settings = &reading.settings.tools;
    let known: Vec<String> = tools::builtin(settings).iter().map(|tool| tool.spec().name.clone()).collect();
    let place = || Place::Known(reading.origin(&KeyPath::dotted("tools.rules")));
    let finding = |tool: &str| {
        let hint = match nearest(tool, known.iter().map(String::as_str)) {
            Some(meant) => format!("did you mean \"{meant}\"?"),
            None => format!("there are {}, and \"*\" for all of them", known.join(", ")),
        };
        let text = format!("`tools.rules`: there is no tool \"{tool}\"; {hint}");
        Finding { severity: Severity::Fatal, place: place(), text }
    };
    policy::on_unknown_tools(&settings.rules, &known).map(finding).collect()
}

#[cfg(test)]
mod tests {
    use crate::settings::tests::{Machine, told};

    fn problems(rule: &str) -> String {
        let machine = Machine::new().user(&format!("[[tools.rules]]\n{rule}\n"));
        told(&machine, &machine.read()).join("\n")
    }

    #[test]
    fn a_rule_on_a_tool_that_does_not_exist_is_told_with_the_nearest_one() {
        let told = problems("tool = \"bsh\"\ndecision = \"deny\"");

        assert!(
            told.contains("user.toml, line ") && told.contains("no tool \"bsh\"; did you mean \"bash\"?"),
            "{told}"
        );
    }

    #[test]
    fn a_wrong_role_or_pattern_is_named() {
        let role = problems("role = \"king\"\ntool = \"bash\"\ndecision = \"deny\"");
        let pattern = problems("tool = \"bash\"\nargument = \"command\"\npattern = \"(\"\ndecision = \"deny\"");

        assert!(role.contains("user.toml, line 2") && role.contains("`king`"), "{role}");
        assert!(pattern.contains("`bash`") && pattern.contains("`(`"), "{pattern}");
    }

    #[test]
    fn a_right_rule_is_taken() {
        assert_eq!(problems("roles = [\"trusted\"]\ntool = \"*\"\ndecision = \"ask\""), "");
    }
}
