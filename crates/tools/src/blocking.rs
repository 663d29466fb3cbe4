//! Tools that block a thread.

use std::panic;

use chat::ToolResult;
use tokio::task::spawn_blocking;

use crate::{ToolContext, ToolFuture};

/// Runs a tool's work on a thread that may block. Where the future is dropped the work is told to stop, as if it were cancelled.
pub(crate) fn blocking<A: Send + 'static, R: Into<ToolResult> + Send + 'static>(
    arguments: Result<A, String>,
    context: ToolContext,
    work: impl FnOnce(A, &ToolContext) -> Result<R, String> + Send + 'static,
) -> ToolFuture {
    Box::pin(async move {
        let arguments = match arguments {
            Ok(arguments) => arguments,
            Err(reason) => return ToolResult::error(reason),
        };
        let stop = context.cancelled.child_token();
        let _stops_when_dropped = stop.clone().drop_guard();
        let context = ToolContext { cancelled: stop, ..context };
        match spawn_blocking(move || work(arguments, &context)).await {
            Ok(Ok(result)) => result.into(),
            Ok(Err(reason)) => ToolResult::error(reason),
            // The panic goes on in the task of the caller, who is the one to say what it means.
            Err(error) if error.is_panic() => panic::resume_unwind(error.into_panic()),
            Err(_) => ToolResult::error("cancelled"),
        }
    })
}

/// Ends work that is no longer wanted; to be asked per file or block.
pub(crate) fn go_on(context: &ToolContext) -> Result<(), String> {
    if context.cancelled.is_cancelled() { Err("cancelled".to_owned()) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    fn context() -> ToolContext {
        ToolContext::in_folder("/")
    }

    #[tokio::test]
    async fn a_panic_reaches_who_holds_the_task() {
        let future = blocking(Ok(()), context(), |(), _| -> Result<String, String> { panic!("lost the thread") });

        let error = tokio::spawn(future).await.unwrap_err();

        assert_eq!(*error.into_panic().downcast_ref::<&str>().unwrap(), "lost the thread");
    }

    #[tokio::test]
    async fn dropping_the_future_stops_the_work() {
        let (started, has_started) = tokio::sync::oneshot::channel();
        let (stopped, has_stopped) = mpsc::channel();
        let task = tokio::spawn(blocking(Ok(()), context(), move |(), context| {
            let _ = started.send(());
            while go_on(context).is_ok() {
                std::thread::yield_now();
            }
            let _ = stopped.send(());
            Err::<String, String>(String::new())
        }));
        has_started.await.unwrap();

        task.abort();

        let bound = std::time::Duration::from_secs(10);
        tokio::task::spawn_blocking(move || has_stopped.recv_timeout(bound)).await.unwrap().unwrap();
    }
}
