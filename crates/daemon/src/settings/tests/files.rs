//! Configuration files, good and bad.

use super::*;
use crate::exit::Exit;

fn problems(user: &str) -> Vec<String> {
    let machine = Machine::new().user(user);
    told(&machine, &machine.read())
}

#[test]
fn each_place_counts_more_than_the_one_before() {
    let machine = Machine::new()
        .system("[limits]\nmax_steps = 1\nretries = 1\nlongest_pause_s = 1\n")
        .user("[limits]\nmax_steps = 2\nretries = 2\n")
        .variable("COWHAND__LIMITS__MAX_STEPS", "3");

    let limits = machine.read().settings.limits;

    assert_eq!((limits.max_steps, limits.retries, limits.longest_pause_s), (3, 2, 1));
    assert_eq!(limits.tool_result_chars, turn::Limits::default().tool_result_chars);
}

#[test]
fn an_argument_counts_more_than_a_variable() {
    let machine = Machine::new().variable("COWHAND__LANGUAGE", "en").argument("--language", "language", "zh");

    let reading = machine.read();

    assert_eq!(reading.settings.language, LanguageChoice::Chinese);
    assert_eq!(reading.origin(&KeyPath::dotted("language")), "argument --language");
}

#[test]
fn a_named_file_replaces_both_usual_ones() {
    let machine = Machine::new()
        .system("[limits]\nmax_steps = 1\n")
        .user("[limits]\nretries = 1\n")
        .file("named.toml", "language = \"zh\"\n")
        .named("named.toml");

    let settings = machine.read().settings;

    assert_eq!(settings, Settings { language: LanguageChoice::Chinese, ..Settings::default() });
}

#[test]
fn every_value_knows_where_it_comes_from() {
    let machine =
        Machine::new().user("[limits]\nmax_steps = 2\n\nretries = 7\n").variable("COWHAND__LIMITS__MAX_STEPS", "3");
    let reading = machine.read();
    let origin = |path: &str| reading.origin(&KeyPath::dotted(path));

    assert_eq!(origin("limits.max_steps"), "variable COWHAND__LIMITS__MAX_STEPS");
    assert_eq!(origin("limits.retries"), format!("{}, line 4", machine.path("user.toml").display()));
    assert_eq!(origin("limits.longest_pause_s"), "default");
}

#[test]
fn without_any_file_the_defaults_hold() {
    let machine = Machine::new();
    let reading = machine.read();

    assert_eq!(reading.settings, Settings::default());
    let missing = |name| (machine.path(name), FileState::Missing);
    assert_eq!(reading.files, [missing("system.toml"), missing("user.toml")]);
    assert!(reading.usable().is_ok());
}

#[test]
fn an_unknown_key_names_its_line_and_the_nearest_one() {
    assert_eq!(
        problems("language = \"en\"\n\n[limits]\nmax_step = 3\n"),
        ["user.toml, line 4: unknown key `limits.max_step`; did you mean `limits.max_steps`?"]
    );
    assert_eq!(
        problems("[limit]\nmax_steps = 3\n"),
        ["user.toml, line 1: unknown key `limit`; did you mean `limits`?"]
    );
}

#[test]
fn a_key_in_the_wrong_section_is_told_the_right_one() {
    assert_eq!(
        problems("max_steps = 3\n"),
        ["user.toml, line 1: unknown key `max_steps`; did you mean `limits.max_steps`?"]
    );
}

#[test]
fn a_key_that_is_like_none_is_told_what_there_is() {
    let told = problems("[log]\ncolour = true\n");

    assert_eq!(told, ["user.toml, line 2: unknown key `log.colour`; known here: level, format, file"]);
}

#[test]
fn no_section_takes_a_key_that_it_does_not_know() {
    let sections = serde_json::to_value(Settings::default()).unwrap();
    for (section, _) in sections.as_object().unwrap().iter().filter(|(_, value)| value.is_object()) {
        let told = problems(&format!("[{section}]\nallowd_users = [1]\n"));

        assert!(told[0].contains(&format!("line 2: unknown key `{section}.allowd_users`")), "{told:?}");
    }
}

