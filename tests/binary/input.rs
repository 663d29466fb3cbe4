//! Input that is not what it should be.

use testkit::{ScriptedModel, Step};

use crate::support::process::{Place, of_type, said, text};

fn answers(events: &[serde_json::Value]) -> Vec<String> {
    of_type(events, "turn_finished").iter().map(text).collect()
}

#[tokio::test]
async fn an_empty_line_is_nothing() {
    let model = ScriptedModel::start().await;
    model.script([Step::text("one"), Step::text("two")]);
    let place = Place::with(&model);

    let events = place.events("\n  \na\n\n\t\r\nb\n\n").await;

    assert_eq!(answers(&events), ["one", "two"]);
    assert_eq!(of_type(&events, "notice"), Vec::<serde_json::Value>::new());
}

#[tokio::test]
async fn no_input_at_all_is_done() {
    let place = Place::with_demo();

    for input in ["", "\n\n"] {
        let ended = place.run(&["chat"], input).await;

        assert_eq!((ended.code, ended.stdout.as_str()), (0, ""), "{ended:?}");
    }
}

#[tokio::test]
async fn an_empty_message_is_done() {
    let ended = Place::with_demo().run(&["chat", "--json", ""], "").await;

    assert_eq!((ended.code, ended.stdout.as_str()), (0, ""), "{ended:?}");
}

#[tokio::test]
async fn a_line_of_five_megabytes_is_refused_with_the_limit_and_the_pipe_goes_on() {
    let model = ScriptedModel::start().await;
    model.respond_with(|request| Step::text(format!("echo {}", said(request))));
    let place = Place::with(&model);
    let input = format!("before\n{}\nafter\n", "x".repeat(5 << 20));

    let ended = place.run(&["chat", "--json"], input).await;

    assert_eq!((ended.code, ended.answers()), (1, vec!["echo before".to_owned(), "echo after".to_owned()]));
    let notices: Vec<String> = of_type(&ended.events(), "notice").iter().map(text).collect();
    assert_eq!(notices.len(), 1);
    assert!(notices[0].contains("1 MiB"), "{notices:?}");
}

#[tokio::test]
async fn a_line_just_under_the_limit_is_taken() {
    let model = ScriptedModel::start().await;
    model.script([Step::text("long")]);
    let place = Place::with(&model);
    let line = "y".repeat(1 << 20);

    let events = place.events(&line).await;

    assert_eq!(answers(&events), ["long"]);
    assert_eq!(said(model.request(1).await).len(), line.len());
}

#[tokio::test]
async fn nul_bytes_and_invalid_utf8_are_replaced_with_a_notice() {
    let model = ScriptedModel::start().await;
    model.script([Step::text("odd"), Step::text("plain")]);
    let place = Place::with(&model);

    let events = place.events(b"a\0b\xffc\nplain\n").await;

    assert_eq!(answers(&events), ["odd", "plain"]);
    assert_eq!(said(model.request(1).await), "a\u{fffd}b\u{fffd}c");
    let notices = of_type(&events, "notice");
    assert_eq!(notices.len(), 1, "{notices:?}");
    assert!(text(&notices[0]).contains("U+FFFD"));
}

#[tokio::test]
async fn in_plain_a_notice_goes_to_standard_error() {
    let ended = Place::with_demo().run(&["chat"], b"who are you? \xff\n").await;

    assert_eq!(ended.code, 0);
    assert!(ended.stderr.contains("U+FFFD") && !ended.stdout.contains("U+FFFD"), "{ended:?}");
}

#[tokio::test]
async fn a_reader_that_went_away_is_no_failure() {
    let place = Place::with_demo();
    let mut shell = std::process::Command::new("sh");
    let program = place.command(&[]).get_program().to_owned();
    shell.args(["-c", r#"yes hello | head -n 500 | "$0" chat | head -n 1; echo "${PIPESTATUS:-}""#]).arg(program);
    shell.current_dir(place.work()).env_clear().env("PATH", std::env::var_os("PATH").expect("a PATH"));
    shell.env("HOME", place.work()).env("COWHAND_DATA_DIR", place.data()).env("COWHAND_MODEL", "demo");

    let output = tokio::process::Command::from(shell).output();
    let output = testkit::bound::within_limit("the end of the pipeline", output).await.expect("sh is there");

    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
}
