use std::fs;
use std::path::PathBuf;

use serde_json::json;
use tokio::sync::mpsc;

use crate::builtin::playground::Playground;
use crate::{Registry, Settings, builtin};

#[tokio::test]
async fn a_command_runs_in_the_working_folder_and_tells_its_exit_code() {
    let playground = Playground::new();
    playground.put("here", "");

    assert_eq!(playground.ok("bash", json!({"command": "ls"})).await, "here\n[exit code 0]");
    assert_eq!(playground.error("bash", json!({"command": "exit 7"})).await, "(no output)\n[exit code 7]");
}

#[tokio::test]
async fn output_and_errors_come_in_the_order_in_which_they_are_written() {
    let command = "echo 1; echo 2 >&2; echo 3; printf 4 >&2";

    assert_eq!(Playground::new().ok("bash", json!({"command": command})).await, "1\n2\n3\n4\n[exit code 0]");
}

#[tokio::test]
async fn a_search_without_a_hit_is_no_failure() {
    let playground = Playground::new();

    let answer = "(no output)\n[exit code 1: an answer of this program, not a failure]";
    assert_eq!(playground.ok("bash", json!({"command": "echo a | grep b"})).await, answer);
    playground.error("bash", json!({"command": "grep b missing-file"})).await;
    playground.error("bash", json!({"command": "grep b </dev/null || false"})).await;
}

#[tokio::test]
async fn a_command_has_no_input() {
    assert_eq!(Playground::new().ok("bash", json!({"command": "wc -c"})).await, "0\n[exit code 0]");
}

#[tokio::test]
async fn a_command_may_begin_with_a_dash_and_end_by_a_signal() {
    let playground = Playground::new();

    let dash = playground.error("bash", json!({"command": "-x"})).await;
    let signal = playground.error("bash", json!({"command": "kill -9 $$"})).await;

    assert!(
        dash.contains("-x: command not found") && dash.ends_with("[exit code 127: a command was not found]"),
        "{dash}"
    );
    assert_eq!(signal, "(no output)\n[ended by signal 9 (SIGKILL, perhaps for want of memory)]");
}

#[tokio::test]
async fn bytes_that_are_no_text_arrive_as_replacement_characters() {
    let output = Playground::new().ok("bash", json!({"command": r"printf '\x61\xED\xA0\xBD\x62\x0A'"})).await;

    assert!(output.starts_with("a\u{FFFD}") && output.ends_with("b\n[exit code 0]"), "{output:?}");
}

#[tokio::test]
async fn of_a_long_output_both_ends_are_shown_and_all_of_it_is_kept() {
    let output = Playground::new().ok("bash", json!({"command": "seq 700000"})).await;

    assert!(output.len() < 50_000 && output.starts_with("1\n2\n"));
    assert!(output.ends_with("\n699999\n700000\n[exit code 0]"));
    let (_, rest) = output.split_once("the whole of it is in ").unwrap();
    let path = PathBuf::from(rest.split_once(" …]").unwrap().0);
    let whole: String = (1..=700_000).map(|number| format!("{number}\n")).collect();
    assert_eq!(fs::read_to_string(&path).unwrap(), whole);
    fs::remove_file(path).unwrap();
}

#[tokio::test]
async fn a_command_that_takes_too_long_is_ended() {
    let error = Playground::new().error("bash", json!({"command": "echo begun; sleep 600", "timeout": "1"})).await;

    assert_eq!(error, "begun\n[timed out after 1 s, and ended with all that it had started]");
}

#[tokio::test]
async fn what_people_are_told_meanwhile_is_the_last_output() {
    let playground = Playground::new();
    let cancelled = playground.cancelled.clone();
    let (sender, mut told) = mpsc::unbounded_channel();

    let call = playground.call_with("bash", json!({"command": "echo begun; sleep 600"}), move |text| {
        let _ = sender.send(text);
    });
    let first = async {
        let first = told.recv().await.unwrap();
        cancelled.cancel();
        first
    };
    let (result, first) = tokio::join!(call, first);

    assert_eq!(first, "begun\n");
    assert!(result.is_error);
    assert!(result.content.starts_with("begun\n[cancelled after "), "{}", result.content);
}

