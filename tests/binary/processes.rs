//! Nothing of a command outlives its end, however it comes, and whatever the command does against that. Processes are looked for by
//! their numbers, which they have written down.
//!
//! The names of tests that begin with a letter and a number are those of cases of other programs.

use std::collections::BTreeSet;
use std::fs;
use std::time::Duration;

use serde_json::json;
use testkit::bound::within_limit;
use testkit::{ScriptedModel, Step};
use tokio::time::sleep;

use crate::support::process::{Place, Process, transcript};

/// Starts one of each kind: plain children, what takes a session of its own, what loses its parent, what ignores the request to end,
/// what has no environment by which to know it, what goes on writing and starting, what is suspended, and much of that together.
const EVERY_KIND: &str = r#"
note() { echo $1 >>pids; }
sleep 600 & note $!
setsid sleep 600 & note $!
(sh -c 'echo $$ >>pids; exec sleep 600' &)
setsid sh -c "(sh -c 'echo \$\$ >>pids; exec sleep 600' &)"
sh -c 'trap "" TERM HUP INT; echo $$ >>pids; while :; do sleep 1; done' &
env -i setsid sh -c 'trap "" TERM; echo $$ >>pids; while :; do /bin/sleep 1; done' &
yes & note $!
env -i setsid sh -c '(trap "" TERM HUP; (sh -c "echo \$\$ >>pids; while :; do /bin/sleep 1; done" </dev/null >/dev/null 2>&1 &) &) &'
sh -c 'while :; do sh -c "sleep 0.01" & sleep 0.01; done' & note $!
sleep 600 & kill -STOP $!; note $!
note $$
trap '' TERM
echo ready
while :; do sleep 1; done
"#;

/// How many of them write themselves down.
const KINDS: usize = 11;

/// A place whose model has this command run, and is not asked again.
async fn place(command: &str) -> (Place, ScriptedModel) {
    let model = ScriptedModel::start().await;
    model.script([Step::calls([("bash", json!({"command": command}))])]);
    (Place::with(&model), model)
}

/// A place whose model has this command run for so long, and has nothing to say to what comes of it.
async fn place_to_finish(command: &str, timeout_s: u32) -> (Place, ScriptedModel) {
    let model = ScriptedModel::start().await;
    let arguments = json!({"command": command, "timeout": timeout_s});
    model.script([Step::calls([("bash", arguments)]), Step::text("done")]);
    (Place::with(&model), model)
}

async fn start(place: &Place) -> Process {
    let mut process = place.start(&["chat", "--json"]);
    process.says("work").await;
    process.sees("tool_started").await;
    process
}

/// The processes that have written themselves down, as soon as so many have.
async fn written_down(place: &Place, number: usize) -> BTreeSet<u32> {
    let read = async {
        loop {
            let text = fs::read_to_string(place.work().join("pids")).unwrap_or_default();
            let ids: BTreeSet<u32> = text.lines().filter_map(|line| line.parse().ok()).collect();
            if ids.len() >= number && text.ends_with('\n') {
                return ids;
            }
            sleep(Duration::from_millis(5)).await;
        }
    };
    within_limit("the numbers of all processes", read).await
}

/// Those that are still there, zombies among them.
fn left(ids: &BTreeSet<u32>) -> Vec<u32> {
    ids.iter().copied().filter(|id| fs::exists(format!("/proc/{id}")).expect("/proc can be read")).collect()
}

async fn until_none_is_left(ids: &BTreeSet<u32>) {
    let gone = async {
        while !left(ids).is_empty() {
            sleep(Duration::from_millis(5)).await;
        }
    };
    within_limit("the end of all processes", gone).await;
}

/// The children of a process, zombies among them.
fn children(of: u32) -> Vec<String> {
    let stats = fs::read_dir("/proc").expect("/proc can be read").flatten();
    let lines = stats.filter_map(|entry| fs::read_to_string(entry.path().join("stat")).ok());
    let parent = |line: &str| line.rsplit_once(") ").and_then(|(_, rest)| rest.split(' ').nth(1)?.parse::<u32>().ok());
    lines.filter(|line| parent(line) == Some(of)).collect()
}

/// What the tool gave back.
async fn result(model: &ScriptedModel) -> String {
    model.request(2).await.tool_results()[0].clone()
}

