//! One message, and lines one after the other.

use testkit::{Gate, ScriptedModel, Step};

use crate::support::process::{Place, said, text, transcript};

fn echo(model: &ScriptedModel) {
    model.respond_with(|request| Step::text(format!("echo {}", said(request))));
}

#[tokio::test]
async fn one_message_is_answered_and_that_is_all() {
    let model = ScriptedModel::start().await;
    model.script([Step::text("Good day.")]);
    let place = Place::with(&model);

    let ended = place.run(&["chat", "hello"], "this is not read\n").await;

    assert_eq!((ended.code, ended.stdout.as_str()), (0, "Good day.\n"), "{ended:?}");
    assert_eq!(said(model.request(1).await), "hello");
    model.finish();
}

#[tokio::test]
async fn lines_are_answered_one_after_the_other() {
    let model = ScriptedModel::start().await;
    echo(&model);
    let place = Place::with(&model);

    let ended = place.run(&["chat"], "one\ntwo\nthree").await;

    assert_eq!((ended.code, ended.stdout.as_str()), (0, "echo one\necho two\necho three\n"), "{ended:?}");
    assert!(transcript(model.request(3).await).contains("user: one\nassistant: echo one\nuser: two"));
}

#[tokio::test]
async fn many_more_lines_than_are_read_ahead_are_all_answered_in_order() {
    let model = ScriptedModel::start().await;
    echo(&model);
    let place = Place::with(&model);
    let lines: Vec<String> = (1..=45).map(|number| format!("line {number}")).collect();

    let ended = place.run(&["chat", "--json"], lines.join("\n")).await;

    let expected: Vec<String> = lines.iter().map(|line| format!("echo {line}")).collect();
    assert_eq!((ended.code, ended.answers()), (0, expected));
}

#[tokio::test]
async fn at_most_twenty_lines_are_read_ahead() {
    let model = ScriptedModel::start().await;
    let gate = Gate::new();
    model.script([Step::empty().gate(&gate).then_text("at last")]);
    echo(&model);
    let place = Place::with(&model);
    let mut process = place.start(&["chat", "--json"]);

    process.says("first").await;
    for number in 2..20 {
        process.says(&format!("line {number}")).await;
    }
    let ahead = process.status().await;
    process.says("one too many").await;
    process.says("/status").await;
    gate.open();

    assert!(ahead.contains("waiting: 18"), "{ahead}");
    let events = process.ends().await;
    let kinds: Vec<String> = events.stdout.lines().map(ToOwned::to_owned).collect();
    let first_end = kinds.iter().position(|line| line.contains("\"at last\",\"steps\"")).expect("the first turn ended");
    let late_status = kinds.iter().rposition(|line| line.contains("messages waiting")).expect("it was read");
    assert!(late_status > first_end, "{}", events.stdout);
    assert_eq!((events.code, events.answers().len()), (0, 20));
}

#[tokio::test]
async fn a_failed_turn_names_its_cause_and_the_pipe_goes_on() {
    let model = ScriptedModel::start().await;
    model.script([Step::status(401), Step::text("fine")]);
    let place = Place::with(&model);

    let ended = place.run(&["chat"], "one\ntwo\n").await;

    let lines: Vec<&str> = ended.stdout.lines().collect();
    assert_eq!((ended.code, lines.len()), (1, 2), "{ended:?}");
    assert!(lines[0].to_lowercase().contains("key"), "{}", lines[0]);
    assert_eq!(lines[1], "fine");
}

#[tokio::test]
async fn a_wrong_key_fails_the_turn_and_is_named() {
    let model = ScriptedModel::start().await;
    let place = Place::with(&model).set("OPENAI_API_KEY", "sk-of-somebody-else");

    let ended = place.run(&["chat", "--json", "hello"], "").await;

    assert_eq!(ended.code, 1);
    let end = ended.ends().remove(0);
    assert_eq!((&end["outcome"], &end["error"]["class"]), (&"failed".into(), &"auth".into()));
    assert!(text(&end).to_lowercase().contains("key"), "{end}");
    assert!(!ended.stdout.contains("sk-of-somebody-else") && !ended.stderr.contains("sk-of-somebody-else"));
    assert_eq!(model.take_refusals().len(), 1);
}

#[tokio::test]
async fn without_a_network_the_turn_fails_and_says_which_server_was_not_reached() {
    let closed = std::net::TcpListener::bind("127.0.0.1:0").expect("loopback is there");
    let address = closed.local_addr().expect("it is bound");
    drop(closed);
    let place = Place::new()
        .set("OPENAI_API_KEY", "sk-any")
        .set("OPENAI_BASE_URL", &format!("http://{address}/v1"))
        .set("COWHAND__LIMITS__RETRIES", "0");

    let ended = place.run(&["chat", "--json", "hello"], "").await;

    assert_eq!(ended.code, 1);
    let end = ended.ends().remove(0);
    assert_eq!((&end["outcome"], &end["error"]["class"]), (&"failed".into(), &"network".into()));
    assert!(text(&end).contains(&address.to_string()), "{end}");
}

#[tokio::test]
async fn conversations_of_two_names_know_nothing_of_each_other() {
    let model = ScriptedModel::start().await;
    echo(&model);
    let place = Place::with(&model);

    for (name, said) in [("a", "plum"), ("b", "pear"), ("a", "again")] {
        assert_eq!(place.run(&["chat", "--conversation", name, said], "").await.code, 0);
    }

    assert_eq!(transcript(model.request(2).await), "user: pear");
    assert_eq!(transcript(model.request(3).await), "user: plum\nassistant: echo plum\nuser: again");
}