#[tokio::test]
async fn what_still_runs_in_the_background_is_ended_and_named() {
    let command = "sleep 600 & until [ $(cat /proc/$!/comm) = sleep ]; do :; done; echo done";

    let output = Playground::new().ok("bash", json!({"command": command})).await;

    assert_eq!(output, "done\n[exit code 0]\n[still running in the background, and ended: sleep]");
}

#[tokio::test]
async fn a_command_has_no_terminal_to_ask_at() {
    let error = Playground::new().error("bash", json!({"command": "read answer </dev/tty"})).await;

    assert!(error.contains("/dev/tty"), "{error}");
}

#[tokio::test]
async fn a_timeout_out_of_bounds_is_refused_with_advice() {
    let playground = Playground::new();

    let long = playground.error("bash", json!({"command": "true", "timeout": 601})).await;
    let none = playground.error("bash", json!({"command": "true", "timeout": 0})).await;

    let advice = "for what takes longer, set `run_in_background` and look at the job later";
    assert_eq!(long, format!("`timeout` may be at most 600 seconds; {advice}"));
    assert_eq!(none, "`timeout` must be at least 1 second");
}

#[tokio::test]
async fn exit_codes_that_mean_something_are_explained() {
    let playground = Playground::new();
    playground.put("no program", "x");

    for (command, told) in [
        ("'./no program'", "[exit code 126: found, but it cannot be executed]"),
        ("no-such-command", "[exit code 127: a command was not found]"),
        ("sh -c 'kill -9 $$'; exit $?", "[exit code 137: ended by signal 9 (SIGKILL, perhaps for want of memory)]"),
        ("kill -SEGV $$", "[ended by signal 11 (SIGSEGV)]"),
        ("exit 255", "[exit code 255]"),
    ] {
        let error = playground.error("bash", json!({"command": command})).await;
        assert!(error.ends_with(told), "{error}");
    }
}

#[tokio::test]
async fn output_for_a_terminal_arrives_as_plain_text() {
    let command = r"printf '\e]0;title\a\e[1;32mok\e[0m\n10%%\r100%%\r\n'";

    assert_eq!(Playground::new().ok("bash", json!({"command": command})).await, "ok\n100%\n[exit code 0]");
}

#[tokio::test]
async fn a_job_is_started_looked_at_listed_and_ended() {
    let playground = Playground::new();

    let started = playground.ok("bash", json!({"command": "echo begun; sleep 600", "run_in_background": true})).await;
    let id = started.split(' ').nth(1).unwrap();
    let listed = playground.ok("bash", json!({"job": "list"})).await;
    let ended = playground.ok("bash", json!({"job": id, "kill": true})).await;
    let later = playground.ok("bash", json!({"job": id})).await;

    assert_eq!(
        started,
        format!("[job {id} runs in the background; call with \"job\": \"{id}\" to see what it writes]")
    );
    assert!(
        listed.starts_with(&format!("{id} runs, for ")) && listed.ends_with(" s: echo begun; sleep 600"),
        "{listed}"
    );
    assert!(ended.contains(&format!("[job {id} was ended after ")), "{ended}");
    assert!(later.starts_with("(no new output)\n"), "{later}");
}

#[tokio::test]
async fn a_call_that_asks_for_nothing_or_for_two_things_is_refused() {
    let playground = Playground::new();

    let nothing = playground.error("bash", json!({})).await;
    let two = playground.error("bash", json!({"command": "ls", "job": "0-1"})).await;
    let unknown = playground.error("bash", json!({"job": "0-1", "command": ""})).await;
    let long = playground.error("bash", json!({"command": "ls", "run_in_background": true, "timeout": 3601})).await;

    assert_eq!(nothing, "bash is called without `command`, and without a `job` to look at");
    assert!(two.starts_with("`command` and `job` do not go together"), "{two}");
    assert!(unknown.starts_with("there is no job `0-1`"), "{unknown}");
    assert_eq!(long, "`timeout` of a job may be at most 3600 seconds");
}