#[tokio::test]
async fn f05_a_stop_is_confirmed_when_no_process_of_any_kind_is_left() {
    let (place, _model) = place(EVERY_KIND).await;
    let mut process = start(&place).await;
    let ids = written_down(&place, KINDS).await;

    process.says("/stop").await;
    let end = process.sees("turn_finished").await;

    assert_eq!(left(&ids), Vec::<u32>::new());
    assert_eq!(children(process.id()), Vec::<String>::new(), "no zombie either");
    assert_eq!(end["outcome"], "stopped");
}

#[tokio::test]
async fn f05_a_command_whose_time_is_up_leaves_no_process_of_any_kind() {
    let (place, model) = place_to_finish(EVERY_KIND, 3).await;
    let mut process = start(&place).await;
    let ids = written_down(&place, KINDS).await;

    process.sees("tool_finished").await;

    assert_eq!(left(&ids), Vec::<u32>::new());
    assert_eq!(children(process.id()), Vec::<String>::new(), "no zombie either");
    assert!(result(&model).await.ends_with("[timed out after 3 s, and ended with all that it had started]"));
}

#[tokio::test]
async fn f07_a_kill_of_cowhand_itself_leaves_no_process_of_any_kind() {
    let (place, _model) = place(EVERY_KIND).await;
    let process = start(&place).await;
    let ids = written_down(&place, KINDS).await;

    process.gets_killed().await;

    until_none_is_left(&ids).await;
}

#[tokio::test]
async fn f07_no_child_is_left_when_a_turn_is_broken_off_while_output_is_read() {
    let (place, _model) = place("echo $$ >pids; exec yes").await;
    let mut process = start(&place).await;
    let ids = written_down(&place, 1).await;
    process.sees("tool_progress").await;

    process.interrupts();
    let ended = process.leaves().await;

    assert_eq!(left(&ids), Vec::<u32>::new());
    assert_eq!((ended.code, ended.ends()[0]["outcome"].as_str()), (130, Some("stopped")));
}

#[tokio::test]
async fn f13_after_the_word_that_it_was_stopped_nothing_is_written() {
    let command = "trap '' TERM; echo $$ >pids; while :; do echo x >>log; sleep 0.05; done";
    let (place, _model) = place(command).await;
    let mut process = start(&place).await;
    written_down(&place, 1).await;
    let length = || fs::metadata(place.work().join("log")).map_or(0, |found| found.len());
    let writes = async {
        while length() < 4 {
            sleep(Duration::from_millis(5)).await;
        }
    };
    within_limit("some lines", writes).await;

    process.says("/stop").await;
    process.sees("turn_finished").await;

    let then = length();
    // Time for three lines more, were somebody there to write them.
    sleep(Duration::from_millis(200)).await;
    assert_eq!(length(), then);
}

#[tokio::test]
async fn h09_no_secret_of_cowhand_is_in_the_environment_of_a_child_or_of_its_runner() {
    let command =
        "printenv; env -0; cat /proc/self/environ; cat /proc/$PPID/environ; tr '\\0' ' ' </proc/$PPID/cmdline";
    let (place, model) = place_to_finish(command, 60).await;
    let place = place.set("TELEGRAM_BOT_TOKEN", "123:secret-token").set("MY_API_KEY", "secret-key");

    place.events("work\n").await;

    let result = result(&model).await;
    assert!(result.contains("TERM=dumb"), "{result}");
    for secret in ["secret-token", "secret-key", "API_KEY", model.key()] {
        assert!(!result.contains(secret), "{secret} in {result}");
    }
}

#[tokio::test]
async fn a_command_cannot_signal_its_runner_away() {
    let command = "setsid sleep 600 & echo $! >>pids; group=$(cut -d' ' -f5 /proc/$PPID/stat)
        for signal in HUP INT QUIT USR1 ALRM TERM TSTP; do kill -$signal $PPID; kill -$signal -- -$group; done; echo alive";
    let (place, model) = place_to_finish(command, 60).await;

    place.events("work\n").await;

    let result = result(&model).await;
    assert!(result.starts_with("alive\n[exit code 0]"), "{result}");
    assert_eq!(left(&written_down(&place, 1).await), Vec::<u32>::new());
}

#[tokio::test]
async fn a_command_that_kills_its_runner_is_ended_with_what_it_started() {
    let command =
        "sleep 600 & echo $! >>pids; (sh -c 'echo $$ >>pids; exec sleep 600' &); sleep 0.1; kill -9 $PPID; sleep 600";
    let (place, model) = place_to_finish(command, 60).await;

    place.events("work\n").await;

    let result = result(&model).await;
    assert!(result.contains("what it ran under was killed"), "{result}");
    // They are the system's to reap now.
    let states = written_down(&place, 2).await.into_iter().map(|id| fs::read_to_string(format!("/proc/{id}/stat")));
    let running: Vec<String> = states.flatten().filter(|stat| !stat.contains(") Z ")).collect();
    assert_eq!(running, Vec::<String>::new());
}

