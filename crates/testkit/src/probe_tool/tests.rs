use super::*;

fn context() -> (ToolContext, tokio::sync::mpsc::UnboundedReceiver<String>) {
    let (sender, outputs) = tokio::sync::mpsc::unbounded_channel();
    let progress = Arc::new(move |output| sender.send(output).expect("the test reads it"));
    (ToolContext { progress, ..ToolContext::in_folder("/") }, outputs)
}

#[tokio::test]
async fn calls_are_counted_with_their_arguments() {
    let probe = ProbeTool::new("look").reports(&["half way"]).returns("two files");
    let (context, mut outputs) = context();

    let result = probe.tool().run(Map::from_iter([("path".into(), ".".into())]), context).await;

    assert_eq!(result, ToolResult::ok("two files"));
    assert_eq!(outputs.recv().await.as_deref(), Some("half way"));
    assert_eq!(probe.calls()[0]["path"], ".");
    assert_eq!(probe.finished(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_slow_tool_takes_its_time() {
    let probe = ProbeTool::new("slow").takes(Duration::from_secs(60)).fails("too late");
    let start = tokio::time::Instant::now();

    let result = probe.tool().run(Map::new(), context().0).await;

    assert!(result.is_error);
    assert_eq!(start.elapsed(), Duration::from_secs(60));
}

#[tokio::test]
async fn a_call_that_is_dropped_at_its_gate_is_told_apart_from_a_finished_one() {
    let (gate, (context, _outputs)) = (Gate::new(), context());
    let probe = ProbeTool::new("wait").gated(&gate);

    let call = tokio::spawn(probe.tool().run(Map::new(), context.clone()));
    gate.reached().await;
    context.cancelled.cancel();
    call.abort();
    probe.await_dropped(1).await;

    assert_eq!((probe.finished(), probe.cancelled()), (0, 1));
}

#[tokio::test]
#[should_panic(expected = "the tool broke")]
async fn a_panicking_tool_panics() {
    ProbeTool::new("break").panics("the tool broke").tool().run(Map::new(), context().0).await;
}
