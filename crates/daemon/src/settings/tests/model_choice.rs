//! Which model is asked.

use llm::Plan;

use super::*;

/// The plan in words.
fn planned(machine: &Machine, argument: Option<&str>) -> Result<String, String> {
    let environment = machine.environment();
    let named = models::named(argument, &environment);
    match models::plan(&machine.read(), named.as_ref(), &environment) {
        Ok(Plan::Use(choice)) => Ok(choice.to_string()),
        Ok(Plan::Probe) => Ok("probing".into()),
        Err(finding) => Err(finding.to_string()),
    }
}

#[test]
fn the_argument_counts_more_than_the_variable_and_that_more_than_settings() {
    let machine = Machine::new().user("[models]\nmodel = \"deepseek/a\"\n");
    assert!(planned(&machine, None).unwrap().starts_with("using deepseek/a "));

    let machine = machine.variable("COWHAND_MODEL", "openai/b");
    assert_eq!(planned(&machine, None).unwrap(), "using openai/b because COWHAND_MODEL names it");
    assert_eq!(planned(&machine, Some("demo")).unwrap(), "using demo because --model names it");
}

#[test]
fn a_vendor_that_is_off_is_not_asked_with_the_key_in_its_variable() {
    let machine = Machine::new()
        .user("[models.vendors.openai]\nbase_url = 5\n")
        .variable("OPENAI_API_KEY", "sk-test")
        .variable("DEEPSEEK_API_KEY", "sk-test");

    assert!(planned(&machine, None).unwrap().starts_with("using deepseek/"));
}

#[test]
fn a_vendor_that_is_off_cannot_be_named() {
    let machine = Machine::new().user("[models.vendors.openai]\nbase_url = 5\n").variable("OPENAI_API_KEY", "sk-test");

    let problem = planned(&machine, Some("openai/b")).unwrap_err();

    assert!(problem.contains("openai/b cannot be asked: models.vendors.openai is off"), "{problem}");
}

#[test]
fn the_demo_does_not_stand_in_for_a_vendor_that_is_off() {
    let machine = Machine::new().user("[models.vendors.mine]\nbase_url = \"notaurl\"\nmodel = \"m\"\n");

    for (argument, what) in [(None, "no model"), (Some("mine"), "mine"), (Some("mine/m"), "mine")] {
        let problem = planned(&machine, argument).unwrap_err();

        assert!(problem.contains(&format!("{what} can")), "{problem}");
        assert!(problem.contains("models.vendors.mine is off"), "{problem}");
    }
}

#[test]
fn a_name_that_is_wrong_is_told_where_it_stands() {
    let machine = Machine::new().user("[models]\nmodel = \"opneai/b\"\n");

    let problem = planned(&machine, None).unwrap_err();

    assert!(problem.contains("user.toml, line 2: there is no vendor \"opneai\""), "{problem}");
}
