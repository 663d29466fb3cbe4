use std::fs;
use std::sync::{Arc, mpsc};
use std::time::Duration;

use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tokio::time::{interval, timeout};

use super::runner::tests::this_test_binary;
use super::table::Process;
use super::{Ending, Finished, Launch, Order, environment, run};
use crate::ToolContext;
use crate::sandbox::Plan;

/// Longer than anything here takes; what is still waited for by then does not come.
pub(crate) const BOUND: Duration = Duration::from_secs(10);

/// Longer than a test runs.
pub(crate) const EVER: Duration = Duration::from_secs(600);

pub(crate) fn shell(command: &str, time: Duration) -> Order {
    let launch = Launch {
        program: "/bin/sh".into(),
        arguments: vec!["-c".into(), command.into()],
        folder: "/".into(),
        environment: environment(&[]),
        plan: Plan::none(),
    };
    Order { launch, time, stages: this_test_binary() }
}

/// A context, and what is told to people in it.
fn context() -> (ToolContext, UnboundedReceiver<String>) {
    let (sender, told) = unbounded_channel();
    let progress = Arc::new(move |text| drop(sender.send(text)));
    (ToolContext { progress, ..ToolContext::in_folder("/") }, told)
}

pub(super) async fn run_for(command: &str, time: Duration) -> Finished {
    timeout(BOUND, run(shell(command, time), &context().0)).await.unwrap().unwrap()
}

/// Runs a command that tells process ids, and cancels it as soon as it has.
async fn run_until_told(command: &str) -> (Finished, Vec<i32>) {
    let (context, mut told) = context();
    let cancelled = context.cancelled.clone();
    let cancel = async {
        let ids = ids(&told.recv().await.unwrap());
        cancelled.cancel();
        ids
    };
    let (finished, ids) =
        timeout(BOUND, async { tokio::join!(run(shell(command, EVER), &context), cancel) }).await.unwrap();
    (finished.unwrap(), ids)
}

fn ids(output: &str) -> Vec<i32> {
    output.split_whitespace().map(|id| id.parse().unwrap()).collect()
}

/// Whether a process neither runs nor waits to be reaped.
pub(crate) fn is_gone(id: i32) -> bool {
    Process::of(id).is_none()
}

pub(crate) async fn until_gone(id: i32) {
    let mut rounds = interval(Duration::from_millis(10));
    let all_rounds = async {
        while !is_gone(id) {
            rounds.tick().await;
        }
    };
    timeout(BOUND, all_rounds).await.unwrap();
}

#[tokio::test]
async fn a_grandchild_does_not_outlive_its_time() {
    let finished = run_for("(sleep 600 & echo $!); wait; sleep 600", Duration::from_millis(300)).await;

    assert!(matches!(finished.ending, Ending::TimedOut));
    assert!(ids(&finished.output).into_iter().all(is_gone), "{}", finished.output);
}

#[tokio::test]
async fn a_grandchild_does_not_outlive_a_cancelled_call() {
    let (finished, ids) = run_until_told("(sleep 600 & echo $$ $!); wait; sleep 600").await;

    assert!(matches!(finished.ending, Ending::Cancelled));
    assert_eq!(ids.len(), 2);
    assert!(ids.into_iter().all(is_gone));
}

#[tokio::test]
async fn what_the_shell_left_behind_does_not_keep_the_call() {
    let finished = run_for("(sleep 600 & echo $!); wait", EVER).await;

    assert!(matches!(finished.ending, Ending::Exited(status) if status.success()));
    assert_eq!(finished.left_over.len(), 1);
    assert!(ids(&finished.output).into_iter().all(is_gone));
}

#[tokio::test]
async fn what_was_left_behind_without_output_is_ended_too() {
    let finished = run_for("sleep 600 >/dev/null 2>&1 & echo $!", EVER).await;

    assert_eq!(finished.left_over.len(), 1);
    assert!(ids(&finished.output).into_iter().all(is_gone));
}

#[tokio::test]
async fn what_detached_itself_is_found_by_its_mark() {
    let finished = run_for("(setsid sleep 600 </dev/null >/dev/null 2>&1 & echo $!)", EVER).await;

    assert_eq!(finished.left_over.len(), 1);
    assert!(ids(&finished.output).into_iter().all(is_gone));
}

#[tokio::test]
async fn what_detached_itself_and_cleared_its_environment_is_found_by_descent() {
    let (_, ids) = run_until_told("env -i setsid sleep 600 & echo $!; wait").await;

    assert!(ids.into_iter().all(is_gone));
}

