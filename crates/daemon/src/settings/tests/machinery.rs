//! What settings may have some day: vendors by name, secrets, lists, keys of earlier versions.

use std::collections::BTreeMap;

use super::super::renamed::Renamed;
use super::*;

#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Sample {
    name: String,
    words: Vec<String>,
    wait_s: u32,
    servers: BTreeMap<String, Server>,
}

#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Server {
    url: String,
    key: Option<String>,
    window: Option<u32>,
}

fn sample_rules() -> Rules {
    const RENAMED: &[Renamed] = &[
        Renamed { old: "timing.wait", new: Some("wait_s"), note: "" },
        Renamed { old: "colour", new: None, note: "output is never coloured" },
    ];
    Rules {
        renamed: RENAMED,
        separate: &["servers.*"],
        secret: &["servers.*.key"],
        known: known_keys::<Sample>(),
        names_with_dashes: vec!["house-server"],
    }
}

fn read(machine: &Machine) -> (Reading<Sample>, Vec<String>) {
    let reading = machine.read_as(&sample_rules());
    let told = told(machine, &reading);
    (reading, told)
}

#[test]
fn a_renamed_key_works_under_its_old_name_with_a_warning() {
    let (reading, told) = read(&Machine::new().user("name = \"a\"\n[timing]\nwait = 5\n"));

    assert_eq!(told, ["user.toml, line 3: `timing.wait` is now called `wait_s`; the old name still works"]);
    assert_eq!(reading.settings.wait_s, 5);
    assert!(reading.usable().is_ok());
}

#[test]
fn the_new_name_counts_where_both_are_there() {
    let (reading, told) = read(&Machine::new().user("wait_s = 6\n[timing]\nwait = 5\n"));

    assert!(told[0].contains("the old one is ignored"), "{told:?}");
    assert_eq!(reading.settings.wait_s, 6);
}

#[test]
fn a_removed_key_is_a_warning_that_says_why() {
    let (reading, told) = read(&Machine::new().user("colour = true\n"));

    assert_eq!(told, ["user.toml, line 1: `colour` has no meaning any more: output is never coloured"]);
    assert!(reading.usable().is_ok());
}

#[test]
fn a_renamed_key_works_as_a_variable_too() {
    let (reading, told) = read(&Machine::new().variable("COWHAND__TIMING__WAIT", "5"));

    assert!(told[0].starts_with("variable COWHAND__TIMING__WAIT: `timing.wait` is now called `wait_s`"), "{told:?}");
    assert_eq!(reading.settings.wait_s, 5);
}

#[test]
fn a_wrong_value_in_one_section_puts_only_that_one_off() {
    let (reading, told) =
        read(&Machine::new().user("[servers.a]\nurl = 5\n[servers.b]\nurl = \"http://b\"\nwindow = 9\n"));

    assert_eq!(
        told,
        [
            "user.toml, line 2: `servers.a.url`: expected text in quotes, found integer `5`; servers.a is off until this is put right"
        ]
    );
    assert_eq!(reading.settings.servers.keys().collect::<Vec<_>>(), ["b"]);
    assert!(reading.usable().is_ok());
}

#[test]
fn an_unknown_key_is_fatal_in_such_a_section_too() {
    let (reading, told) = read(&Machine::new().user("[servers.a]\nulr = \"http://a\"\n"));

    assert_eq!(told, ["user.toml, line 2: unknown key `servers.a.ulr`; did you mean `servers.a.url`?"]);
    assert!(reading.usable().is_err());
}

#[test]
fn what_a_lower_place_says_of_a_section_that_is_off_is_off_too() {
    let machine = Machine::new().system("[servers.a]\nurl = \"http://a\"\n").user("[servers.a]\nwindow = \"big\"\n");

    let (reading, _) = read(&machine);

    assert_eq!(reading.settings.servers, BTreeMap::new());
}

#[test]
fn a_wrong_value_of_a_secret_is_not_shown() {
    let (_, told) = read(&Machine::new().user("[servers.a]\nkey = 123456\n"));

    assert!(told[0].contains("a secret is not written into settings"), "{told:?}");
    assert!(!told[0].contains("123456"), "{told:?}");
}

#[test]
fn a_wrong_value_in_a_variable_is_fatal_in_any_section() {
    let (reading, told) = read(&Machine::new().variable("COWHAND__SERVERS__A__WINDOW", "big"));

    assert_eq!(reading.fatal().count(), 1);
    assert!(
        told[0].contains("`servers.a.window`: expected a whole number, 0 or more, found string \"big\""),
        "{told:?}"
    );
}

#[test]
fn a_variable_adds_to_a_section_of_a_file() {
    let machine = Machine::new().user("[servers.a]\nurl = \"http://a\"\n").variable("COWHAND__SERVERS__A__WINDOW", "9");

    let (reading, _) = read(&machine);

    assert_eq!(reading.settings.servers["a"], Server { url: "http://a".into(), key: None, window: Some(9) });
}

#[test]
fn a_variable_can_hold_a_list_and_text_that_looks_like_a_number() {
    let machine = Machine::new().variable("COWHAND__WORDS", "[\"a\", \"b\"]").variable("COWHAND__NAME", "123");

    let (reading, told) = read(&machine);

    assert_eq!(told, [] as [&str; 0]);
    assert_eq!((reading.settings.words, reading.settings.name), (vec!["a".into(), "b".into()], "123".into()));
}

#[test]
fn a_list_of_a_later_place_replaces_the_earlier_one() {
    let (reading, _) = read(&Machine::new().system("words = [\"a\", \"b\"]\n").user("words = [\"c\"]\n"));

    assert_eq!(reading.settings.words, ["c"]);
}

#[test]
fn a_section_by_a_name_with_dots_stays_one_section() {
    let (reading, _) = read(&Machine::new().user("[servers.\"a.b\"]\nurl = \"http://a\"\n"));

    assert_eq!(reading.settings.servers.keys().collect::<Vec<_>>(), ["a.b"]);
}

#[test]
fn a_variable_spells_a_name_with_dashes_by_underscores() {
    let (reading, told) = read(&Machine::new().variable("COWHAND__SERVERS__HOUSE_SERVER__WINDOW", "9"));

    assert_eq!(told, [] as [&str; 0]);
    assert_eq!(reading.settings.servers.keys().collect::<Vec<_>>(), ["house-server"]);
}

#[test]
fn an_unknown_variable_of_a_named_section_is_told_the_nearest_one() {
    let (_, told) = read(&Machine::new().variable("COWHAND__SERVERS__A__WINDWO", "9"));

    assert!(told[0].contains("did you mean COWHAND__SERVERS__A__WINDOW?"), "{told:?}");
}