#[test]
fn a_wrong_type_names_key_line_and_what_was_expected() {
    assert_eq!(
        problems("[limits]\nlongest_pause_s = \"30s\"\n"),
        ["user.toml, line 2: `limits.longest_pause_s`: expected a whole number, 0 or more, found string \"30s\""]
    );
    assert_eq!(
        problems("[limits]\nmax_steps = -1\n"),
        ["user.toml, line 2: `limits.max_steps`: expected a whole number, 1 or more, found integer `-1`"]
    );
    assert_eq!(
        problems("[log]\nformat = \"xml\"\n"),
        ["user.toml, line 2: `log.format`: expected `text` or `json`, found `xml`"]
    );
    assert_eq!(problems("limits = 3\n"), ["user.toml, line 1: `limits`: expected a section, found integer `3`"]);
}

#[test]
fn a_number_in_quotes_is_no_number() {
    assert!(problems("[limits]\nmax_steps = \"30\"\n")[0].contains("found string \"30\""));
}

#[test]
fn a_duplicate_key_is_refused() {
    assert_eq!(
        problems("[limits]\nretries = 1\nretries = 2\n"),
        ["user.toml, line 3: the key `retries` is there twice"]
    );
}

#[test]
fn a_syntax_error_names_its_line_and_quotes_nothing() {
    let told = problems("[log]\nlevel = sk-test-abc\n");

    assert!(told[0].starts_with("user.toml, line 2: "), "{told:?}");
    assert!(!told.concat().contains("sk-test"), "{told:?}");
}

#[test]
fn all_problems_are_found_in_every_file() {
    let machine = Machine::new().system("[limits]\nmax_step = 3\n").user("languag = \"en\"\n[log]\nformat = 5\n");

    let reading = machine.read();

    assert_eq!(reading.fatal().count(), 3);
    let failure = reading.usable().err().unwrap();
    assert_eq!(failure.exit, Exit::Config);
    assert!(failure.message.starts_with("3 problems in the configuration\n  "), "{failure}");
}

#[test]
fn problems_are_told_in_the_order_of_their_lines() {
    let told = problems("zzz = 1\n[limits]\nmax_steps = \"x\"\naaa = 1\n");

    assert!(told.iter().zip(["line 1", "line 3", "line 4"]).all(|(told, line)| told.contains(line)), "{told:?}");
}

#[test]
fn a_named_file_that_is_missing_is_refused() {
    let machine = Machine::new().named("nowhere.toml");

    assert_eq!(told(&machine, &machine.read()), ["nowhere.toml: there is no such file"]);
}

#[test]
fn a_folder_is_no_configuration() {
    let machine = Machine::new().named("");

    assert!(told(&machine, &machine.read())[0].ends_with("this is a folder, not a file"));
}

#[test]
fn what_is_far_too_large_is_not_read() {
    let machine = Machine::new().file("big.toml", "#\n".repeat(600_000)).named("big.toml");

    assert_eq!(told(&machine, &machine.read()), ["big.toml: it is larger than 1 MiB; is this the right file?"]);
}

#[test]
fn a_file_without_an_end_is_not_read_to_it() {
    let mut machine = Machine::new();
    machine.named = Some("/dev/zero".into());

    assert_eq!(told(&machine, &machine.read()), ["/dev/zero: it is larger than 1 MiB; is this the right file?"]);
}

#[test]
fn invalid_utf_8_names_its_line() {
    let machine = Machine::new().file("user.toml", b"# fine\nlanguage = \"\xff\"\n");

    assert_eq!(told(&machine, &machine.read()), ["user.toml: it is not UTF-8 text: the first wrong byte is in line 2"]);
}

#[test]
fn an_empty_file_and_a_byte_order_mark_are_fine() {
    assert_eq!(problems(""), [] as [&str; 0]);
    assert_eq!(problems("\u{feff}language = \"en\"\n"), [] as [&str; 0]);
}

#[test]
fn thousands_of_problems_are_not_all_listed_and_nothing_starts() {
    let unknown: String = (0..5_000).map(|number| format!("key{number} = 1\n")).collect();
    let off: String = (0..5_000).map(|number| format!("models.vendors.v{number}.window = true\n")).collect();

    for text in [unknown, off] {
        let machine = Machine::new().user(&text);
        let reading = machine.read();

        assert_eq!(reading.findings.len(), 51);
        assert!(reading.usable().is_err());
    }
}

#[test]
fn a_key_that_is_written_out_puts_its_vendor_off_and_is_not_shown() {
    let told = problems("[models.vendors.openai]\nkey = \"sk-test-abc\"\n");

    assert!(told[0].starts_with("user.toml, line 2: `models.vendors.openai.key`: a secret is not written"), "{told:?}");
    assert!(told[0].ends_with("models.vendors.openai is off until this is put right"), "{told:?}");
    assert!(!told[0].contains("sk-test"), "{told:?}");
}