#[tokio::test]
async fn a_command_that_suspends_its_runner_can_be_stopped() {
    let (place, _model) = place("kill -STOP $PPID; echo $$ >pids; sleep 600").await;
    let mut process = start(&place).await;
    let ids = written_down(&place, 1).await;

    process.says("/stop").await;
    process.sees("turn_finished").await;

    assert_eq!(left(&ids), Vec::<u32>::new());
}

#[tokio::test]
async fn a_job_outlives_its_turn_and_ends_when_cowhand_is_killed() {
    let model = ScriptedModel::start().await;
    let job = json!({"command": "trap '' TERM; echo $$ >>pids; while :; do sleep 1; done", "run_in_background": true});
    model.script([Step::calls([("bash", job)]), Step::text("it runs")]);
    let place = Place::with(&model);
    let mut process = place.start(&["chat", "--json"]);
    process.says("work").await;
    process.sees("turn_finished").await;
    let ids = written_down(&place, 1).await;
    assert_eq!(left(&ids).len(), 1);

    process.gets_killed().await;

    until_none_is_left(&ids).await;
}

#[tokio::test]
async fn a_stopped_turn_tells_the_next_which_jobs_still_run() {
    let model = ScriptedModel::start().await;
    let job = json!({"command": "sleep 600", "run_in_background": true});
    model.script([
        Step::calls([("bash", job)]),
        Step::calls([("bash", json!({"command": "echo $$ >pids; sleep 600"}))]),
        Step::text("I know"),
    ]);
    let place = Place::with(&model);
    let mut process = place.start(&["chat", "--json"]);
    process.says("work").await;
    written_down(&place, 1).await;

    process.says("/stop").await;
    process.sees("turn_finished").await;
    process.says("what runs?").await;
    process.sees("turn_finished").await;

    let history = transcript(model.request(3).await);
    assert!(history.contains("These jobs still run in the background:\n"), "{history}");
    assert!(history.contains(": sleep 600]"), "{history}");
}

#[tokio::test]
async fn a_job_can_be_looked_at_and_ended_in_later_turns_and_ends_with_cowhand() {
    let model = ScriptedModel::start().await;
    let job = || json!({"command": "echo $$ >>pids; echo begun; sleep 600", "run_in_background": true});
    let turn = |arguments| [Step::calls([("bash", arguments)]), Step::text("done")];
    model.script(turn(job()));
    model.script(turn(json!({"job": "list"})));
    model.script(turn(json!({"job": "1-1", "kill": true})));
    model.script(turn(job()));
    let place = Place::with(&model);
    let mut process = place.start(&["chat", "--json"]);
    let mut left_then = Vec::new();

    for number in [1, 1, 1, 2] {
        process.says("work").await;
        process.sees("turn_finished").await;
        left_then.push(left(&written_down(&place, number).await).len());
    }
    process.ends().await;

    let results = model.request(8).await.tool_results();
    assert!(results[0].starts_with("[job 1-1 runs in the background"), "{results:?}");
    assert!(results[1].starts_with("1-1 runs, for "), "{results:?}");
    assert!(results[2].starts_with("begun\n[job 1-1 was ended after"), "{results:?}");
    assert_eq!(left_then, [1, 1, 0, 1]);
    until_none_is_left(&written_down(&place, 2).await).await;
}

#[tokio::test]
async fn endless_output_takes_bounded_memory_and_can_be_stopped() {
    // Much more than what may be kept of it.
    let (place, _model) = place("seq 7000000; yes").await;
    let mut process = start(&place).await;
    loop {
        let progress = process.sees("tool_progress").await;
        if progress["text"].as_str().is_some_and(|text| text.ends_with("y\n")) {
            break;
        }
    }
    let status = fs::read_to_string(format!("/proc/{}/status", process.id())).expect("it runs");

    process.says("/stop").await;
    let end = process.sees("turn_finished").await;

    let highest = status.lines().find_map(|line| line.strip_prefix("VmHWM:")?.trim().strip_suffix(" kB"));
    let highest: u64 = highest.expect("the system tells").trim().parse().expect("a number");
    assert!(highest < 48 * 1024, "{highest} KiB");
    assert_eq!(end["outcome"], "stopped");
}
