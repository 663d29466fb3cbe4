use std::time::Duration;

use chat::{ConversationKey, TurnId};
use tokio::time::{sleep, timeout};

use super::{Jobs, Look, RunningJob, Start};
use crate::process::tests::{BOUND, EVER, shell, until_gone};
use crate::process::{Ending, Order};
use crate::{Settings, ToolContext};

fn conversation(name: &str) -> ConversationKey {
    ConversationKey { chat: name.to_owned(), ..ToolContext::in_folder("/").conversation }
}

fn jobs() -> Jobs {
    Jobs::new(&Settings::default())
}

async fn try_to_start(jobs: &Jobs, of: &str, order: Order) -> Result<String, String> {
    let command = order.launch.arguments[1].clone();
    let start = Start { conversation: conversation(of), turn: TurnId(7), command, order };
    timeout(BOUND, jobs.start(start)).await.unwrap()
}

async fn start(jobs: &Jobs, command: &str) -> String {
    try_to_start(jobs, "a", shell(command, EVER)).await.unwrap()
}

async fn look(jobs: &Jobs, id: &str, end: bool) -> Look {
    timeout(BOUND, jobs.look(&conversation("a"), id, end)).await.unwrap().unwrap()
}

/// Looks until there is what is looked for; gives all that was seen.
async fn look_until(jobs: &Jobs, id: &str, is_there: impl Fn(&str, &Look) -> bool) -> (String, Look) {
    let mut seen = String::new();
    let looks = async {
        loop {
            let look = look(jobs, id, false).await;
            seen.push_str(&look.output);
            if is_there(&seen, &look) {
                return look;
            }
            sleep(Duration::from_millis(5)).await;
        }
    };
    let last = timeout(BOUND, looks).await.unwrap();
    (seen, last)
}

async fn ids_told(jobs: &Jobs, id: &str, number: usize) -> Vec<i32> {
    let (seen, _) = look_until(jobs, id, |seen, _| seen.split_whitespace().count() >= number).await;
    seen.split_whitespace().map(|id| id.parse().unwrap()).collect()
}

#[tokio::test]
async fn a_job_goes_on_and_each_look_shows_what_is_new() {
    let (jobs, folder) = (jobs(), tempfile::tempdir().unwrap());
    let go_on = folder.path().join("go on");
    let id =
        start(&jobs, &format!("printf one; until [ -e '{}' ]; do sleep 0.01; done; echo two", go_on.display())).await;
    let (first, while_it_runs) = look_until(&jobs, &id, |seen, _| !seen.is_empty()).await;

    std::fs::write(go_on, "").unwrap();
    let (second, at_the_end) = look_until(&jobs, &id, |_, look| look.ending.is_some()).await;

    assert_eq!([first.as_str(), &second], ["one", "two\n"]);
    assert!(while_it_runs.ending.is_none());
    assert!(matches!(at_the_end.ending, Some(Ending::Exited(status)) if status.success()));
    assert_eq!(look(&jobs, &id, false).await.output, "");
}

#[tokio::test]
async fn a_job_that_is_told_to_end_is_gone_when_that_is_confirmed() {
    let jobs = jobs();
    let id = start(&jobs, "trap '' TERM; setsid sleep 600 & echo $$ $!; while :; do sleep 0.1; done").await;
    let ids = ids_told(&jobs, &id, 2).await;

    let look = look(&jobs, &id, true).await;

    assert!(matches!(look.ending, Some(Ending::Cancelled)));
    for id in ids {
        assert!(crate::process::tests::is_gone(id));
    }
    assert_eq!(jobs.running(&conversation("a")).await, []);
}

#[tokio::test]
async fn a_job_ends_when_its_time_is_up() {
    let jobs = jobs();
    let id = try_to_start(&jobs, "a", shell("echo $$; sleep 600", Duration::from_millis(200))).await.unwrap();

    let (seen, last) = look_until(&jobs, &id, |_, look| look.ending.is_some()).await;

    assert!(matches!(last.ending, Some(Ending::TimedOut)));
    assert!(crate::process::tests::is_gone(seen.trim().parse().unwrap()));
}