#[tokio::test]
async fn a_command_that_the_system_would_not_take_is_refused() {
    let playground = Playground::new();

    let longest = format!("true {}", "x".repeat(128 * 1024 - 6));
    playground.ok("bash", json!({"command": longest})).await;
    let long = playground.error("bash", json!({"command": format!("{longest}x")})).await;
    let nul = playground.error("bash", json!({"command": "a\u{0}"})).await;
    let empty = playground.error("bash", json!({"command": " "})).await;

    assert!(long.contains("too long for the system"), "{long}");
    assert_eq!([nul, empty], ["`command` contains a NUL character", "`command` is empty"]);
}

#[tokio::test]
async fn no_variable_of_this_process_but_the_harmless_ones_reaches_a_command() {
    assert!(std::env::var_os("CARGO_MANIFEST_DIR").is_some(), "there is something to keep back");

    let command = "printenv; env -0 | tr '\\0' '\\n'; tr '\\0' '\\n' </proc/self/environ";
    let output = Playground::new().ok("bash", json!({"command": command})).await;

    let names = output.lines().filter_map(|line| Some(line.split_once('=')?.0));
    let known = ["PATH", "HOME", "LANG", "LANGUAGE", "TERM", "TZ", "USER", "LOGNAME", "SHELL", "TMPDIR"];
    let of_the_shell = ["PWD", "OLDPWD", "SHLVL", "_"];
    let is_fine = |name: &str| {
        known.contains(&name) || of_the_shell.contains(&name) || name.starts_with("LC_") || name.starts_with("XDG_")
    };
    let others: Vec<&str> = names.filter(|name| !is_fine(name)).collect();
    assert!(others.is_empty(), "{others:?}");
    assert!(output.contains("TERM=dumb\n"));
}

#[tokio::test]
async fn a_variable_is_passed_on_where_settings_say_so() {
    let mut playground = Playground::new();
    playground.settings.pass_environment = vec!["CARGO_PKG_NAME".into()];

    assert_eq!(playground.ok("bash", json!({"command": "echo $CARGO_PKG_NAME"})).await, "tools\n[exit code 0]");
}

#[tokio::test]
async fn another_shell_is_used_and_told_where_settings_say_so() {
    let mut playground = Playground::new();
    playground.settings.shell = Some("/bin/sh".into());

    let output = playground.ok("bash", json!({"command": "echo $0 $1"})).await;

    let tools = Registry::new(builtin(&playground.settings));
    assert_eq!(output, "/bin/sh\n[exit code 0]");
    assert!(tools.get("bash").unwrap().spec().description.ends_with(" The shell is /bin/sh."));
}

#[test]
fn the_model_is_told_the_times_that_are_set() {
    let settings: Settings =
        serde_json::from_value(json!({"bash_timeout_s": 900, "bash_longest_timeout_s": 300})).unwrap();

    let tools = Registry::new(builtin(&settings));

    let parameters = &tools.get("bash").unwrap().spec().parameters;
    let description = parameters["properties"]["timeout"]["description"].as_str().unwrap();
    assert_eq!(description, "Seconds after which it is ended; 300 if left out, at most 300; of a job 3600.");
}

#[tokio::test]
async fn a_working_folder_that_is_gone_is_named() {
    let playground = Playground::new();
    fs::remove_dir(playground.path("")).unwrap();

    let error = playground.error("bash", json!({"command": "true"})).await;

    assert!(error.starts_with("the working folder `") && error.ends_with("does not exist"), "{error}");
}
