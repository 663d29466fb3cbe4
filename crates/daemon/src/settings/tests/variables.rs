//! Settings from environment variables.

use super::*;

fn problems(name: &str, value: &str) -> Vec<String> {
    let machine = Machine::new().variable(name, value);
    told(&machine, &machine.read())
}

#[test]
fn an_unknown_variable_is_a_warning_with_the_nearest_name() {
    let machine = Machine::new().variable("COWHAND__LIMITS__MAX_STEP", "3");
    let reading = machine.read();

    assert_eq!(
        told(&machine, &reading),
        ["variable COWHAND__LIMITS__MAX_STEP: there is no such setting; did you mean COWHAND__LIMITS__MAX_STEPS?"]
    );
    assert!(reading.usable().is_ok());
}

#[test]
fn a_section_alone_is_told_how_a_variable_goes_on() {
    assert!(problems("COWHAND__LIMIT", "3")[0].contains("did you mean COWHAND__LIMITS__KEY?"));
}

#[test]
fn a_variable_that_is_like_none_is_a_warning_too() {
    for name in ["COWHAND__", "COWHAND__NOTHING__LIKE__IT", "COWHAND____X", "COWHAND__LIMITS__MAX_STEPS__MORE"] {
        let machine = Machine::new().variable(name, "3");
        let reading = machine.read();

        assert!(told(&machine, &reading)[0].contains("there is no such setting"), "{name}");
        assert!(reading.usable().is_ok());
    }
}

#[test]
fn a_wrong_value_is_fatal_and_names_the_variable() {
    for wrong in ["many", "on", "-1", "1.5", "true", "[1]", "99999999999999999999"] {
        let machine = Machine::new().variable("COWHAND__LIMITS__MAX_STEPS", wrong);
        let reading = machine.read();

        assert_eq!(reading.fatal().count(), 1, "{wrong}");
        let told = told(&machine, &reading);
        let start =
            "variable COWHAND__LIMITS__MAX_STEPS: `limits.max_steps`: expected a whole number, 1 or more, found";
        assert!(told[0].starts_with(start), "{told:?}");
    }
}

#[test]
fn a_whole_section_is_no_value() {
    assert!(problems("COWHAND__LIMITS", "3")[0].contains("`limits`: expected a section, found integer `3`"));
}

#[test]
fn an_empty_variable_is_not_there() {
    assert_eq!(problems("COWHAND__LIMITS__MAX_STEPS", ""), [] as [&str; 0]);
}

#[test]
fn other_variables_are_left_alone() {
    assert_eq!(problems("COWHAND_TEST_POINT", "x"), [] as [&str; 0]);
}

#[test]
fn a_value_that_is_not_utf_8_is_fatal() {
    use std::ffi::OsString;
    use std::os::unix::ffi::OsStringExt;
    let value = OsString::from_vec(vec![0xff]);
    let environment = Environment::from_iter([("COWHAND__LIMITS__MAX_STEPS", value)]);
    let places = ConfigPlaces::Usual { system: "/nowhere".into(), user: None };

    let reading = Sources { places, environment: &environment, overrides: Vec::new() }.read();

    assert_eq!(
        reading.fatal().map(Finding::to_string).collect::<Vec<_>>(),
        ["variable COWHAND__LIMITS__MAX_STEPS: its value is not UTF-8"]
    );
}

#[test]
fn a_key_that_is_written_into_a_variable_is_refused_and_not_shown() {
    let told = problems("COWHAND__MODELS__VENDORS__OPENAI__KEY", "sk-test-abc");

    assert!(told[0].contains("`models.vendors.openai.key`: a secret is not written into settings"), "{told:?}");
    assert!(!told[0].contains("sk-test"), "{told:?}");
}

#[test]
fn a_vendor_with_a_dash_in_its_name_can_be_set() {
    let machine = Machine::new().variable("COWHAND__MODELS__VENDORS__LLAMA_CPP__WINDOW", "4096");

    assert_eq!(machine.read().settings.models.vendors["llama-cpp"].window, Some(4096));
}