#[tokio::test]
async fn a_conversation_that_is_over_takes_its_jobs_along_and_no_others() {
    let jobs = jobs();
    let first = start(&jobs, "echo $$; sleep 600").await;
    let gone = ids_told(&jobs, &first, 1).await;
    let other = try_to_start(&jobs, "b", shell("sleep 600", EVER)).await.unwrap();

    timeout(BOUND, jobs.end_conversation(&conversation("a"))).await.unwrap();

    assert!(crate::process::tests::is_gone(gone[0]));
    assert!(jobs.list(&conversation("a")).await.is_empty());
    let running = jobs.running(&conversation("b")).await;
    assert_eq!(running, [RunningJob { id: other, command: "sleep 600".to_owned() }]);
}

#[tokio::test]
async fn jobs_end_with_whoever_holds_them() {
    let (jobs, runtime) = (jobs(), tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap());
    let held = jobs.clone();
    let started = runtime.spawn(async move {
        let id = start(&held, "echo $$; sleep 600").await;
        ids_told(&held, &id, 1).await
    });
    let ids = started.await.unwrap();

    runtime.shutdown_background();

    until_gone(ids[0]).await;
}

#[tokio::test]
async fn a_conversation_sees_its_own_jobs_only() {
    let jobs = jobs();
    let id = start(&jobs, "sleep 600").await;

    let error = jobs.look(&conversation("b"), &id, true).await.unwrap_err();

    assert_eq!(error, format!("there is no job `{id}`, nor any other: none was started since Cowhand was"));
    assert_eq!(jobs.running(&conversation("a")).await.len(), 1);
    let error = jobs.look(&conversation("a"), "9-9", false).await.unwrap_err();
    assert_eq!(error, format!("there is no job `9-9`; there are: {id}"));
}

#[tokio::test]
async fn no_more_jobs_run_than_may_and_the_oldest_that_ended_is_forgotten() {
    let two = std::num::NonZeroU64::new(2).unwrap();
    let jobs = Jobs::new(&Settings { jobs_running: two, jobs_kept: two, ..Settings::default() });
    let first = start(&jobs, "sleep 600").await;
    let second = start(&jobs, "sleep 600").await;

    let error = try_to_start(&jobs, "a", shell("sleep 600", EVER)).await.unwrap_err();
    look(&jobs, &second, true).await;
    let third = start(&jobs, "sleep 600").await;

    assert!(error.starts_with(&format!("2 jobs run already, and no more may: {first}, {second};")), "{error}");
    let kept: Vec<String> = jobs.list(&conversation("a")).await.into_iter().map(|job| job.id).collect();
    assert_eq!(kept, [first, third]);
}

#[tokio::test]
async fn a_job_that_cannot_be_started_is_not_there() {
    let (jobs, mut order) = (jobs(), shell("true", EVER));
    order.launch.program = "/no/such/shell".into();

    let error = try_to_start(&jobs, "a", order).await.unwrap_err();

    assert!(error.contains("No such file"), "{error}");
    while !jobs.list(&conversation("a")).await.is_empty() {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn output_that_nobody_looks_at_is_kept_in_bounds() {
    let jobs = Jobs::new(&Settings { job_output_kib: std::num::NonZeroU64::MIN, ..Settings::default() });
    let id = start(&jobs, "seq 100000").await;
    let listed = async {
        while !jobs.running(&conversation("a")).await.is_empty() {
            sleep(Duration::from_millis(5)).await;
        }
    };
    timeout(BOUND, listed).await.unwrap();

    let output = look(&jobs, &id, false).await.output;

    assert!(output.starts_with("[… 574.1 KB before this are lost"), "{output}");
    assert!(output.ends_with("\n100000\n") && output.len() < 1_200);
}
