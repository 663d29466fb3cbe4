//! A runner is a program of its own. Tests of this crate take their own binary for it: asked for this one test, with the argument of
//! runners as a filter that leaves nothing out, it is a runner and nothing else.

use std::time::Duration;

use super::serve;
use crate::RunnerProgram;
use crate::process::protocol::ARGUMENT;
use crate::process::tests::run_for;

/// What commands of tests run under.
pub(crate) fn this_test_binary() -> RunnerProgram {
    let name = concat!(module_path!(), "::this_test_binary_serves_as_a_runner");
    let name = name.split_once("::").unwrap().1;
    let arguments = ["--exact", name, "--nocapture", "--skip", ARGUMENT];
    RunnerProgram { arguments: arguments.map(str::to_owned).into(), ..RunnerProgram::default() }
}

#[test]
fn this_test_binary_serves_as_a_runner() {
    if std::env::args().any(|argument| argument == ARGUMENT) {
        // Without a word, and without the harness saying how it went.
        let is_fine = serve() == std::process::ExitCode::SUCCESS;
        std::process::exit(i32::from(!is_fine));
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();

    let finished = runtime.block_on(run_for("echo served", Duration::from_secs(10)));

    assert_eq!(finished.output, "served\n");
}
