//! The tool `bash`.

mod job_report;
mod report;
mod request;
mod verdict;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use chat::{ToolResult, ToolSpec};
use serde_json::{Map, Value, json};

use self::request::{Arguments, Request, Times};
use crate::arguments::parse;
use crate::jobs::Start;
use crate::process::{self, Launch, Order, environment};
use crate::sandbox;
use crate::schema::spec_of;
use crate::{Access, EffectClass, Jobs, Settings, Tool, ToolContext, ToolFuture};

/// Runs a command in a shell.
pub(super) struct Bash {
    spec: ToolSpec,
    times: Times,
    does: Arc<Shell>,
}

/// What commands are run with.
struct Shell {
    shell: PathBuf,
    settings: Settings,
    jobs: Jobs,
}

impl Bash {
    pub(super) fn new(settings: &Settings, jobs: &Jobs) -> Self {
        let times = Times::new(settings);
        let shell = settings.shell.clone().unwrap_or_else(usual_shell);
        let mut spec = spec_of::<Arguments>("bash");
        spec.parameters["properties"]["timeout"]["description"] = json!(times.told());
        if !shell.ends_with("bash") {
            spec.description.push_str(&format!(" The shell is {}.", shell.display()));
        }
        let (settings, jobs) = (settings.clone(), jobs.clone());
        Self { spec, times, does: Arc::new(Shell { shell, settings, jobs }) }
    }
}

impl Tool for Bash {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn effect(&self) -> EffectClass {
        EffectClass::Effect
    }

    fn needs(&self) -> Access {
        Access::Shell
    }

    fn advice_on_sending_less(&self) -> Option<&str> {
        Some(request::ADVICE)
    }

    fn run(&self, arguments: Map<String, Value>, context: ToolContext) -> ToolFuture {
        let arguments = parse::<Arguments>(&self.spec, arguments);
        let request = arguments.and_then(|arguments| arguments.request(&self.times));
        let does = Arc::clone(&self.does);
        Box::pin(async move {
            if context.cancelled.is_cancelled() {
                return ToolResult::error("cancelled before it began");
            }
            match request {
                Ok(request) => does.perform(request, &context).await,
                Err(reason) => ToolResult::error(reason),
            }
        })
    }
}

impl Shell {
    async fn perform(&self, request: Request, context: &ToolContext) -> ToolResult {
        match request {
            Request::Run { command, time } => self.run(&command, time, context).await,
            Request::Start { command, time } => self.start(command, time, context).await,
            Request::List => job_report::list(&self.jobs.list(&context.conversation).await),
            Request::Look { job, end } => {
                let look = self.jobs.look(&context.conversation, &job, end).await;
                look.map_or_else(ToolResult::error, |look| job_report::look(&job, look))
            }
        }
    }

    async fn run(&self, command: &str, time: Duration, context: &ToolContext) -> ToolResult {
        match process::run(self.order(command, context, time), context).await {
            Ok(finished) => report::report(command, finished, time),
            Err(error) => ToolResult::error(could_not_start(&context.folder, &error.to_string())),
        }
    }

    async fn start(&self, command: String, time: Duration, context: &ToolContext) -> ToolResult {
        let order = self.order(&command, context, time);
        let (conversation, turn) = (context.conversation.clone(), context.turn);
        match self.jobs.start(Start { conversation, turn, command, order }).await {
            Ok(job) => job_report::started(&job),
            Err(reason) => ToolResult::error(could_not_start(&context.folder, &reason)),
        }
    }

    fn order(&self, command: &str, context: &ToolContext, time: Duration) -> Order {
        let launch = Launch {
            program: self.shell.clone().into(),
            arguments: ["-c", "--", command].map(str::to_owned).into(),
            folder: context.folder.clone().into(),
            environment: environment(&self.settings.pass_environment),
            plan: sandbox::plan(context.role, &self.settings, &context.folder),
        };
        Order { launch, time, stages: self.settings.runner.clone() }
    }
}

fn usual_shell() -> PathBuf {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::env::split_paths(&path).chain([PathBuf::from("/bin"), PathBuf::from("/usr/bin")]);
    let found = folders.map(|folder| folder.join("bash")).find(|bash| bash.is_absolute() && bash.is_file());
    found.unwrap_or_else(|| PathBuf::from("/bin/sh"))
}

fn could_not_start(folder: &Path, reason: &str) -> String {
    if folder.is_dir() {
        format!("the command could not be started: {reason}")
    } else {
        format!("the working folder `{}` does not exist", folder.display())
    }
}

#[cfg(test)]
mod tests;