#[tokio::test]
async fn what_loses_its_parent_while_it_is_ended_is_ended_all_the_same() {
    let stubborn = "trap '' TERM; while :; do sleep 0.1; done";

    let (_, ids) = run_until_told(&format!("env -i setsid sh -c \"{stubborn}\" & echo $!; wait")).await;

    assert!(ids.into_iter().all(is_gone));
}

#[tokio::test]
async fn the_end_is_told_when_nothing_writes_any_more() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("log");
    let writes = format!("while :; do echo x >>{}; sleep 0.05; done", file.display());

    let (_, ids) = run_until_told(&format!("trap '' TERM; ({writes}) & echo $$ $!; wait")).await;

    assert!(fs::metadata(&file).unwrap().len() > 0);
    assert!(ids.into_iter().all(is_gone));
}

#[tokio::test]
async fn what_does_not_listen_is_killed() {
    let (finished, ids) = run_until_told("trap '' TERM; echo $$; while :; do sleep 1; done").await;

    assert!(ids.into_iter().all(is_gone));
    assert!(finished.survivors.is_empty());
}

#[tokio::test]
async fn what_is_stopped_can_be_ended() {
    let (_, ids) = run_until_told("sleep 600 & kill -STOP $!; echo $!; wait").await;

    assert!(ids.into_iter().all(is_gone));
}

#[tokio::test]
async fn a_dropped_call_leaves_nothing_behind() {
    for command in ["sleep 600 & echo $$ $!; wait", "echo $$; sleep 0.6; exec yes"] {
        let (context, mut told) = context();
        let call = tokio::spawn(async move { run(shell(command, EVER), &context).await.map(drop) });
        let ids = ids(&timeout(BOUND, told.recv()).await.unwrap().unwrap());

        call.abort();

        for id in ids {
            until_gone(id).await;
        }
    }
}

#[test]
fn a_runtime_that_goes_down_leaves_nothing_behind() {
    let (sender, told) = mpsc::channel();
    let progress = Arc::new(move |text| drop(sender.send(text)));
    let context = ToolContext { progress, ..ToolContext::in_folder("/") };
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    runtime.spawn(async move {
        let command = shell("trap '' TERM; setsid sleep 600 & echo $$ $!; wait; sleep 600", EVER);
        run(command, &context).await.map(drop)
    });
    let ids = ids(&told.recv_timeout(BOUND).unwrap());

    drop(runtime);

    assert_eq!(ids.len(), 2);
    let another = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    ids.into_iter().for_each(|id| another.block_on(until_gone(id)));
}

#[tokio::test]
async fn endless_output_is_ended_and_kept_in_bounds() {
    let finished = run_for("yes", Duration::from_millis(500)).await;

    assert!(matches!(finished.ending, Ending::TimedOut));
    assert!(finished.output.starts_with("y\ny\n") && finished.output.len() < 50_000);
    let (_, place) = finished.output.split_once(" in /").unwrap();
    let path = format!("/{}", place.split_once(" …]").unwrap().0);
    assert!(fs::metadata(&path).unwrap().len() <= 16 * 1024 * 1024);
    fs::remove_file(path).unwrap();
}

#[tokio::test]
async fn the_last_words_of_a_process_that_is_asked_to_end_are_heard() {
    let (finished, _) = run_until_told("trap 'echo 0; exit 3' TERM; echo $$; while :; do sleep 0.1; done").await;

    assert!(finished.output.ends_with("\n0\n"), "{}", finished.output);
}

#[tokio::test]
async fn a_command_that_cannot_be_started_says_why() {
    let mut order = shell("true", EVER);
    order.launch.program = "/no/such/shell".into();

    let error = run(order, &context().0).await.err().unwrap();

    assert!(error.to_string().contains("No such file"), "{error}");
}

#[tokio::test]
async fn nothing_that_is_open_here_is_open_in_a_command() {
    let _leaks = rustix::io::dup(std::io::stderr()).unwrap();
    let listed = run_for("ls /proc/self/fd; ls -l /proc/$$/fd/0 | grep -c /dev/null", EVER).await;

    // The last is what `ls` itself has open.
    assert_eq!(listed.output, "0\n1\n2\n3\n1\n");
}

#[tokio::test]
async fn a_command_is_the_leader_of_its_group_and_holds_no_signal_back() {
    let mut order = shell("", EVER);
    order.launch.program = "/bin/grep".into();
    order.launch.arguments = ["-E", "^(SigBlk|Pid|NSpgid)", "/proc/self/status"].map(str::to_owned).into();

    let finished = run(order, &context().0).await.unwrap();

    let values: Vec<&str> = finished.output.lines().filter_map(|line| line.split('\t').nth(1)).collect();
    assert_eq!(values[0], values[1]);
    assert_eq!(values[2], "0000000000000000");
}
