//! The bot as a service: its start, its end, and the commands that talk to it.

use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use rustix::process::Signal;
use serde_json::Value;

use crate::support::process::{Place, Process};

/// A place with a chat service that is not there: nothing listens at its address.
fn place() -> Place {
    Place::with_demo().set("TELEGRAM_BOT_TOKEN", "1:none").set("COWHAND__TELEGRAM__API_URL", "http://127.0.0.1:9")
}

async fn serving(place: &Place) -> Process {
    let mut process = place.start(&["serve"]);
    let line = process.line().await;
    assert!(line.contains("is ready: telegram; using demo"), "{line}");
    process
}

fn socket(place: &Place) -> PathBuf {
    place.data().join("control.sock")
}

async fn status(place: &Place) -> Value {
    let ended = place.run(&["status", "--json"], "").await;
    assert_eq!((ended.code, ended.stderr.as_str()), (0, ""));
    serde_json::from_str(&ended.stdout).expect("it is one object")
}

#[tokio::test]
async fn without_a_chat_service_it_says_how_to_configure_one_and_ends_with_78() {
    let place = Place::with_demo();

    place.run(&["serve"], "").await.refused(78, &["TELEGRAM_BOT_TOKEN", "[telegram]", "@BotFather", "cowhand chat"]);

    assert!(!place.data().exists(), "nothing was started");
}

#[tokio::test]
async fn it_shows_how_to_become_its_owner_and_ends_in_order_with_0() {
    let place = place();
    let process = serving(&place).await;
    assert!(place.data().join("workspace").is_dir());

    process.signal(Signal::TERM);
    let ended = process.leaves().await;

    assert_eq!(ended.code, 0, "{ended:?}");
    assert!(ended.stderr.contains("telegram has no owner yet"), "{ended:?}");
    assert!(!socket(&place).exists());
}

#[tokio::test]
async fn a_service_that_does_not_answer_is_told_and_the_bot_stays() {
    let place = place();
    let process = serving(&place).await;

    let channel = loop {
        let channel = status(&place).await["channels"][0].clone();
        if channel["trouble"].is_string() {
            break channel;
        }
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    };

    assert_eq!(channel["name"], "telegram");
    process.interrupts();
    let ended = process.leaves().await;
    assert_eq!(ended.code, 0, "{ended:?}");
    assert!(ended.stderr.contains("telegram: ") && ended.stderr.contains("trying again"), "{ended:?}");
}

#[tokio::test]
async fn commands_are_answered_by_the_bot_that_runs() {
    let place = place();
    let process = serving(&place).await;
    assert_eq!(socket(&place).metadata().expect("it is there").permissions().mode() & 0o777, 0o660);

    let status = status(&place).await;
    assert_eq!(
        (status["pid"].as_u64(), status["model"].as_str()),
        (Some(process.id().into()), Some("demo")),
        "{status}"
    );
    let text = place.run(&["status"], "").await;
    assert!(text.stdout.contains("telegram: not connected yet"), "{text:?}");
    place.run(&["pair", "AAAA-BBBB"], "").await.refused(2, &["no open code is AAAA-BBBB"]);
    place.run(&["stop", "somewhere"], "").await.refused(2, &["is not a conversation key"]);
    let stopped = place.run(&["stop", "telegram/1/2//"], "").await;
    assert_eq!((stopped.code, stopped.stdout.as_str()), (0, "nothing runs there\n"), "{stopped:?}");
    let reloaded = place.run(&["reload"], "").await;
    assert!(reloaded.code == 0 && reloaded.stdout.contains("who may talk"), "{reloaded:?}");

    process.interrupts();
    assert_eq!(process.leaves().await.code, 0);
}

#[tokio::test]
async fn without_a_bot_that_runs_commands_say_so() {
    let place = place();

    for arguments in [["status"].as_slice(), &["pair", "AAAA-BBBB"], &["stop", "telegram/1/2//"], &["reload"]] {
        place.run(arguments, "").await.refused(3, &["no bot answers at", "control.sock", "cowhand serve"]);
    }
}

#[tokio::test]
async fn a_socket_that_a_dead_bot_left_is_replaced() {
    let place = place();
    serving(&place).await.gets_killed().await;
    assert!(socket(&place).exists());

    let process = serving(&place).await;

    assert_eq!(status(&place).await["pid"], process.id());
    process.interrupts();
    assert_eq!(process.leaves().await.code, 0);
}

#[tokio::test]
async fn what_is_no_question_is_answered_and_harms_nobody() {
    use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
    let place = place();
    let process = serving(&place).await;
    let stream = tokio::net::UnixStream::connect(socket(&place)).await.expect("it listens");
    let (read, mut write) = stream.into_split();
    let mut lines = BufReader::new(read).lines();

    for line in ["", "{}", "nonsense", r#"{"command":"dance"}"#] {
        write.write_all(format!("{line}\n").as_bytes()).await.expect("it reads");
        let answer = lines.next_line().await.expect("it answers").expect("it answers");
        let answer: Value = serde_json::from_str(&answer).expect("it is an object");
        assert_eq!(answer["ok"], false, "{line}");
    }
    write.write_all(b"{\"command\":\"status\"}\n").await.expect("it reads");

    let answer = lines.next_line().await.expect("it answers").expect("it answers");
    assert!(answer.contains("\"ok\":true"), "{answer}");
    process.interrupts();
    assert_eq!(process.leaves().await.code, 0);
}

#[tokio::test]
async fn a_chat_beside_it_says_what_to_do() {
    let place = place();
    let process = serving(&place).await;

    let ended = place.run(&["chat", "hello"], "").await;

    ended.refused(3, &["cowhand serve", "--data-dir", &process.id().to_string()]);
    process.interrupts();
    assert_eq!(process.leaves().await.code, 0);
}

#[tokio::test]
async fn names_are_refused_where_numbers_of_people_belong() {
    let place = place();
    let file = place.file("cowhand.toml", "[access.telegram]\ntrusted = [\"@alice\"]\n");

    let ended = place.run(&["--config", crate::support::process::argument(&file), "serve"], "").await;

    ended.refused(78, &["line 2", "access.telegram.trusted", "@alice", "number"]);
}

#[tokio::test]
async fn a_token_that_is_written_out_puts_its_service_off_and_is_not_shown() {
    let place = Place::with_demo();
    let file = place.file("cowhand.toml", "[telegram]\ntoken = \"123:secret\"\n");

    for command in [["serve"].as_slice(), &["config", "check"], &["config", "show"]] {
        let arguments = [&["--config", crate::support::process::argument(&file)], command].concat();
        let ended = place.run(&arguments, "").await;

        let said = format!("{}{}", ended.stdout, ended.stderr);
        assert!(said.contains("telegram") && !said.contains("123:secret"), "{ended:?}");
    }
}
